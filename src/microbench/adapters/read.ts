/** Bytes of a result file → rows: decodes, recognises the format, reads, and refuses what would mislead. */
import type { Warning } from '../../kernel/errors.ts';
import { TailgateError } from '../../kernel/errors.ts';
import type { Format } from '../../kernel/words.ts';
import type { BenchRow, ReadResult } from '../samples.ts';
import type { Adapter, AdapterResult, BenchDocument } from './adapter.ts';
import { isRecord } from './adapter.ts';
import { decodeText } from './decode.ts';
import { beginsAsJson, findJson, type JsonFinding } from './json.ts';
import { adapterOf, adapters } from './registry.ts';

export interface BenchmarkFile {
  /** Path or name, for messages and for formats that keep the benchmark's name only there. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Below this a likeness is good enough to be named in an error, not to be read. */
const readable = 0.6;
/**
 * Reads a file of benchmark results. Figures that cannot be used are rows with a problem, never left out and never 0.
 * @param format `auto` takes the adapter that recognises the file best; the result names it.
 * @throws TailgateError usage: above 64 MB, empty, binary, broken JSON (with line and column), no known format, no
 * benchmark in it (with the format that it looks like), two benchmarks of one name that cannot be told apart.
 */
export function readBenchmarks(file: BenchmarkFile, format: 'auto' | Format): ReadResult {
  const { text, warnings } = decodeText(file.bytes, file.name);
  const plain: BenchDocument = { name: file.name, text, lines: text.split('\n'), json: [] };
  const chosen = format === 'auto' ? recognise(plain) : given(plain, adapterOf(format));
  const { rows, warnings: own } = readAll(chosen);
  if (rows.length === 0) throw nothingRead(chosen.document, chosen.adapter, own);
  refuseDuplicates(rows, file.name, chosen.adapter);
  return {
    format: chosen.adapter.format,
    title: chosen.adapter.title,
    rows,
    warnings: [...warnings, ...chosen.warnings, ...own],
  };
}

interface Choice {
  readonly adapter: Adapter;
  readonly document: BenchDocument;
  readonly warnings: readonly Warning[];
}

/** Most formats are one JSON value; several of them one after the other are read one by one. */
function readAll({ adapter, document }: Choice): AdapterResult {
  if (adapter.shape !== 'json' || document.json.length < 2) return adapter.read(document);
  const results = document.json.map((value) => {
    const single = { ...document, json: [value] };
    if (adapter.recognises(single) > 0) {
      const { rows, warnings } = adapter.read(single);
      if (rows.length > 0 || warnings.length > 0) return { rows, warnings };
      const message = `${document.name} holds JSON of ${adapter.format} without any benchmark`;
      return { rows, warnings: [{ code: 'json-not-read', message }] };
    }
    const message = `${document.name} holds JSON that is not ${adapter.format}; it was not read`;
    return { rows: [], warnings: [{ code: 'json-not-read', message }] };
  });
  return { rows: results.flatMap((one) => one.rows), warnings: results.flatMap((one) => one.warnings) };
}

interface Likeness {
  readonly adapter: Adapter;
  readonly confidence: number;
}

/** The best adapter for a document, by confidence; null when none is at all. */
function best(document: BenchDocument): Likeness | null {
  return likest(document)[0] ?? null;
}

/** Every adapter that no other is above in confidence, in the order of their list; none when none is at all. */
function likest(document: BenchDocument): readonly Likeness[] {
  let found: Likeness[] = [];
  for (const adapter of adapters) {
    // JSON is never taken for text, whatever its texts say.
    if (document.json.length > 0 && adapter.shape === 'text') continue;
    const confidence = adapter.recognises(document);
    const highest = found[0]?.confidence ?? 0;
    if (confidence > highest) found = [{ adapter, confidence }];
    else if (confidence > 0 && confidence === highest) found.push({ adapter, confidence });
  }
  return found;
}

/** Of several JSON values the first may be an empty list, which is like many formats, or foreign. */
function bestOfAny(document: BenchDocument): Likeness | null {
  const whole = best(document);
  if (document.json.length < 2 || (whole !== null && whole.confidence >= readable)) return whole;
  let found = whole;
  for (const value of document.json) {
    const single = best({ ...document, json: [value] });
    if (single !== null && single.confidence > (found?.confidence ?? 0)) found = single;
  }
  return found;
}

function recognise(plain: BenchDocument): Choice {
  const asText = best(plain);
  const isText = asText !== null && asText.confidence >= readable;
  if (isText && !beginsAsJson(plain.text)) return { adapter: asText.adapter, document: plain, warnings: [] };
  const found = findJson(plain.text, plain.name);
  if (found.kind === 'broken') {
    // A log line in brackets above plain text looked like the beginning of JSON.
    if (isText) return { adapter: asText.adapter, document: plain, warnings: [] };
    throw found.error;
  }
  const document = found.kind === 'values' ? { ...plain, json: found.values } : plain;
  const chosen = bestOfAny(document);
  if (chosen === null) throw unknownFormat(document);
  return { adapter: chosen.adapter, document, warnings: aroundJson(found, plain.name) };
}

function given(plain: BenchDocument, adapter: Adapter): Choice {
  const asText: Choice = { adapter, document: plain, warnings: [] };
  const mayBeText = adapter.shape === 'text' || adapter.shape === 'text-or-json';
  if (mayBeText && (!beginsAsJson(plain.text) || adapter.recognises(plain) >= readable)) return asText;
  const found = findJson(plain.text, plain.name);
  if (found.kind === 'broken') throw found.error;
  const document = { ...plain, json: found.kind === 'values' ? found.values : [] };
  const own = [document, ...document.json.map((value) => ({ ...document, json: [value] }))];
  if (!own.some((one) => adapter.recognises(one) > 0)) {
    throw nothingRead(document, adapter, []);
  }
  return { adapter, document, warnings: aroundJson(found, plain.name) };
}

/** For example the banner of `npm run` above the JSON of a benchmark. */
function aroundJson(found: JsonFinding, name: string): readonly Warning[] {
  if (found.kind !== 'values' || found.alone) return [];
  return [
    {
      code: 'text-around-json',
      message: `${name} has other text before or after its JSON; only the JSON was read`,
      hint: 'write the results to a file of their own',
    },
  ];
}

function refuseDuplicates(rows: readonly BenchRow[], file: string, adapter: Adapter): void {
  const seen = new Set<string>();
  for (const { name } of rows) {
    if (!seen.has(name)) {
      seen.add(name);
      continue;
    }
    throw new TailgateError({
      code: 'usage',
      message: `${file}: two benchmarks are called "${name}", and nothing in the file tells them apart`,
      hint:
        adapter.format === 'libtest' || adapter.format === 'criterion'
          ? 'keep standard error too (2>&1): cargo names the target there; or write one file a target'
          : 'give them different names, or write one file a suite',
    });
  }
}

function nothingRead(document: BenchDocument, adapter: Adapter, warnings: readonly Warning[]): TailgateError {
  const found = likest(document).map((likeness) => likeness.adapter);
  const why = warnings[0] === undefined ? '' : ` (${warnings[0].message})`;
  if (found.length > 0 && !found.includes(adapter)) {
    const first = found[0]!.format;
    return new TailgateError({
      code: 'usage',
      message: `no benchmark was read from ${document.name} as ${adapter.format}; it looks like ${listed(found)}${why}`,
      hint: `use format: ${first}, or format: auto`,
    });
  }
  const likeness =
    found.length === 0
      ? `it does not look like ${adapter.format}: ${adapter.title}`
      : `it looks like ${listed(found)}`;
  return new TailgateError({
    code: 'usage',
    message: `no benchmark was read from ${document.name}; ${likeness}${why}`,
    hint: 'did the command run any benchmark? Look for a filter that matches nothing, or a build that ended early',
  });
}

/** `go-bench: Go benchmark text`, or only the words of several. */
function listed(found: readonly Adapter[]): string {
  const words = found.map((adapter) => adapter.format);
  if (found.length === 1) return `${words[0]}: ${found[0]!.title}`;
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}, with nothing in it`;
}

function unknownFormat(document: BenchDocument): TailgateError {
  const [root] = document.json;
  const shown = isRecord(root)
    ? `JSON with the fields ${Object.keys(root).slice(0, 8).join(', ') || '(none)'}`
    : Array.isArray(root)
      ? 'a JSON list'
      : `text that begins with ${JSON.stringify(document.text.trim().slice(0, 60))}`;
  return new TailgateError({
    code: 'usage',
    message: `${document.name} is in no known benchmark format: it is ${shown}`,
    hint: `docs/formats.md lists them; any tool can write [{"name": "parse", "unit": "ns", "value": 12.5}] (format: custom-smaller-is-better). Known: ${adapters.map((adapter) => adapter.format).join(', ')}`,
  });
}
