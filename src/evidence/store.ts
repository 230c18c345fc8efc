/** Evidence ↔ JSON text, versioned and checked both ways: what is judged later is what was measured. */
import { TailgateError } from '../kernel/errors.ts';
import type { Bytes } from '../kernel/units.ts';
import { formatBytes, bytes as inBytes } from '../kernel/units.ts';
import { realClock } from '../kernel/world.ts';
import type { BenchEvidence } from '../microbench/evidence.ts';
import { benchEvidenceForm, benchSchema, benchVersion } from './bench-form.ts';
import { cutOffOf } from './cut-off.ts';
import { checkEvidence, evidenceSchema, evidenceVersion } from './job-form.ts';
import { isObject, shown } from './shape.ts';
import type { Evidence } from './trial.ts';

/** Beyond this a file is not evidence of one job; the longest plan stays under a tenth of it. */
export const evidenceLimit = (256 * 1024 * 1024) as Bytes;

/**
 * @returns one line of JSON with a line end.
 * @throws TailgateError `usage` when a figure is not finite: JSON would turn it into null in silence.
 */
export function serialise(evidence: Evidence): string {
  checkEvidence(evidence);
  return `${JSON.stringify(evidence)}\n`;
}

/** Of microbenchmarks alone; the same form as `serialise` gives it inside the evidence of a job. */
export function serialiseBench(evidence: BenchEvidence): string {
  benchEvidenceForm(evidence, '');
  return `${JSON.stringify(evidence)}\n`;
}

/** What a file of either kind holds. */
export type Stored =
  | { readonly kind: 'job'; readonly evidence: Evidence }
  | { readonly kind: 'microbenchmarks'; readonly evidence: BenchEvidence };

/**
 * @param source the text of a file that `serialise` or `serialiseBench` wrote.
 * @param today evidence of more than a day later is refused.
 * @throws TailgateError `usage` for text that is no JSON, another schema, another version or a field of another form;
 * names the field and the version.
 */
export function parseStored(source: string, today: Date = realClock.today()): Stored {
  // A file of this many characters has at least as many bytes.
  if (source.length > evidenceLimit) {
    throw new TailgateError({
      code: 'usage',
      message: `this file holds ${formatBytes(inBytes(source.length))}, evidence at most ${formatBytes(evidenceLimit)}`,
      hint: 'Name the `tailgate-evidence.json` of a job.',
    });
  }
  const data = readJson(source);
  const schema = isObject(data) ? data['schema'] : undefined;
  if (!isObject(data) || (schema !== evidenceSchema && schema !== benchSchema)) {
    const found = isObject(data) ? `its \`schema\` is ${shown(schema)}` : `it holds ${shown(data)}`;
    throw new TailgateError({
      code: 'usage',
      message: `this file is not evidence of Tailgate: ${found}, wanted "${evidenceSchema}"`,
      hint: 'Name the `tailgate-evidence.json` of a job.',
    });
  }
  const { version } = data;
  refuseLater(version, schema === evidenceSchema ? evidenceVersion : benchVersion);
  return ofVersion(version, () => {
    if (schema === benchSchema) benchEvidenceForm(data, '');
    else checkEvidence(data);
    refuseFuture(data['createdAt'] as string, today);
    return schema === benchSchema
      ? { kind: 'microbenchmarks', evidence: data as unknown as BenchEvidence }
      : { kind: 'job', evidence: data as unknown as Evidence };
  });
}

/** @throws TailgateError as `parseStored`, and `usage` for evidence of microbenchmarks alone. */
export function parse(source: string, today: Date = realClock.today()): Evidence {
  const stored = parseStored(source, today);
  if (stored.kind === 'job') return stored.evidence;
  throw new TailgateError({
    code: 'usage',
    message: `this file is evidence of microbenchmarks alone: its \`schema\` is "${benchSchema}", wanted "${evidenceSchema}"`,
    hint: 'Name the `tailgate-evidence.json` of a job.',
  });
}

/** Names the version in what is wrong with a file; where that is its version, the error says so itself. */
function ofVersion<Result>(version: unknown, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TailgateError) || typeof version !== 'number') throw error;
    const { code, hint } = error;
    throw new TailgateError({
      code,
      message: `${error.message} (evidence of version ${version})`,
      ...(hint === undefined ? {} : { hint }),
      cause: error,
    });
  }
}

const dayMs = 86_400_000;

/** Clocks of two machines differ, but not by a day; waivers expire by this date. */
function refuseFuture(createdAt: string, today: Date): void {
  if (Date.parse(createdAt) <= today.getTime() + dayMs) return;
  throw new TailgateError({
    code: 'usage',
    message: `this evidence is of ${createdAt}, and today is ${today.toISOString().slice(0, 10)}: \`createdAt\` is in the future`,
    hint: 'Set the clock of this machine; a file that was edited cannot be judged.',
  });
}

function refuseLater(version: unknown, known: number): void {
  if (typeof version !== 'number' || version <= known) return;
  throw new TailgateError({
    code: 'usage',
    message: `this evidence has \`version\` ${version}, this release of Tailgate reads ${known}`,
    hint: 'Judge it with the release that wrote it, or a later one.',
  });
}

function readJson(source: string): unknown {
  // Some editors and shells put a byte order mark in front.
  const text = source.replace(/^\uFEFF/, '');
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TailgateError({ code: 'usage', ...(packed(source) ?? notWhole(text)), cause });
  }
}

interface Refusal {
  readonly message: string;
  readonly hint: string;
}

function packed(source: string): Refusal | null {
  // The mark of gzip, read as text: its second byte is no character.
  if (source.startsWith('\x1f\ufffd') || source.startsWith('\x1f\x8b')) {
    return {
      message: 'this file is compressed with gzip, wanted JSON',
      hint: 'Unpack it first: gunzip FILE.gz',
    };
  }
  if (source.startsWith('PK\x03\x04')) {
    return {
      message: 'this file is a zip archive, wanted JSON',
      hint: 'Unpack it first and name the `tailgate-evidence.json` in it.',
    };
  }
  return null;
}

/** What can be known of a file that was cut off: its kind, its version, and how far it goes. */
function notWhole(text: string): Refusal {
  const again = 'It may have been cut off while it was written or downloaded; download the artifact again.';
  if (text.trim() === '') return { message: 'this file is not whole JSON: it is empty', hint: again };
  const cut = cutOffOf(text);
  // JSON.parse is the judge of what is JSON.
  if (cut === null) return { message: 'this file is not whole JSON', hint: again };
  const { schema, version } = cut.head;
  const hint = cut.ends ? again : 'Use the file as the gate wrote it; download the artifact again.';
  if (schema === undefined) return { message: `this file is not whole JSON: ${cut.found}`, hint };
  if (schema !== evidenceSchema && schema !== benchSchema) {
    return {
      message: `this file is not evidence of Tailgate: its \`schema\` is ${shown(schema)}, wanted "${evidenceSchema}"; nor is it whole JSON: ${cut.found}`,
      hint: 'Name the `tailgate-evidence.json` of a job.',
    };
  }
  if (version === undefined)
    return { message: `this evidence is not whole JSON: ${cut.found}, before its \`version\``, hint };
  const known = schema === evidenceSchema ? evidenceVersion : benchVersion;
  const other = version === known ? '' : `, where this release of Tailgate reads ${known},`;
  return {
    message: `this evidence of version ${shown(version)}${other} is not whole JSON: ${cut.found}`,
    hint,
  };
}
