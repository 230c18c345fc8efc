/** Bodies as configured → bytes: text, JSON, forms, multipart and files, with their content-type. */
import { createHash } from 'node:crypto';
import type { BodySettings, PartSettings } from '../config/settings.ts';
import { assertNever } from '../kernel/errors.ts';
import {
  compileJson,
  compileTemplate,
  type Encode,
  joined,
  percentEncode,
  plain,
  type Template,
  type TemplateScope,
} from './templates.ts';

export interface CompiledBody {
  /** Bytes of files, and text between them. */
  readonly parts: readonly (Uint8Array | Template)[];
  /** For a request that does not name one; null where only the user can know it. */
  readonly contentType: string | null;
}

/** Reads a file of the project that may be sent. */
export type ReadBody = (file: string) => Uint8Array;

/** @throws TailgateError of `readBody`. */
export function compileBody(body: BodySettings, scope: TemplateScope, readBody: ReadBody): CompiledBody {
  switch (body.kind) {
    case 'text':
      return { parts: [compileTemplate(body.text, scope)], contentType: null };
    case 'json':
      return { parts: [compileJson(body.value, scope)], contentType: 'application/json' };
    case 'form':
      return {
        parts: [compilePairs(body.fields, scope, formEncode)],
        contentType: 'application/x-www-form-urlencoded',
      };
    case 'multipart':
      return compileMultipart(body.parts, scope, readBody);
    case 'file':
      return { parts: [readBody(body.file)], contentType: null };
    default:
      return assertNever(body);
  }
}

/** `name=value&…` with both sides encoded. */
export function compilePairs(
  pairs: readonly (readonly [string, string])[],
  scope: TemplateScope,
  encode: Encode,
): Template {
  return joined(
    '',
    pairs.map(([name, value]) =>
      joined(`${encode(name)}=`, [compileTemplate(value, scope, encode, encode)], ''),
    ),
    '',
    '&',
  );
}

/** RFC 3986 unreserved characters; everything else of a value is encoded. */
const unreserved = /^[A-Za-z0-9._~-]*$/;
export const queryEncode: Encode = (value) => percentEncode(value, unreserved);
/** As a browser sends a form: a space is a plus. */
export const formEncode: Encode = (value) =>
  value
    .split(' ')
    .map((part) => percentEncode(part, /^[A-Za-z0-9*._-]*$/))
    .join('+');

/** multipart/form-data (RFC 7578). The boundary is made from the parts, so that it is the same for both sides. */
function compileMultipart(
  settings: readonly PartSettings[],
  scope: TemplateScope,
  readBody: ReadBody,
): CompiledBody {
  const files = settings.map(({ content }) => (content.kind === 'file' ? readBody(content.file) : null));
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const file of files) if (file !== null) hash.update(file);
  const boundary = `tailgate-${hash.digest('hex').slice(0, 32)}`;
  const parts: (Uint8Array | Template)[] = [];
  for (const [index, { name, content, filename, contentType }] of settings.entries()) {
    const named = filename === null ? '' : `; filename="${quoted(filename)}"`;
    const type = contentType === null ? '' : `content-type: ${contentType}\r\n`;
    const lineEnd = index === 0 ? '' : '\r\n';
    const head = `${lineEnd}--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"${named}\r\n${type}\r\n`;
    parts.push(plain(head));
    parts.push(content.kind === 'text' ? compileTemplate(content.text, scope) : files[index]!);
  }
  parts.push(plain(`\r\n--${boundary}--\r\n`));
  return { parts, contentType: `multipart/form-data; boundary=${boundary}` };
}

/** As browsers write names into `content-disposition`. */
const quoted = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
