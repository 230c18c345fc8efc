/** Small evidence for whole decisions: every slice says its figures outright, so that no histogram has to be inflated. */
import type { JobPlan, ScenarioPlan } from '../../src/config/plan.ts';
import type { JudgeSettings } from '../../src/config/settings.ts';
import type { Evidence, Round, RoundSide, Trial, UnsoundReason } from '../../src/evidence/trial.ts';
import { bytes, ns, perSecond, ratio } from '../../src/kernel/units.ts';
import type { Side } from '../../src/kernel/words.ts';
import { sides } from '../../src/kernel/words.ts';
import type { SliceHistograms } from '../../src/load/protocol.ts';
import { lookRounds } from '../../src/verdict/looks.ts';
import type { ReadSlice, SlicePercentiles } from '../../src/verdict/slices.ts';

export interface Where {
  readonly scenario: string;
  readonly side: Side;
  /** Counts all rounds of the job, confirmation included. */
  readonly round: number;
  readonly pair: number;
  /** 0, or 1 for the replacement of an unsound pair. */
  readonly attempt: number;
}

export interface Figures {
  readonly p50: number;
  readonly p99: number;
  readonly allP50?: number;
  readonly allP99?: number;
  /** CPU a request, and of the whole slice while idle. */
  readonly cpu: number | null;
  readonly failed: number;
  readonly timedOut: number;
  readonly unfinished: number;
  readonly late: number;
  readonly saturated: boolean;
  readonly unsound: readonly UnsoundReason[];
  readonly statuses: Readonly<Record<string, number>> | null;
  readonly errors: Readonly<Record<string, number>>;
  readonly bodyBytes: number;
  readonly checksum: string;
}

export interface Recipe {
  readonly measuring: number;
  readonly confirming?: number;
  /** Scenarios of the confirming rounds; all when left out. */
  readonly confirmed?: readonly string[];
  readonly rounds?: number;
  readonly plan?: Partial<JobPlan>;
  readonly scenarios?: readonly ScenarioPlan[];
  readonly evidence?: Partial<Evidence>;
  readonly idleRate?: number;
  readonly slice?: (where: Where) => Partial<Figures>;
}

const sliceRequests = 500;
const leadIn = 30;

export const scenarioPlan = (name: string, changes: Partial<ScenarioPlan> = {}): ScenarioPlan => ({
  name,
  rate: perSecond(800),
  slices: 4,
  sliceRequests,
  tailPercentile: 'p99',
  judged: ['p50', 'p99', 'cpu', 'cpu-total', 'tail', 'errors'],
  ...changes,
});

export const settings: JudgeSettings = {
  p50: { min: ratio(0.05), detect: ratio(0.1) },
  p99: { min: ratio(0.05), detect: ratio(0.2) },
  cpu: { min: ratio(0.02), detect: ratio(0.05) },
  cpuTotal: { min: ratio(0.03), detect: ratio(0.1) },
  tail: { min: ratio(0.05) },
  errors: { min: ratio(0.001) },
  microbenchmarks: { min: ratio(0.02), detect: ratio(0.05) },
};

/** Log-ratios of an unchanged build: the eighth of the known answers and its mirror, over and over. */
const unchanged = [0.011, -0.024, 0.017, -0.008, 0.031, -0.015, 0.004, -0.029, 0.022, 0.009, -0.012, -0.003];
export const chance = (round: number): number => unchanged[round % unchanged.length]!;

/** Histograms that carry their percentiles as plain text, and the reader for them. */
export const readPlain: ReadSlice = (histograms, view) =>
  JSON.parse(view === 'on-time' ? histograms.onTime : histograms.response) as SlicePercentiles | null;

function plainHistograms(figures: Figures): SliceHistograms {
  const text = (p50: number, p99: number): string =>
    JSON.stringify({ p50, p90: p50 + (p99 - p50) / 2, p95: p50 + ((p99 - p50) * 3) / 4, p99 });
  return {
    response: text(figures.allP50 ?? figures.p50, figures.allP99 ?? figures.p99),
    onTime: text(figures.p50, figures.p99),
    success: '',
    service: '',
    lateness: '',
  };
}

export function trialOf(where: Where, changes: Partial<Figures> = {}): Trial {
  const drift = where.side === 'candidate' ? Math.exp(chance(where.round)) : 1;
  const figures: Figures = {
    p50: 1e6 * drift,
    p99: 4e6 * drift,
    cpu: 300e3 * drift,
    failed: 0,
    timedOut: 0,
    unfinished: 0,
    late: 20,
    saturated: false,
    unsound: [],
    statuses: null,
    errors: {},
    bodyBytes: 1200,
    checksum: 'a1',
    ...changes,
  };
  const ok = sliceRequests - figures.failed - figures.timedOut - figures.unfinished;
  const calm = { p50: ns(1e5), p99: ns(4e5), max: ns(1e6) };
  return {
    scenario: where.scenario,
    side: where.side,
    pair: where.pair,
    replacement: where.attempt > 0,
    startedAt: ns(where.round * 15e9),
    load: {
      counts: {
        scheduled: sliceRequests,
        ok,
        failed: figures.failed,
        timedOut: figures.timedOut,
        dropped: 0,
        unfinished: figures.unfinished,
      },
      released: sliceRequests,
      onTime: sliceRequests - figures.late,
      fit: { distance: 0.001, plannedGapCv: 0, sentGapCv: 0.3 },
      span: ns(625e6),
      elapsed: ns(630e6),
      inFlight: { halfway: 1, atEnd: 1, peak: 4 },
      errors: figures.errors,
      statuses: figures.statuses ?? { 200: ok },
      bodies: {
        minBytes: figures.bodyBytes,
        maxBytes: figures.bodyBytes,
        totalBytes: figures.bodyBytes * ok,
        checksums: { 10: figures.checksum, 200: figures.checksum },
      },
      histograms: plainHistograms(figures),
      generator: {
        wall: ns(630e6),
        cpu: ns(100e6),
        utilisation: 0.2,
        eventLoopDelay: calm,
        metronomeLateness: calm,
        garbageCollection: { count: 0, total: ns(0), longest: ns(0) },
        peakMemory: 80e6,
        poolQueued: 0,
        socketsOpened: 0,
      },
    },
    // Shots of the lead-in cost as much as the others.
    cost:
      figures.cpu === null
        ? null
        : { cpu: ns(figures.cpu * Math.max(1, ok * (1 + leadIn / sliceRequests))), idle: ns(0) },
    machine: { steal: 0, pressure: null },
    saturated: figures.saturated,
    unsound: figures.unsound,
  };
}

export function evidenceOf(recipe: Recipe): Evidence {
  const scenarios = recipe.scenarios ?? [scenarioPlan('home')];
  const rounds = recipe.rounds ?? 12;
  const plan: JobPlan = {
    seed: 7,
    rounds,
    looks: lookRounds(rounds),
    confirm: true,
    confirmationRounds: 6,
    scenarios,
    leadIn,
    warmUp: { requests: 'auto', rate: 'auto', most: ns(4e9) },
    benchmarks: ratio(0),
    roundTime: ns(15e9),
    totalTime: ns(240e9),
    notes: [],
    ...recipe.plan,
  };
  const side: RoundSide = {
    startTime: ns(3e8),
    origin: 'http://127.0.0.1:4312',
    warmUp: { requests: 2500, blocks: 5, settled: true },
    idleRate: recipe.idleRate ?? 0.001,
    peakMemory: bytes(60e6),
    preciseCost: true,
  };
  const roundOf = (round: number, phase: Round['phase']): Round => ({
    index: round,
    phase,
    startedAt: ns(round * 15e9),
    duration: ns(15e9),
    first: { spawn: 'baseline', probe: 'candidate', warm: 'baseline', lowerPort: 'candidate' },
    sides: { baseline: side, candidate: side },
    trials: scenarios
      .filter((scenario) => phase === 'measuring' || (recipe.confirmed?.includes(scenario.name) ?? true))
      .flatMap((scenario) =>
        Array.from({ length: scenario.slices }, (_, pair) => attempts(scenario.name, round, pair)).flat(),
      ),
  });
  const attempts = (scenario: string, round: number, pair: number): Trial[] => {
    const both = (attempt: number): Trial[] =>
      sides.map((name) => {
        const where = { scenario, side: name, round, pair, attempt };
        return trialOf(where, recipe.slice?.(where));
      });
    const first = both(0);
    return first.some((trial) => trial.unsound.length > 0) ? [...first, ...both(1)] : first;
  };
  return {
    schema: 'tailgate-evidence',
    version: 1,
    waivers: [],
    benchmarks: null,
    createdAt: '2025-01-01T00:00:00.000Z',
    environment: {
      tailgate: '0.1.0',
      node: '20.20.0',
      platform: 'linux',
      kernel: '6.1',
      cpuModel: 'a processor',
      cpus: 2,
      memory: bytes(8e9),
      runner: null,
    },
    revisions: {
      baseline: { sha: 'a'.repeat(40), ref: 'main', how: 'the merge-base', outputHash: null },
      candidate: { sha: 'b'.repeat(40), ref: 'HEAD', how: 'checked out', outputHash: null },
    },
    identicalBuilds: false,
    plan,
    judge: settings,
    onDifferentBody: 'warn',
    placement: 'shared',
    floor: [],
    rounds: [
      ...Array.from({ length: recipe.measuring }, (_, round) => roundOf(round, 'measuring')),
      ...Array.from({ length: recipe.confirming ?? 0 }, (_, round) =>
        roundOf(recipe.measuring + round, 'confirming'),
      ),
    ],
    warnings: [],
    ...recipe.evidence,
  };
}
