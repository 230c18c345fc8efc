/** The text of a data feed → rows of the columns that templates name. Pure. */
import { TailgateError } from '../kernel/errors.ts';
import { formatCount } from '../kernel/units.ts';

export type FeedValue = string | number | boolean | null;

export interface Feed {
  /** As the user wrote it. */
  readonly file: string;
  /** The columns asked for, in the order of each row. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly FeedValue[])[];
  /** 1-based line of the file on which each row starts. */
  readonly lines: readonly number[];
}

/** Beyond this the rows would not fit beside the job. */
export const mostRows = 1_000_000;

/**
 * Reads CSV (RFC 4180: quotes, doubled quotes, line ends in quotes; a byte order mark and CRLF are fine) with a line
 * of names first, or JSON Lines with an object a line. Only the wanted columns are kept.
 * @param columns that templates name; of JSON Lines a dot leads into an object.
 * @throws TailgateError `usage` naming the file, the line and what is wrong there.
 */
export function readFeed(
  text: string,
  source: { readonly file: string; readonly format: 'csv' | 'jsonl' },
  columns: readonly string[],
): Feed {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text;
  const rows: (readonly FeedValue[])[] = [];
  const lines: number[] = [];
  const take = (row: readonly FeedValue[], line: number): void => {
    if (rows.length === mostRows) {
      throw broken(
        source.file,
        line,
        `it has more than ${formatCount(mostRows)} rows`,
        'give a smaller file',
      );
    }
    rows.push(row);
    lines.push(line);
  };
  if (source.format === 'csv') readCsv(body, source.file, columns, take);
  else readJsonLines(body, source.file, columns, take);
  if (rows.length === 0) {
    const form = source.format === 'csv' ? 'a line of column names and then rows' : 'a JSON object a line';
    throw problem(source.file, 'it has no rows', `give it ${form}`);
  }
  return { file: source.file, columns, rows, lines };
}

type Take = (row: readonly FeedValue[], line: number) => void;

function readCsv(text: string, file: string, columns: readonly string[], take: Take): void {
  let places: readonly number[] | null = null;
  let width = 0;
  for (const { fields, line } of csvRecords(text, file)) {
    if (places === null) {
      const names = fields.map((name) => name.trim());
      const twice = names.find((name, index) => names.indexOf(name) !== index && columns.includes(name));
      if (twice !== undefined) {
        throw broken(file, line, `two columns are named "${twice}"`, 'give each column a name of its own');
      }
      width = names.length;
      places = columns.map((column) => placeOf(column, names, file));
    } else if (fields.length !== width) {
      const found = `${fields.length} field${fields.length === 1 ? '' : 's'}, wanted ${width} as in the first line`;
      throw broken(file, line, found, 'put fields with commas or line ends into double quotes');
    } else {
      take(
        places.map((place) => fields[place]!),
        line,
      );
    }
  }
}

function placeOf(column: string, names: readonly string[], file: string): number {
  const place = names.indexOf(column);
  if (place !== -1) return place;
  const only = names.length === 1 && /[;\t|]/.test(names[0]!);
  const way = only
    ? 'its fields must be separated by commas'
    : `it has ${names.map((name) => `"${name}"`).join(', ')}`;
  throw problem(file, `it has no column "${column}", which a request names`, way);
}

interface CsvRecord {
  readonly fields: readonly string[];
  readonly line: number;
}

/** Records of RFC 4180, blank lines left out. */
function* csvRecords(text: string, file: string): Generator<CsvRecord> {
  let at = 0;
  let line = 1;
  while (at < text.length) {
    const start = line;
    const fields: string[] = [];
    const written = at;
    for (let more = true; more; ) {
      let field: string;
      if (text[at] === '"') {
        const quoted = readQuoted(text, at, file, line);
        ({ field, at } = quoted);
        line += quoted.lineEnds;
        if (at < text.length && !/[,\r\n]/.test(text[at]!)) {
          const way = 'double the quotes inside a quoted field';
          throw broken(file, line, `"${text[at]}" stands behind the closing quote of a field`, way);
        }
      } else {
        let end = at;
        while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end++;
        field = text.slice(at, end);
        at = end;
        if (field.includes('"')) {
          const way = 'put the whole field into quotes and double the one inside';
          throw broken(file, line, 'a quote stands in the middle of a field', way);
        }
      }
      fields.push(field);
      more = text[at] === ',';
      if (more) at++;
    }
    const blank = at === written;
    if (text[at] === '\r') at++;
    if (text[at] === '\n') at++;
    line++;
    if (!blank) yield { fields, line: start };
  }
}

function readQuoted(
  text: string,
  from: number,
  file: string,
  line: number,
): { readonly field: string; readonly at: number; readonly lineEnds: number } {
  let at = from + 1;
  let field = '';
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1) {
      throw broken(file, line, 'a quoted field that starts here has no closing quote', 'close it');
    }
    field += text.slice(at, quote);
    at = quote + 1;
    if (text[at] !== '"') return { field, at, lineEnds: field.split('\n').length - 1 };
    field += '"';
    at++;
  }
}

function readJsonLines(text: string, file: string, columns: readonly string[], take: Take): void {
  const steps = columns.map((column) => column.split('.'));
  let line = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const written = text.slice(at, end === -1 ? text.length : end).trim();
    at = end === -1 ? text.length : end + 1;
    line++;
    if (written === '') continue;
    const row = readObject(written, file, line);
    take(
      steps.map((path, index) => {
        const value = valueIn(row, columns[index]!, path);
        if (isInexact(value)) {
          const found = `the number in "${columns[index]}" is beyond ${formatCount(Number.MAX_SAFE_INTEGER)} and would be sent as another one`;
          throw broken(file, line, found, 'write it as text, in quotes');
        }
        if (value !== undefined) return typeof value === 'object' ? asJson(value) : value;
        const way = `give every line that column; this one has ${Object.keys(row).slice(0, 12).join(', ')}`;
        throw broken(file, line, `no "${columns[index]}", which a request names`, way);
      }),
      line,
    );
  }
}

function readObject(written: string, file: string, line: number): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch {
    throw broken(file, line, 'this is no JSON', 'give one object a line such as {"id": 7}');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw broken(file, line, 'this is no JSON object', 'give one object a line such as {"id": 7}');
  }
  return value as Record<string, unknown>;
}

type JsonValue = FeedValue | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** The value of a column: a name as it is, or a way into objects. */
function valueIn(
  row: Readonly<Record<string, unknown>>,
  column: string,
  steps: readonly string[],
): JsonValue | undefined {
  let value: unknown = row;
  if (Object.hasOwn(row, column)) value = row[column];
  else
    for (const step of steps) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
      value = (value as Record<string, unknown>)[step];
    }
  return value as JsonValue;
}

/** An object or a list is its JSON text. */
const asJson = (value: JsonValue): FeedValue => (value === null ? null : JSON.stringify(value));

/** Whether a number was changed when it was read: whole ones beyond 2⁵³ are rounded, far larger ones become infinite. */
function isInexact(value: JsonValue | undefined): boolean {
  if (typeof value === 'number') {
    return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
  }
  return typeof value === 'object' && value !== null && Object.values(value).some(isInexact);
}

function broken(file: string, line: number, what: string, hint: string): TailgateError {
  return problem(file, `line ${line}: ${what}`, hint);
}

function problem(file: string, what: string, hint: string): TailgateError {
  return new TailgateError({ code: 'usage', message: `the feed ${file}: ${what}`, hint });
}
