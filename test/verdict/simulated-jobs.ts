/** Whole jobs on a simulated machine: the product's plan, order of slices and judge; only the shots are made up. */
import type { JobPlan, ScenarioPlan } from '../../src/config/plan.ts';
import { planJob } from '../../src/config/planner.ts';
import { readConfig } from '../../src/config/read.ts';
import { planRound, sliceRandom } from '../../src/config/rounds.ts';
import { typicalAssumptions } from '../../src/config/timing.ts';
import type { Evidence, Round, Trial } from '../../src/evidence/trial.ts';
import { ns } from '../../src/kernel/units.ts';
import type { Side } from '../../src/kernel/words.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import type { SliceHistograms } from '../../src/load/protocol.ts';
import type { Progress, Verdict } from '../../src/verdict/finding.ts';
import { judge } from '../../src/verdict/judge.ts';
import { leastRounds, lookRounds } from '../../src/verdict/looks.ts';
import type { ReadSlice, SlicePercentiles, View } from '../../src/verdict/slices.ts';
import { evidenceOf, trialOf } from './evidence-builder.ts';
import { arrivals, type Change, Machine, type Played, type Runner } from './machine-model.ts';

/** What the product plans for a service at 800 requests a second with nothing else configured, or with `lines`. */
export function planOf(lines = ''): JobPlan {
  const text = `start: node server.js\nrate: 800\n${lines}`;
  const { config } = readConfig(text, { source: 'simulation', overrides: {}, environment: {} });
  return planJob(config, 1, typicalAssumptions, { lookRounds, leastRounds });
}

export interface Simulated {
  readonly verdict: Verdict;
  readonly evidence: Evidence;
}

export interface Setting {
  readonly runner: Runner;
  readonly change?: Change;
  readonly plan: JobPlan;
  /** Who runs when: the product's coins when left out. */
  readonly order?: typeof planRound;
  /** How a slice's shots become the histograms of its trial; figures alone when left out. */
  readonly keep?: (played: Played) => SliceHistograms;
  readonly read?: ReadSlice;
}

const nothing: SliceHistograms = { response: '', onTime: '', success: '', service: '', lateness: '' };
/** By the histograms that stand for a slice, as `readSlice` of the product keeps them too. */
const figures = new WeakMap<SliceHistograms, Readonly<Record<View, SlicePercentiles | null>>>();

export const readFigures: ReadSlice = (histograms, view) => figures.get(histograms)![view];
/** As if there were no on-time percentiles: either view is all shots. */
export const readAllShots: ReadSlice = (histograms) => figures.get(histograms)!['all-shots'];

function keepFigures(played: Played): SliceHistograms {
  const all = bucketsOf(played.responses);
  const onTime = new Uint16Array(all.length - played.lateCount);
  let kept = 0;
  for (let shot = 0; shot < all.length; shot++) if (played.late[shot] === 0) onTime[kept++] = all[shot]!;
  const histograms = { ...nothing };
  figures.set(histograms, { 'on-time': percentilesOf(onTime), 'all-shots': percentilesOf(all) });
  return histograms;
}

/**
 * The gate's work: measure what the judge asks for until it has decided. After the first look all rounds are measured
 * ahead, which changes no decision (jobs.test.ts) and saves the judge from taking every look again at the next.
 */
export function runJob(seed: string, setting: Setting): Simulated {
  const plan = { ...setting.plan, seed: seededRandom(seed).below(2 ** 31) };
  const machine = new Machine(setting.runner, setting.change ?? {}, seededRandom(`machine of ${seed}`));
  const options = { readSlice: setting.read ?? readFigures };
  const rounds: Round[] = [];
  const evidence: Evidence = { ...evidenceOf({ measuring: 0 }), plan, rounds };
  for (;;) {
    const progress: Progress = judge(evidence, options);
    if (progress.kind === 'decided') return { verdict: progress.verdict, evidence };
    const { phase, untilRounds, scenarios } = progress;
    const done = rounds.filter((round) => round.phase === phase).length;
    const until = phase === 'measuring' && done > 0 ? Math.max(plan.rounds, untilRounds) : untilRounds;
    for (let round = done; round < until; round++) {
      rounds.push(playRound(machine, { ...setting, plan }, { index: rounds.length, phase, scenarios }));
    }
  }
}

const template = evidenceOf({ measuring: 1 }).rounds[0]!;

/** @param round its scenarios are all of the plan, or those that are measured again. */
function playRound(
  machine: Machine,
  { plan, order = planRound, keep = keepFigures }: Setting,
  round: { readonly index: number; readonly phase: Round['phase']; readonly scenarios: readonly string[] },
): Round {
  const { index, phase } = round;
  const scenarios = plan.scenarios.filter(({ name }) => round.scenarios.includes(name));
  const random = seededRandom(plan.seed).fork(`troubles ${index}`);
  const due = new Map<string, Float64Array>();
  const trials: Trial[] = [];
  const spoilt = new Map<string, { scenario: ScenarioPlan; pair: number }>();
  const loaded = scenarios.reduce(
    (seconds, { slices, sliceRequests, rate }) =>
      seconds + (2 * slices * (sliceRequests + plan.leadIn)) / rate,
    0,
  );
  machine.beginRound(Math.max(0, plan.roundTime / 1e9 - loaded));
  const play = (
    scenario: ScenarioPlan,
    side: Side,
    pair: number,
    attempt: number,
    isFirst: boolean,
  ): void => {
    const { name, rate, sliceRequests } = scenario;
    const key = `${pair} ${name}`;
    const planned =
      due.get(key) ?? arrivals(rate, sliceRequests + plan.leadIn, sliceRandom(plan.seed, index, name, pair));
    due.set(key, planned);
    const played = machine.slice(side, planned, plan.leadIn, isFirst);
    const unsound = attempt === 0 && random.next() < 0.002;
    if (unsound) spoilt.set(key, { scenario, pair });
    const trial = trialOf(
      { scenario: name, side, round: index, pair, attempt },
      {
        cpu: played.cpu,
        late: played.lateCount,
        failed: random.next() < 0.1 ? 1 : 0,
        unsound: unsound ? ['generator-busy'] : [],
      },
    );
    trials.push({ ...trial, load: { ...trial.load, histograms: keep(played) } });
  };
  const byName = new Map(scenarios.map((scenario) => [scenario.name, scenario]));
  for (const [slot, { scenario, side, pair }] of order(plan, index, round.scenarios).slices.entries()) {
    play(byName.get(scenario)!, side, pair, 0, slot === 0);
  }
  for (const { scenario, pair } of spoilt.values()) {
    const first: Side = random.coin() ? 'baseline' : 'candidate';
    play(scenario, first, pair, 1, false);
    play(scenario, first === 'baseline' ? 'candidate' : 'baseline', pair, 1, false);
  }
  return { ...template, index, phase, startedAt: ns(index * plan.roundTime), trials };
}

/**
 * What a histogram of three digits keeps of a value: 1,024 buckets an octave, which are the exponent and the first
 * ten bits after the leading one of a float. Values from 256 ns to 2^40 ns.
 */
function bucketsOf(values: Float64Array): Uint16Array {
  const words = new Uint32Array(values.buffer);
  const buckets = new Uint16Array(values.length);
  for (let index = 0; index < values.length; index++) {
    buckets[index] = (words[2 * index + 1]! >>> 10) - lowestBucket;
  }
  return buckets;
}
const lowestBucket = (1023 + 8) << 10;

/** The upper end of a bucket. */
function endOf(bucket: number): number {
  const octave = bucket >> 10;
  return (1024 + (bucket & 1023) + 1) * 2 ** (octave + 8 - 10) - 1;
}

function percentilesOf(buckets: Uint16Array): SlicePercentiles | null {
  const count = buckets.length;
  if (count === 0) return null;
  sort(buckets);
  const at = (percent: number): number => endOf(buckets[Math.ceil((percent * count) / 100) - 1]!);
  return { p50: at(50), p90: at(90), p95: at(95), p99: at(99) };
}

const counts = new Uint32Array(256);
let spare = new Uint16Array(0);
/** By bytes, the lower one first: a level over thousands of jobs spends most of its time sorting otherwise. */
function sort(values: Uint16Array): void {
  if (spare.length < values.length) spare = new Uint16Array(values.length);
  for (const [from, to, shift] of [
    [values, spare, 0],
    [spare, values, 8],
  ] as const) {
    counts.fill(0);
    for (let index = 0; index < values.length; index++) counts[(from[index]! >> shift) & 255]!++;
    let place = 0;
    for (let byte = 0; byte < 256; byte++) {
      const next = place + counts[byte]!;
      counts[byte] = place;
      place = next;
    }
    for (let index = 0; index < values.length; index++) {
      const value = from[index]!;
      to[counts[(value >> shift) & 255]!++] = value;
    }
  }
}

/** What many jobs of one setting came to. */
export interface Tally {
  readonly jobs: number;
  readonly regression: number;
  readonly pass: number;
  readonly inconclusive: number;
  /** Anything else: the model should not bring it about. */
  readonly other: number;
  /** Jobs in which a look flagged something, confirmed or not. */
  readonly flagged: number;
  /** Rounds a job, confirmation not counted. */
  readonly rounds: number;
  readonly verdicts: readonly Verdict[];
}

/** Jobs with seeds of their own, named after the setting; prints a line, which is the source of docs/method.md. */
export function tallyOf(name: string, jobs: number, setting: Setting): Tally {
  const verdicts = Array.from({ length: jobs }, (_, job) => runJob(`${name} ${job}`, setting).verdict);
  const countOf = (is: (verdict: Verdict) => boolean): number => verdicts.filter(is).length;
  const [regression, pass, inconclusive] = (['regression', 'pass', 'inconclusive'] as const).map((outcome) =>
    countOf((verdict) => verdict.outcome === outcome),
  ) as [number, number, number];
  const tally = {
    jobs,
    regression,
    pass,
    inconclusive,
    other: jobs - regression - pass - inconclusive,
    flagged: countOf((verdict) => verdict.findings.some((finding) => finding.confirmation !== 'not-needed')),
    rounds: verdicts.reduce((sum, verdict) => sum + verdict.rounds.measured, 0) / jobs,
    verdicts,
  };
  console.log(
    `${name}: ${jobs} jobs, ${regression} regression, ${pass} pass, ${inconclusive} inconclusive, ${tally.flagged} flagged, ${tally.rounds.toFixed(1)} rounds`,
  );
  return tally;
}
