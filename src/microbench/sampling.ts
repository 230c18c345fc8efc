/**
 * One function in one pair of processes: warmed, sampled in quads of both sides, and brought down to one value a side.
 * Short samples in quick turns: what the machine does besides lasts longer than a quad and so meets both sides alike.
 */
import type { Nanoseconds } from '../kernel/units.ts';
import { msToNs, ns } from '../kernel/units.ts';
import { otherSide, type Side } from '../kernel/words.ts';
import type { Random } from '../kernel/world.ts';
import type { BenchResult, SideResult } from './evidence.ts';
import type { Collection, FunctionName } from './protocol.ts';
import type { Answer, SideProcess } from './side-process.ts';

/** How many calls a sample has and how many samples there are, the same on both sides and in every round. */
export interface Sampling {
  readonly iterations: number;
  /** Calls in a block of the warm-up. */
  readonly warmUpIterations: number;
  /** A side and round; a multiple of 4. */
  readonly samples: number;
  /** Whether the whole heap is collected again after some samples, or only before the first. */
  readonly collectFully: 'often' | 'once';
}

export interface FunctionPlan extends Sampling {
  readonly name: string;
  readonly benchmark: FunctionName;
}

/** Long enough that the resolution of the clocks (1 µs for CPU time) is 0.1 % of a sample. */
export const sampleTarget = msToNs(1);
/** Of all samples of a benchmark on one side in a round: slow ones get fewer. */
const samplesTarget = msToNs(250);
const samplesBounds = { least: 4, most: 96 };
/** Every sample is preceded by a collection of the young generation; the whole heap is collected before this many. */
const samplesPerCollection = 32;
/** A full collection that takes longer than this is left to the beginning of a round. */
const longCollection = msToNs(15);
/** Warm-up is work: blocks of this length, in turns, until the last two of both sides agree. */
const warmUp = { block: msToNs(4), least: 6, most: 24, agree: 0.05 };

/** What calibrating both sides, or the one that has the function, asks for: the quicker side's count stands for both. */
export function samplingOf(
  calibrated: readonly {
    readonly iterations: number;
    readonly elapsed: number;
    readonly collection: number;
  }[],
): Sampling {
  const iterations = Math.max(...calibrated.map((one) => one.iterations));
  const length = Math.max(1, ...calibrated.map((one) => (one.elapsed / one.iterations) * iterations));
  const { least, most } = samplesBounds;
  const wanted = Math.min(most, Math.max(least, Math.floor(samplesTarget / length)));
  return {
    iterations,
    warmUpIterations: iterations * Math.max(1, Math.round(warmUp.block / length)),
    samples: wanted - (wanted % 4),
    collectFully: calibrated.some((one) => one.collection > longCollection) ? 'once' : 'often',
  };
}

interface Sample {
  readonly wall: Nanoseconds;
  readonly cpu: Nanoseconds;
}

type Take = (side: Side, iterations: number, collect: Collection) => Promise<Sample | null>;

/** @param first the side that begins. */
export async function measureInTurns(
  processes: Readonly<Record<Side, SideProcess>>,
  plan: FunctionPlan,
  first: Side,
  random: Random,
): Promise<BenchResult> {
  const { benchmark, iterations } = plan;
  const order = [first, otherSide(first)];
  const digests: Partial<Record<Side, string | null>> = {};
  const failures: Partial<Record<Side, Extract<Answer, { kind: 'problem' }>>> = {};
  for (const side of order) {
    const answer = await processes[side].ask({ kind: 'begin', benchmark });
    if (answer.kind === 'problem') failures[side] = answer;
    if (answer.kind === 'begun') digests[side] = answer.digest;
  }
  const take: Take = async (side, count, collect) => {
    if (Object.keys(failures).length > 0) return null;
    const answer = await processes[side].ask({ kind: 'sample', benchmark, iterations: count, collect });
    if (answer.kind === 'problem') failures[side] = answer;
    return answer.kind === 'sampled' ? answer : null;
  };
  await warm(order, plan.warmUpIterations, take);
  const samples: Record<Side, Sample[]> = { baseline: [], candidate: [] };
  for (const [index, side] of quads(plan.samples, random).entries()) {
    if (index % (2 * samplesPerCollection) === 0 && (index === 0 || plan.collectFully === 'often')) {
      // Thrown away: what a full collection leaves cold is not what the samples after it find.
      for (const one of order) await take(one, iterations, 'full');
    }
    const sample = await take(side, iterations, 'minor');
    if (sample !== null) samples[side].push(sample);
  }
  const failureOf = (side: Side): SideResult | null => {
    const failure = failures[side];
    if (failure !== undefined) return { kind: 'failed', reason: `it ${failure.reason}` };
    return failures[otherSide(side)] === undefined ? null : { kind: 'unmeasured' };
  };
  const walls = (side: Side): readonly number[] => samples[side].map((sample) => sample.wall / iterations);
  const values = valuesInTurns(walls('baseline'), walls('candidate'));
  const resultOf = (side: Side): SideResult => {
    const cpu = ns(median(samples[side].map((sample) => sample.cpu / iterations)));
    const digest = digests[side] ?? null;
    return { kind: 'measured', value: values[side], samples: walls(side), cpu, digest };
  };
  return {
    name: plan.name,
    baseline: failureOf('baseline') ?? resultOf('baseline'),
    candidate: failureOf('candidate') ?? resultOf('candidate'),
  };
}

async function warm(order: readonly Side[], iterations: number, take: Take): Promise<void> {
  const last: Record<Side, number> = { baseline: Number.NaN, candidate: Number.NaN };
  for (let block = 0; block < warmUp.most; block++) {
    let steady = true;
    for (const side of order) {
      const sample = await take(side, iterations, 'none');
      if (sample === null) return;
      // CPU time is what settles: wall time jumps whenever the machine does something else.
      const now = Math.max(1, sample.cpu);
      steady &&= Math.abs(now / last[side] - 1) <= warmUp.agree;
      last[side] = now;
    }
    if (steady && block + 1 >= warmUp.least) return;
  }
}

/** Equally many ABBA and BAAB, shuffled: two samples of each side in a quad, `samples` of each side in all. */
export function quads(samples: number, random: Random): readonly Side[] {
  const all = Array.from({ length: samples / 2 }, (_, index): readonly Side[] =>
    index % 2 === 0
      ? ['baseline', 'candidate', 'candidate', 'baseline']
      : ['candidate', 'baseline', 'baseline', 'candidate'],
  );
  return random.shuffle(all).flat();
}

/**
 * One value a side. Their ratio is the median, over the quads, of candidate over baseline within a quad, which knows
 * nothing of what the machine did between quads; their geometric mean is that of the medians of all samples.
 * @param baseline samples in the order taken, two a quad, as many as `candidate` has; the same unit comes back.
 */
export function valuesInTurns(
  baseline: readonly number[],
  candidate: readonly number[],
): Readonly<Record<Side, number>> {
  const medians = { baseline: median(baseline), candidate: median(candidate) };
  const changes: number[] = [];
  for (let index = 0; index + 1 < baseline.length; index += 2) {
    const of = (samples: readonly number[]): number =>
      Math.log(samples[index]!) + Math.log(samples[index + 1]!);
    changes.push((of(candidate) - of(baseline)) / 2);
  }
  const half = median(changes) / 2;
  const level = Math.sqrt(medians.baseline * medians.candidate);
  // A clock that stood still for a whole sample has no logarithm.
  if (!Number.isFinite(half) || level === 0) return medians;
  return { baseline: level * Math.exp(-half), candidate: level * Math.exp(half) };
}

/** Mean of the middle two for an even count; NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
