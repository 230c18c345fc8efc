/** Go benchmark text (`go test -bench`), also inside `go test -json`; shape from the samples and golang.org's benchmark format. */
import type { Direction } from '../../kernel/words.ts';
import type { Adapter, AdapterResult, BenchDocument } from './adapter.ts';
import { isRecord, textAt } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

const resultLine = /^(Benchmark\S*)\s+(\d+)\s+(\S+\s+\S.*)$/;
const restOfResult = /^\s*(\d+)\s+(\S+\s+\S+\/op\b.*)$/;
const packageEnd = /^(ok|FAIL)\s+(\S+)\s(.*)$/;
const usualUnits = ['ns/op', 'MB/s', 'B/op', 'allocs/op'];
/** The name of a benchmark function goes on with anything but a small letter, unlike `Benchmarking …`. */
const beginning = /^Benchmark(?!\p{Ll})\S*(?=\s|$)/u;
const settingLine = /^([a-z][^\s:A-Z]*):\s+(.*\S)\s*$/;

interface Series {
  readonly name: string;
  readonly pkg: string | null;
  /** What the `key: value` lines above said, but for the package and the machine. */
  readonly settings: ReadonlyMap<string, string>;
  /** Values by unit, in the order of the columns; one value a repetition. */
  readonly columns: Map<string, string[]>;
  /** Why the whole benchmark is not used, whatever else was read of it. */
  problem: string | null;
  /** From the `ok <package>` line below, where old versions of Go print no `pkg:` line. */
  readonly origin: string | null;
}

/** A benchmark whose figures have not come yet. */
interface Pending {
  readonly name: string;
  /** By a line of `go test -v` that is its name alone. */
  readonly announced: boolean;
}

export const goBench: Adapter = {
  format: 'go-bench',
  title: 'Go benchmark text (go test -bench)',
  shape: 'text-or-json',
  recognises: (document) => {
    const text = textOf(document);
    if (/^Benchmark\S*\s+\d+\s+\S+\s+ns\/op/m.test(text)) return 1;
    if (/^Benchmark\S*(-\d+)?\s+\d+\s+[\d.]+\s+\S+/m.test(text)) return 0.8;
    return /^goos: /m.test(text) ||
      /^(ok|FAIL)\s+\S+\s+[\d.]+s$/m.test(text) ||
      /^\?\s+\S+\s+\[no test files\]$/m.test(text)
      ? 0.5
      : 0;
  },
  read,
};

/** `go test -json` cuts lines into events; put together they are the plain text, package by package. */
function textOf(document: BenchDocument): string {
  const [first] = document.json;
  if (!isRecord(first) || textAt(first, 'Action') === null) return document.text;
  const packages = new Map<string, string>();
  for (const event of document.json) {
    const output = textAt(event, 'Output');
    const pkg = textAt(event, 'Package') ?? '';
    if (output !== null) packages.set(pkg, (packages.get(pkg) ?? '') + output);
  }
  return [...packages].map(([pkg, text]) => `pkg: ${pkg}\n${text}`).join('\n');
}

function read(document: BenchDocument): AdapterResult {
  const sheet = new RowSheet();
  const { series, better } = seriesOf(textOf(document).split('\n'), sheet);
  const twins = new Map<string, Series[]>();
  for (const one of series) {
    const key = JSON.stringify([one.pkg, one.origin, one.name]);
    const known = twins.get(key) ?? [];
    twins.set(key, known);
    known.push(one);
  }
  for (const one of series) {
    const same = twins.get(JSON.stringify([one.pkg, one.origin, one.name]))!;
    const name = `${one.name}${one.pkg === null ? '' : ` (${one.pkg})`}${difference(one, same)}`;
    if (one.columns.size === 0) one.columns.set('ns/op', []);
    [...one.columns].forEach(([unit, values], index) => {
      const direction = better.get(unit);
      sheet.add({
        name: index === 0 ? name : `${name} [${unit}]`,
        quantity: quantityOf(unit),
        samples: values,
        value: values.length === 1 ? values[0] : undefined,
        ...(direction === undefined ? {} : { direction }),
        problem: one.problem,
        origin: one.origin,
      });
    });
  }
  return sheet.result();
}

function seriesOf(
  lines: readonly string[],
  sheet: RowSheet,
): {
  readonly series: readonly Series[];
  readonly better: ReadonlyMap<string, Direction>;
} {
  const series = new Map<string, Series>();
  const better = new Map<string, Direction>();
  const settings = new Map<string, string>();
  const owners = ownersOf(lines);
  let pkg: string | null = null;
  let owner: string | null = null;
  let pending: Pending | null = null;

  const seriesFor = (name: string): Series => {
    const origin = pkg === null ? owner : null;
    const key = JSON.stringify([name, pkg, origin, [...settings]]);
    const known = series.get(key);
    if (known !== undefined) return known;
    const fresh = { name, pkg, settings: new Map(settings), columns: new Map(), problem: null, origin };
    series.set(key, fresh);
    return fresh;
  };
  const addColumns = (one: Series, text: string, last: boolean): void => {
    const words = text.trim().split(/\s+/);
    for (let index = 0; index + 1 < words.length; index += 2) {
      const unit = words[index + 1]!;
      const values = one.columns.get(unit) ?? [];
      one.columns.set(unit, values);
      values.push(words[index]!);
    }
    const end = words.at(-1)!;
    const half = last && usualUnits.some((unit) => unit.startsWith(end) && unit !== end);
    if (words.length % 2 === 1 || half) one.problem ??= `its line is cut off after "${end}"`;
  };
  const noResult = (wellEnded: boolean): void => {
    // Go announces also what only holds other benchmarks, and has no figures of its own.
    if (pending !== null && !(pending.announced && wellEnded)) {
      seriesFor(pending.name).problem ??= 'no result follows its name; was it stopped, or did it panic?';
    }
    pending = null;
  };

  for (const [index, line] of lines.entries()) {
    owner = owners[index]!;
    const last = index === lines.length - 1;
    const result = resultLine.exec(line);
    const rest = pending === null ? null : restOfResult.exec(line);
    const begun = beginning.exec(line)?.[0];
    const other = /^(?:Benchmark\S*)?\s*--- (FAIL|SKIP): (Benchmark\S*)/.exec(line);
    const setting = settingLine.exec(line);
    const unit = /^Unit (\S+) .*\bbetter=(higher|lower)\b/.exec(line);
    const end = packageEnd.exec(line);
    if (begun !== undefined && other === null) noResult(true);
    if (result !== null) {
      addColumns(seriesFor(result[1]!), result[3]!, last);
    } else if (rest !== null && pending !== null) {
      addColumns(seriesFor((pending as Pending).name), rest[2]!, last);
      pending = null;
    } else if (other !== null) {
      if (other[1] === 'FAIL') seriesFor(other[2]!).problem = 'Go says FAIL';
      pending = null;
    } else if (begun !== undefined) {
      // A benchmark that prints: its figures follow on a line of their own.
      pending = { name: begun, announced: line === begun };
    } else if (unit !== null) {
      better.set(unit[1]!, unit[2] === 'higher' ? 'bigger-is-better' : 'smaller-is-better');
    } else if (setting?.[1] === 'pkg') {
      noResult(false);
      pkg = setting[2]!;
    } else if (setting !== null && !['goos', 'goarch', 'cpu', 'coverage'].includes(setting[1]!)) {
      settings.set(setting[1]!, setting[2]!);
    } else if (end !== null) {
      noResult(end[1] === 'ok');
      pkg = null;
      if (end[1] === 'FAIL') {
        const why = /\[(.+)\]/.exec(end[3]!)?.[1];
        sheet.warn(
          'package-failed',
          `Go says FAIL of ${end[2]}${why === undefined ? '' : ` (${why})`}: benchmarks of it may be missing`,
        );
      }
    }
  }
  noResult(false);
  return { series: [...series.values()], better };
}

/** For every line, the package that the next `ok` line below it names; null below the last one. */
function ownersOf(lines: readonly string[]): readonly (string | null)[] {
  const owners: (string | null)[] = [];
  let owner: string | null = null;
  for (let index = lines.length - 1; index >= 0; index--) {
    owner = packageEnd.exec(lines[index]!)?.[2] ?? owner;
    owners[index] = owner;
  }
  return owners;
}

/** ` (note: before)` where the same benchmark of the same package was measured under several settings. */
function difference(one: Series, twins: readonly Series[]): string {
  const keys = [...new Set(twins.flatMap((twin) => [...twin.settings.keys()]))];
  const telling = keys.filter((key) => new Set(twins.map((twin) => twin.settings.get(key))).size > 1);
  if (telling.length === 0) return '';
  return ` (${telling.map((key) => `${key}: ${one.settings.get(key) ?? 'none'}`).join(', ')})`;
}
