/** `tailgate merge *.json`: several load results as one, with true percentiles and what averaging would have said. */
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Merged, type MergePart, mergeParts, partOfCounts, readPart } from '../evidence/merge.ts';
import { evidenceLimit } from '../evidence/store.ts';
import { messageOf } from '../kernel/errors.ts';
import { bytes, formatBytes, formatCount, formatDuration, msToNs } from '../kernel/units.ts';
import { type PercentileName, percentileNames, type Side, sides } from '../kernel/words.ts';
import { readHdrLog } from '../microbench/adapters/hdr-log.ts';
import { visible } from '../report/escape.ts';
import { type Command, type FlagValues, type Terminal, text, usage } from './command.ts';
import { table } from './figures.ts';
import { outputFile } from './output-file.ts';

export const merge: Command = {
  name: 'merge',
  usage: 'merge FILE FILE... [--json FILE]',
  summary: 'Adds the histograms of several load results up: percentiles of all requests, never averaged.',
  flags: {
    side: {
      type: 'string',
      value: 'candidate',
      help: 'whose slices of an evidence file; candidate unless given',
    },
    scenario: { type: 'string', value: 'NAME', help: 'which scenario of an evidence file that has several' },
    json: { type: 'string', value: 'FILE', help: 'also write the sum as JSON; it can be merged again' },
  },
  positionals: { least: 2, most: 1000 },
  run: async (flags, names, terminal) => {
    const choice = { side: readSide(flags), scenario: text(flags, 'scenario') ?? null };
    const json = text(flags, 'json');
    const resultFile = json === undefined ? null : outputFile(terminal, 'json', json);
    const files = names.map((name) => readSource(name, terminal));
    refuseTwice(files);
    const parts = files.map(({ name, source }) =>
      isLog(source) ? readLog(name, source) : readPart(name, source, choice),
    );
    refuseContained(files, parts);
    const merged = mergeParts(parts);
    const hashed = merged.files.map((file, index) => ({ ...file, sha256: files[index]!.sha256 }));
    const contained = parts.flatMap((part) => part.contains).map((sha256) => ({ sha256 }));
    resultFile?.write(`${JSON.stringify({ ...merged, files: [...hashed, ...contained] }, null, 2)}\n`);
    terminal.print(mergeText(merged));
    return 0;
  },
};

interface SourceFile {
  readonly name: string;
  /** With links followed. */
  readonly path: string;
  readonly source: string;
  readonly sha256: string;
}

function readSource(name: string, terminal: Terminal): SourceFile {
  const given = resolve(terminal.directory, name);
  const stat = statSync(given, { throwIfNoEntry: false });
  if (stat === undefined)
    throw usage(merge, `"${name}" does not exist; it wants files of \`tailgate load --json\``);
  if (!stat.isFile())
    throw usage(merge, `"${name}" is not a file; name the files in it, such as ${name}/*.json`);
  if (stat.size > evidenceLimit) {
    throw usage(
      merge,
      `"${name}" holds ${formatBytes(bytes(stat.size))}, at most ${formatBytes(evidenceLimit)} are read`,
    );
  }
  try {
    const source = readFileSync(given, 'utf8');
    const sha256 = createHash('sha256').update(source).digest('hex');
    return { name, path: realpathSync(given), source, sha256 };
  } catch (error) {
    throw usage(merge, `"${name}" cannot be read: ${messageOf(error)}`);
  }
}

/** A file that counts twice would weigh twice: under the same path, under a link, or as a copy. */
function refuseTwice(files: readonly SourceFile[]): void {
  files.forEach((file, index) => {
    const twin = files.slice(0, index).find((one) => one.path === file.path || one.sha256 === file.sha256);
    if (twin === undefined) return;
    const how =
      twin.name === file.name ? 'is named twice' : `is the same file as "${twin.name}", or a copy of it`;
    throw usage(merge, `"${file.name}" ${how}: its requests would count twice; name it once`);
  });
}

/** A sum named beside what was added up to it, as a pattern such as *.json easily does. */
function refuseContained(files: readonly SourceFile[], parts: readonly MergePart[]): void {
  const seen = new Map(files.map((file) => [file.sha256, file.name]));
  for (const part of parts) {
    for (const sha256 of part.contains) {
      const twin = seen.get(sha256);
      if (twin !== undefined) {
        throw usage(
          merge,
          `"${part.name}" already contains "${twin}": its requests would count twice; leave one out`,
        );
      }
      seen.set(sha256, part.name);
    }
  }
}

function isLog(source: string): boolean {
  const start = source.slice(0, 4096);
  return !/^\s*\{/.test(start) && /^(#\[|"StartTimestamp"|(Tag=[^,\n]*,)?[\d.]+,)/m.test(start);
}

function readLog(name: string, source: string): MergePart {
  const { tags, broken, scale } = readHdrLog(source.split(/\r?\n/));
  if (broken.count > 0) {
    throw usage(merge, `"${name}" is cut off or broken: ${broken.first}; write it again, or leave it out`);
  }
  if (scale === null) {
    throw usage(
      merge,
      `"${name}" does not tell the unit of its values: its largest ones fit neither micro- nor nanoseconds; leave it out`,
    );
  }
  const counts = [...tags.values()].flatMap((histogram) => histogram.buckets);
  const many = tags.size > 1 ? [`${name}: ${tags.size} tags were added up`] : [];
  return partOfCounts(name, counts, scale, many);
}

function readSide(flags: FlagValues): Side {
  const given = text(flags, 'side') ?? 'candidate';
  const side = sides.find((one) => one === given);
  if (side === undefined) throw usage(merge, `--side is "${given}"; it wants baseline or candidate`);
  return side;
}

/** The sentence that matters, then every percentile: of the sum, averaged, and of each file. */
export function mergeText(merged: Merged): string {
  const { responseTimeMs, averagedMs, files, model, measuredFrom } = merged;
  const time = (value: number | null): string => (value === null ? '–' : formatDuration(msToNs(value)));
  const row = (
    name: string,
    values: Readonly<Record<PercentileName, number | null>>,
    more: readonly string[],
  ) => [name, ...percentileNames.map((one) => time(values[one])), ...more];
  return [
    `p99 of all ${formatCount(responseTimeMs.count)} requests in ${files.length} files is ${time(responseTimeMs.p99)}; averaging their p99 would have said ${time(averagedMs.p99)}.`,
    '',
    table(
      [
        { title: '', align: 'left', flexible: true },
        ...percentileNames.map(
          (name) => ({ title: name === 'p999' ? 'p99.9' : name, align: 'right' }) as const,
        ),
        { title: 'max', align: 'right' },
        { title: 'requests', align: 'right' },
      ],
      [
        row('all requests', responseTimeMs, [time(responseTimeMs.max), formatCount(responseTimeMs.count)]),
        row('averaged (wrong)', averagedMs, ['', '']),
        ...files.map(({ name, responseTimeMs: own }) =>
          row(visible(name), own, [time(own.max), formatCount(own.count)]),
        ),
      ],
    ),
    '',
    model === 'unknown'
      ? 'HdrHistogram logs do not tell their load model; that these were measured alike is for you to know'
      : `${model} loop, latency from ${measuredFrom === 'send' ? 'the send; it does not meet open-loop numbers' : 'the intended time'}`,
    ...merged.remarks.map((remark) => visible(remark, 300)),
  ].join('\n');
}
