/** Go benchmark text (`go test -bench`), also inside `go test -json`; shape from the samples and golang.org's benchmark format. */
import type { Direction } from '../../kernel/words.ts';
import type { Adapter, AdapterResult, BenchDocument } from './adapter.ts';
import { isRecord, textAt } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

const resultLine = /^(Benchmark\S*)\s+(\d+)\s+(\S+\s+\S.*)$/;
const restOfResult = /^\s*(\d+)\s+(\S+\s+\S+\/op\b.*)$/;
const packageEnd = /^(?:ok|FAIL)\s+(\S+)\s/;
const settingLine = /^([a-z][^\s:A-Z]*):\s+(.*\S)\s*$/;

interface Series {
  readonly name: string;
  readonly pkg: string | null;
  /** What the `key: value` lines above said, but for the package and the machine. */
  readonly settings: ReadonlyMap<string, string>;
  /** Values by unit, in the order of the columns; one value a repetition. */
  readonly columns: Map<string, string[]>;
  readonly failed: boolean;
  /** From the `ok <package>` line below, where old versions of Go print no `pkg:` line. */
  readonly origin: string | null;
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
  const { series, better } = seriesOf(textOf(document).split('\n'));
  const sheet = new RowSheet();
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
    if (one.failed) {
      sheet.add({ name, quantity: quantityOf('ns/op'), problem: 'Go says FAIL', origin: one.origin });
    }
    [...one.columns].forEach(([unit, values], index) => {
      const direction = better.get(unit);
      sheet.add({
        name: index === 0 ? name : `${name} [${unit}]`,
        quantity: quantityOf(unit),
        samples: values,
        value: values.length === 1 ? values[0] : undefined,
        ...(direction === undefined ? {} : { direction }),
        origin: one.origin,
      });
    });
  }
  return sheet.result();
}

function seriesOf(lines: readonly string[]): {
  readonly series: readonly Series[];
  readonly better: ReadonlyMap<string, Direction>;
} {
  const series = new Map<string, Series>();
  const better = new Map<string, Direction>();
  const settings = new Map<string, string>();
  const owners = ownersOf(lines);
  let pkg: string | null = null;
  let owner: string | null = null;
  let pending: string | null = null;

  const seriesFor = (name: string, failed: boolean): Series => {
    const origin = pkg === null ? owner : null;
    const key = JSON.stringify([name, pkg, origin, [...settings], failed]);
    const known = series.get(key);
    if (known !== undefined) return known;
    const fresh = { name, pkg, settings: new Map(settings), columns: new Map(), failed, origin };
    series.set(key, fresh);
    return fresh;
  };
  const addColumns = (name: string, text: string): void => {
    const { columns } = seriesFor(name, false);
    const words = text.trim().split(/\s+/);
    for (let index = 0; index + 1 < words.length; index += 2) {
      const unit = words[index + 1]!;
      const values = columns.get(unit) ?? [];
      columns.set(unit, values);
      values.push(words[index]!);
    }
  };

  for (const [index, line] of lines.entries()) {
    owner = owners[index]!;
    const result = resultLine.exec(line);
    const rest = pending === null ? null : restOfResult.exec(line);
    const failed = /^\s*--- FAIL: (Benchmark\S*)/.exec(line)?.[1];
    const setting = settingLine.exec(line);
    const unit = /^Unit (\S+) .*\bbetter=(higher|lower)\b/.exec(line);
    if (result !== null) {
      addColumns(result[1]!, result[3]!);
      pending = null;
    } else if (rest !== null && pending !== null) {
      addColumns(pending, rest[2]!);
      pending = null;
    } else if (/^Benchmark\S*(\s|$)/.test(line)) {
      // A benchmark that prints: its figures follow on a line of their own.
      pending = line.split(/\s/, 1)[0]!;
    } else if (failed !== undefined) {
      seriesFor(failed, true);
      pending = null;
    } else if (unit !== null) {
      better.set(unit[1]!, unit[2] === 'higher' ? 'bigger-is-better' : 'smaller-is-better');
    } else if (setting?.[1] === 'pkg') {
      pkg = setting[2]!;
    } else if (setting !== null && !['goos', 'goarch', 'cpu', 'coverage'].includes(setting[1]!)) {
      settings.set(setting[1]!, setting[2]!);
    } else if (packageEnd.test(line)) {
      pkg = null;
    }
  }
  return { series: [...series.values()], better };
}

/** For every line, the package that the next `ok` line below it names; null below the last one. */
function ownersOf(lines: readonly string[]): readonly (string | null)[] {
  const owners: (string | null)[] = [];
  let owner: string | null = null;
  for (let index = lines.length - 1; index >= 0; index--) {
    owner = packageEnd.exec(lines[index]!)?.[1] ?? owner;
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
