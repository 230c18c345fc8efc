/** Latencies of several load results added up: true percentiles, and what averaging theirs would have said. Pure. */
import { TailgateError } from '../kernel/errors.ts';
import { ns } from '../kernel/units.ts';
import type { PercentileName, Side } from '../kernel/words.ts';
import { LatencyHistogram } from './histogram.ts';
import { evidenceSchema } from './job-form.ts';
import { type PercentilesMs, percentilesMs } from './load-summary.ts';
import { isObject, shown } from './shape.ts';
import { parse } from './store.ts';

/** From when a latency counts; a log of another tool does not tell. */
export type MeasuredFrom = 'intended' | 'send' | 'unknown';

/** What one file holds. */
export interface MergePart {
  /** As it was named. */
  readonly name: string;
  readonly histogram: LatencyHistogram;
  readonly measuredFrom: MeasuredFrom;
  /** A closed loop waits with the service: it is never added to an open one. */
  readonly loop: 'open' | 'closed' | 'unknown';
  readonly remarks: readonly string[];
  /** Hashes of the files that were already merged into this one. */
  readonly contains: readonly string[];
}

export interface Merged {
  readonly model: MergePart['loop'];
  readonly measuredFrom: MeasuredFrom;
  readonly responseTimeMs: PercentilesMs;
  /** The plain average of the files' percentiles: of no meaning, shown to be compared. */
  readonly averagedMs: Readonly<Record<PercentileName, number>>;
  readonly files: readonly { readonly name: string; readonly responseTimeMs: PercentilesMs }[];
  /** V2 compressed base64 of the sum, in nanoseconds. */
  readonly histogram: string;
  readonly histogramUnit: 'ns';
  readonly remarks: readonly string[];
}

/** Which trials of an evidence file are meant. */
export interface EvidenceChoice {
  readonly side: Side;
  /** null when it has only one. */
  readonly scenario: string | null;
}

/**
 * Adds parts up.
 * @throws TailgateError `usage` when open and closed loops, or latencies from different moments, are mixed.
 */
export function mergeParts(parts: readonly MergePart[]): Merged {
  const { loop, measuredFrom } = parts[0]!;
  for (const part of parts) {
    if (part.loop === loop && part.measuredFrom === measuredFrom) continue;
    throw new TailgateError({
      code: 'usage',
      message: `"${parts[0]!.name}" is ${kindOf(parts[0]!)}, "${part.name}" is ${kindOf(part)}: their latencies do not mean the same`,
      hint: 'Merge files of one load model; measure the others again with the same --model.',
    });
  }
  const files = parts.map(({ name, histogram }) => ({
    name,
    responseTimeMs: percentilesMs(histogram.encode()),
  }));
  const sum = LatencyHistogram.merged(parts.map((part) => part.histogram));
  const averaged = (name: PercentileName): number =>
    files.reduce((total, file) => total + file.responseTimeMs[name]!, 0) / files.length;
  return {
    model: loop,
    measuredFrom,
    responseTimeMs: percentilesMs(sum.encode()),
    averagedMs: {
      p50: averaged('p50'),
      p90: averaged('p90'),
      p95: averaged('p95'),
      p99: averaged('p99'),
      p999: averaged('p999'),
    },
    files,
    histogram: sum.encode(),
    histogramUnit: 'ns',
    remarks: parts.flatMap((part) => part.remarks),
  };
}

function kindOf({ loop, measuredFrom }: MergePart): string {
  if (loop === 'unknown') return 'a log that does not tell its load model';
  return `${loop === 'open' ? 'an open loop' : 'a closed loop'} measured from ${measuredFrom === 'send' ? 'the send' : 'the intended time'}`;
}

/**
 * Reads a result of `tailgate load --json`, of `tailgate merge --json`, or the evidence of a job.
 * @throws TailgateError `usage` naming the file and what is wrong with it.
 */
export function readPart(name: string, source: string, choice: EvidenceChoice): MergePart {
  const data = readObject(name, source);
  if (data['schema'] === evidenceSchema) return readEvidence(name, source, choice);
  const { histogram, histogramUnit, measuredFrom, model } = data;
  if (typeof histogram !== 'string') {
    refuse(
      name,
      `holds no histogram: \`histogram\` is ${shown(histogram)}`,
      'It wants files of `tailgate load --json`, evidence of a job, or HdrHistogram logs; percentiles alone cannot be merged.',
    );
  }
  if (histogramUnit !== undefined && histogramUnit !== 'ns') {
    refuse(
      name,
      `has \`histogramUnit\` ${shown(histogramUnit)}, wanted "ns"`,
      'Write it again in nanoseconds.',
    );
  }
  if (measuredFrom !== 'intended' && measuredFrom !== 'send' && measuredFrom !== 'unknown') {
    refuse(
      name,
      `has \`measuredFrom\` ${shown(measuredFrom)}, wanted "intended" or "send"`,
      'Use the file as Tailgate wrote it.',
    );
  }
  const decoded = decodeOf(name, histogram);
  const times = data['responseTimeMs'];
  const counted = isObject(times) ? times['count'] : undefined;
  if (counted !== decoded.count) {
    refuse(
      name,
      `says ${shown(counted)} values in \`responseTimeMs.count\`, its histogram holds ${decoded.count}`,
      'The file was edited or cut; use it as Tailgate wrote it.',
    );
  }
  if (decoded.count === 0) refuse(name, 'holds an empty histogram', 'Leave it out.');
  return {
    name,
    histogram: decoded,
    measuredFrom,
    // Results written before there were models are of open loops.
    loop:
      model === 'closed' || model === 'closed-intended' ? 'closed' : model === 'unknown' ? 'unknown' : 'open',
    remarks: [
      ...(data['sound'] === false ? [`${name} is unsound: ${listOf(data['reasons'])}`] : []),
      ...(data['partial'] === true ? [`${name} is partial: its run was stopped early`] : []),
    ],
    contains: hashesOf(data['files']),
  };
}

function readObject(name: string, source: string): Record<string, unknown> {
  let data: unknown;
  try {
    data = JSON.parse(source.replace(/^\uFEFF/, ''));
  } catch (cause) {
    const found = source.trim() === '' ? 'it is empty' : `it ends with ${shown(source.trimEnd().slice(-20))}`;
    throw new TailgateError({
      code: 'usage',
      message: `"${name}" is not whole JSON: ${found}`,
      hint: 'It may have been cut off while it was written or copied; copy it again, or leave it out.',
      cause,
    });
  }
  if (!isObject(data))
    refuse(name, `holds ${shown(data)}, not a result`, 'Name files of `tailgate load --json`.');
  return data;
}

function readEvidence(name: string, source: string, { side, scenario }: EvidenceChoice): MergePart {
  const evidence = inFile(name, () => parse(source));
  const names = evidence.plan.scenarios.map((one) => one.name);
  const wanted = scenario ?? (names.length === 1 ? names[0]! : null);
  if (wanted === null || !names.includes(wanted)) {
    refuse(
      name,
      `has the scenarios ${names.map((one) => `"${one}"`).join(', ')}${wanted === null ? '' : `, not "${wanted}"`}`,
      `Choose one: --scenario ${names[0]}`,
    );
  }
  const trials = evidence.rounds
    .flatMap((round) => round.trials)
    .filter((trial) => trial.side === side && trial.scenario === wanted && trial.unsound.length === 0);
  if (trials.length === 0) {
    refuse(
      name,
      `has no sound slice of "${wanted}" on the ${side}`,
      'Leave it out, or choose another --side.',
    );
  }
  return {
    name,
    histogram: LatencyHistogram.merged(trials.map(({ load }) => decodeOf(name, load.histograms.response))),
    measuredFrom: 'intended',
    loop: 'open',
    remarks: [`${name}: ${trials.length} slices of "${wanted}" on the ${side}`],
    contains: [],
  };
}

const decodeOf = (name: string, histogram: string): LatencyHistogram =>
  inFile(name, () => LatencyHistogram.decode(histogram));

/** Errors of one file among many name it. */
function inFile<Result>(name: string, read: () => Result): Result {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof TailgateError)) throw thrown;
    throw new TailgateError({
      code: 'usage',
      message: `"${name}" cannot be merged: ${thrown.message}`,
      hint: thrown.hint ?? 'Leave it out.',
      cause: thrown,
    });
  }
}

/** A foreign histogram, as counts by value in a unit of its own. */
export function partOfCounts(
  name: string,
  counts: readonly { readonly value: number; readonly count: number }[],
  nanosecondsPerUnit: number,
  remarks: readonly string[],
): MergePart {
  const histogram = new LatencyHistogram();
  for (const { value, count } of counts) histogram.recordMany(ns(value * nanosecondsPerUnit), count);
  if (histogram.count === 0) refuse(name, 'holds no values', 'Leave it out.');
  const clamped =
    histogram.clamped === 0 ? [] : [`${name}: ${histogram.clamped} values above 60 s count as 60 s`];
  return {
    name,
    histogram,
    measuredFrom: 'unknown',
    loop: 'unknown',
    remarks: [...remarks, ...clamped],
    contains: [],
  };
}

function hashesOf(files: unknown): readonly string[] {
  if (!Array.isArray(files)) return [];
  return files.flatMap((file) =>
    isObject(file) && typeof file['sha256'] === 'string' ? [file['sha256']] : [],
  );
}

function listOf(reasons: unknown): string {
  const words = Array.isArray(reasons) ? reasons.filter((one) => typeof one === 'string') : [];
  return words.length === 0 ? 'it does not say why' : words.join(', ');
}

function refuse(name: string, problem: string, hint: string): never {
  throw new TailgateError({ code: 'usage', message: `"${name}" ${problem}`, hint });
}
