/** A request as configured → one whose templates are filled in, shot by shot, before the send. */
import type { AuthSettings, MessageSettings, SizeSettings } from '../config/settings.ts';
import { TailgateError } from '../kernel/errors.ts';
import { type Bytes, bytes, formatBytes, formatCount } from '../kernel/units.ts';
import { type CompiledBody, compileBody, compilePairs, queryEncode, type ReadBody } from './bodies.ts';
import { drawSize, letters } from './sizes.ts';
import {
  compileTemplate,
  type Encode,
  filler,
  joined,
  type Piece,
  percentEncode,
  type ShotValues,
  type Template,
  type TemplateScope,
} from './templates.ts';

export interface Sizing {
  readonly pathLength: SizeSettings | null;
  readonly bodySize: SizeSettings | null;
}

/** Bounds of what is sent. */
export interface MessageLimits {
  readonly path: Bytes;
  readonly body: Bytes;
}

export interface Message {
  readonly method: string;
  readonly path: Template;
  readonly headers: readonly (readonly [string, Template])[];
  readonly body: CompiledBody | null;
  readonly sizing: Sizing;
  /** Whether two shots may differ. */
  readonly varies: boolean;
  /** The same of its headers alone. */
  readonly headersVary: boolean;
  readonly takesRow: boolean;
  readonly limits: MessageLimits;
}

/** A message with everything filled in. */
export interface FilledMessage {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

export interface CompileOptions {
  readonly scope: TemplateScope;
  readonly readBody: ReadBody;
  readonly limits: MessageLimits;
  readonly auth: AuthSettings | null;
  readonly sizing: Sizing;
}

/** What a path may hold; the rest of a value is percent-encoded. */
const pathStays = /^[!"$-~]*$/;
const pathEncode: Encode = (value) => percentEncode(value, pathStays);

/**
 * Reads the files it is made of.
 * @throws TailgateError `usage` naming a file that cannot be sent.
 */
export function compileMessage(settings: MessageSettings, options: CompileOptions): Message {
  const { scope, sizing, limits } = options;
  const path = withQuery(settings, scope);
  const body = bodyOf(settings, options);
  const headers = headersOf(settings, options, body?.contentType ?? null);
  const texts = (body?.parts ?? []).filter((part): part is Template => !(part instanceof Uint8Array));
  const drawn = (size: SizeSettings | null) => size !== null && size.kind !== 'fixed';
  const headersVary = headers.some(([, value]) => value.varies);
  const all = [path, ...headers.map(([, value]) => value), ...texts];
  return {
    method: settings.method,
    path,
    headers,
    body,
    sizing,
    varies: all.some((one) => one.varies) || drawn(sizing.pathLength) || drawn(sizing.bodySize),
    headersVary,
    takesRow: all.some((one) => one.takesRow),
    limits,
  };
}

function withQuery({ path, query }: MessageSettings, scope: TemplateScope): Template {
  const template = compileTemplate(path, scope, pathEncode);
  if (query.length === 0) return template;
  const mark = path.includes('?') ? '&' : '?';
  return joined('', [template, compilePairs(query, scope, queryEncode)], '', mark);
}

function bodyOf(settings: MessageSettings, options: CompileOptions): CompiledBody | null {
  const { scope, readBody, sizing } = options;
  if (settings.body !== null) return compileBody(settings.body, scope, readBody);
  if (sizing.bodySize === null) return null;
  const letters: Template = { pieces: [filler], varies: false, takesRow: false, fillers: 1 };
  return { parts: [letters], contentType: 'text/plain' };
}

function headersOf(
  settings: MessageSettings,
  { scope, auth }: CompileOptions,
  contentType: string | null,
): readonly (readonly [string, Template])[] {
  const named = new Set(Object.keys(settings.headers).map((name) => name.toLowerCase()));
  const headers: [string, Template][] = Object.entries(settings.headers).map(([name, value]) => [
    name,
    compileTemplate(value, scope),
  ]);
  if (contentType !== null && !named.has('content-type')) {
    headers.push(['content-type', compileTemplate(contentType, scope)]);
  }
  if (auth !== null && !named.has('authorization')) {
    headers.push(['authorization', authorization(auth, scope)]);
  }
  return headers;
}

/** Basic authorisation (RFC 7617) in UTF-8, or a bearer token (RFC 6750). */
function authorization(auth: AuthSettings, scope: TemplateScope): Template {
  if (auth.kind === 'bearer') return joined('Bearer ', [compileTemplate(auth.token, scope)], '');
  const user = compileTemplate(auth.user, scope);
  const password = compileTemplate(auth.password, scope);
  const both: Piece = (shot) =>
    `Basic ${Buffer.from(`${write(user, shot)}:${write(password, shot)}`, 'utf8').toString('base64')}`;
  return { pieces: [both], varies: false, takesRow: false, fillers: 0 };
}

/**
 * Fills everything in. Draws from the shot's chance in the order path, headers, body.
 * @throws TailgateError `usage` when a path became longer or a body larger than it may be.
 */
export function fillMessage(message: Message, shot: ShotValues): FilledMessage {
  const { sizing, limits } = message;
  const path = writeSized([message.path], sizing.pathLength, limits.path, shot).join('');
  if (path.length > limits.path) {
    throw new TailgateError({
      code: 'usage',
      message: `a path has ${formatCount(path.length)} characters, wanted at most ${formatCount(limits.path)}, its query included`,
      hint: 'send long values in a body',
    });
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of message.headers) headers[name] = write(value, shot);
  const body = message.body === null ? null : fillBody(message, message.body, shot);
  return { method: message.method, path, headers, body };
}

function fillBody({ sizing, limits }: Message, body: CompiledBody, shot: ShotValues): Uint8Array {
  const [only] = body.parts;
  if (body.parts.length === 1 && only instanceof Uint8Array) return only;
  const chunks = writeSized(body.parts, sizing.bodySize, limits.body, shot);
  const filled = Buffer.concat(
    chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
  );
  if (filled.length > limits.body) {
    throw new TailgateError({
      code: 'usage',
      message: `a body has ${formatBytes(bytes(filled.length))}, wanted at most ${formatBytes(limits.body)}`,
      hint: 'send smaller files or values',
    });
  }
  return filled;
}

const write = (template: Template, shot: ShotValues): string =>
  template.pieces
    .map((piece) => (typeof piece === 'string' ? piece : piece === filler ? '' : piece(shot)))
    .join('');

/** Texts and bytes in order, with letters in the places of `${filler}` so that the whole reaches a drawn size. */
function writeSized(
  parts: readonly (Uint8Array | Template)[],
  size: SizeSettings | null,
  most: number,
  shot: ShotValues,
): (string | Uint8Array)[] {
  const chunks: (string | Uint8Array | typeof filler)[] = [];
  for (const part of parts) {
    if (part instanceof Uint8Array) chunks.push(part);
    else for (const piece of part.pieces) chunks.push(typeof piece === 'function' ? piece(shot) : piece);
  }
  if (size === null) return chunks.filter((chunk) => chunk !== filler);
  const wanted = drawSize(size, shot.random, most);
  let fillers = chunks.filter((chunk) => chunk === filler).length;
  let left = Math.max(0, wanted - chunks.reduce((sum, chunk) => sum + lengthOf(chunk), 0));
  return chunks.map((chunk) => {
    if (chunk !== filler) return chunk;
    const share = Math.ceil(left / fillers--);
    left -= share;
    return letters(share, shot.random.below(65_536));
  });
}

const lengthOf = (chunk: string | Uint8Array | typeof filler): number =>
  chunk === filler ? 0 : typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
