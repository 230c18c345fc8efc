/** Verdicts, evidence and contexts made by hand, for tests of reports and of whoever publishes them. */
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import type { Evidence, Round, RoundSide, Trial } from '../../src/evidence/trial.ts';
import { bytes, logRatio, ns, perSecond, ratio } from '../../src/kernel/units.ts';
import type { MetricName, Side } from '../../src/kernel/words.ts';
import { sides } from '../../src/kernel/words.ts';
import type { ReportContext } from '../../src/report/context.ts';
import type { Change, Finding, Verdict } from '../../src/verdict/finding.ts';

type RatioChange = Extract<Change, { kind: 'ratio' }>;

/** A change of `effect` whose 95 % interval is `spread` wide on either side (both as ratios). */
export function changed(effect: number, spread: number, more: Partial<RatioChange> = {}): RatioChange {
  const [middle, half] = [Math.log1p(effect), Math.log1p(spread)];
  return {
    kind: 'ratio',
    effect: ratio(effect),
    interval: [ratio(Math.expm1(middle - half)), ratio(Math.expm1(middle + half))],
    spread: logRatio(half),
    p: 0.0005,
    adjustedP: 0.002,
    upper: ratio(Math.expm1(middle + half)),
    singleRunSpread: logRatio(half * 1.3),
    smallestDetectable: ratio(Math.expm1(half * 1.4)),
    ...more,
  };
}

export const points = (difference: number): Change => ({
  kind: 'points',
  difference: ratio(difference),
  p: 0.009765625,
  adjustedP: 0.03,
});

const tolerances: Readonly<Record<MetricName, Finding['tolerance']>> = {
  p50: { min: ratio(0.05), detect: ratio(0.1) },
  p90: { min: ratio(0.05), detect: ratio(0.2) },
  p95: { min: ratio(0.05), detect: ratio(0.2) },
  p99: { min: ratio(0.05), detect: ratio(0.2) },
  cpu: { min: ratio(0.02), detect: ratio(0.05) },
  'cpu-total': { min: ratio(0.03), detect: ratio(0.1) },
  tail: { min: ratio(0.05), detect: null },
  errors: { min: ratio(0.001), detect: null },
  counter: { min: ratio(0.05), detect: ratio(0.1) },
  microbenchmark: { min: ratio(0.02), detect: ratio(0.05) },
};

const isPercentile = (metric: MetricName): boolean => /^p\d+$/.test(metric);

function unitOf(metric: MetricName): Finding['unit'] {
  if (isPercentile(metric)) return 'nanoseconds';
  if (metric === 'tail') return 'share-of-slices';
  if (metric === 'counter') return 'counted-per-request';
  return metric === 'errors' ? 'share-of-requests' : 'cpu-nanoseconds-per-request';
}

/** A judged, unchanged p99 of `checkout` unless told otherwise. */
export function finding(more: Partial<Finding> = {}): Finding {
  const metric = more.metric ?? 'p99';
  return {
    scenario: 'checkout',
    metric,
    unit: unitOf(metric),
    direction: 'smaller-is-better',
    judged: true,
    state: 'unchanged',
    view: isPercentile(metric) ? 'on-time' : null,
    baseline: isPercentile(metric) ? 4.7e6 : 212e3,
    candidate: isPercentile(metric) ? 4.72e6 : 212.4e3,
    change: changed(0.004, 0.06),
    tolerance: tolerances[metric],
    perRound: [0.02, -0.01, 0.03, 0.01, -0.02, 0.02],
    rounds: { used: 6, dropped: 0 },
    confirmation: 'not-needed',
    otherView: null,
    reason: null,
    roundsToSettle: null,
    ...more,
  };
}

export const unchangedCpu = finding({ metric: 'cpu', change: changed(-0.002, 0.012) });

export const regressedP99 = finding({
  state: 'regressed',
  candidate: 5.55e6,
  change: changed(0.181, 0.06),
  perRound: [0.182, 0.095, 0.241, 0.133, 0.058, 0.31, 0.164, -0.042, 0.207, 0.121, 0.276, 0.149],
  rounds: { used: 12, dropped: 0 },
  confirmation: 'confirmed',
  otherView: { view: 'all-shots', change: changed(0.21, 0.14) },
});

export function verdict(
  outcome: Verdict['outcome'],
  findings: readonly Finding[],
  more: Partial<Verdict> = {},
): Verdict {
  return {
    outcome,
    findings,
    reason: null,
    failure: null,
    rounds: { measured: 6, planned: 12, confirming: outcome === 'regression' ? 6 : 0 },
    slices: { measured: 192, rejected: 2 },
    onTimeShare: { baseline: ratio(0.968), candidate: ratio(0.97) },
    warnings: [],
    ...more,
  };
}

/** p99 of checkout 18 % worse, everything else as it was. */
export const regression = verdict('regression', [
  regressedP99,
  unchangedCpu,
  finding({ metric: 'p50', baseline: 1.21e6, candidate: 1.22e6, change: changed(0.006, 0.02) }),
  finding({ metric: 'cpu-total', change: changed(0.001, 0.015) }),
  finding({ metric: 'tail', baseline: 0.05, candidate: 0.06, change: points(0.01), perRound: [] }),
  finding({ metric: 'errors', baseline: 0, candidate: 0, change: points(0), perRound: [] }),
  finding({ metric: 'p95', judged: false, baseline: 3.1e6, candidate: 3.2e6, change: changed(0.03, 0.05) }),
]);

export const pass = verdict('pass', [finding(), unchangedCpu]);

export const inconclusive = verdict('inconclusive', [
  finding({
    state: 'undecided',
    candidate: 4.98e6,
    change: changed(0.059, 0.28),
    reason:
      'the spread is ±28 % (one run against one run here would be off by ±48 %): the smallest effect visible is 41 %, 20 % was asked for; about 9 more rounds would settle it',
    roundsToSettle: 9,
  }),
  unchangedCpu,
]);

export const invalid = verdict('invalid', [], {
  reason: 'more than a quarter of the slices were unsound: generator-busy',
});

export const serviceFailed = verdict('service-failed', [], {
  rounds: { measured: 0, planned: 12, confirming: 0 },
  slices: { measured: 0, rejected: 0 },
  onTimeShare: null,
  failure: {
    side: 'candidate',
    message: 'the candidate ended with exit code 1 before it answered GET /health',
    hint: 'run the start command by hand with PORT set',
    tail: ['> node server.js', "Error: Cannot find module 'express'", '    at Module._resolveFilename'],
  },
});

export const noBaseline = verdict(
  'no-baseline',
  [
    finding({
      state: 'new',
      baseline: null,
      change: { kind: 'none', reason: 'the baseline does not have this route' },
    }),
  ],
  {
    reason: 'this is the first commit',
  },
);

export const skipped = verdict('skipped', [], {
  reason: 'no file of this change matches `paths`',
  rounds: { measured: 0, planned: 0, confirming: 0 },
  slices: { measured: 0, rejected: 0 },
  onTimeShare: null,
});

export const allOutcomes: readonly Verdict[] = [
  regression,
  pass,
  inconclusive,
  invalid,
  serviceFailed,
  noBaseline,
  skipped,
];

export const candidateSha = 'def4567890abcdef1234567890abcdef12345678';
export const baselineSha = 'abc1234567890abcdef1234567890abcdef12345';

export function context(more: Partial<ReportContext> = {}): ReportContext {
  return {
    id: 'default',
    conclusion: 'failure',
    exitCode: 1,
    run: { kind: 'github', id: 16_123_456_789, attempt: 1 },
    links: {
      run: 'https://github.com/acme/shop/actions/runs/16123456789',
      summary: 'https://github.com/acme/shop/actions/runs/16123456789#summary-1',
      evidence: 'https://github.com/acme/shop/actions/runs/16123456789/artifacts/77',
    },
    commands: {
      reproduce: `npx tailgate gate --baseline ${baselineSha} --seed 42`,
      judge: 'npx tailgate judge tailgate-evidence.json',
    },
    revisions: {
      baseline: { sha: baselineSha, ref: 'main', how: 'merge-base with main', outputHash: null },
      candidate: {
        sha: candidateSha,
        ref: 'faster-checkout',
        how: 'the commit of this pull request',
        outputHash: null,
      },
    },
    elapsed: ns(275e9),
    configFile: 'tailgate.yml',
    measuredAlone: [],
    trustConfig: 'candidate',
    history: [],
    ...more,
  };
}

/** Evidence of `rounds` rounds of one slice a side and scenario, with 6,000 shots each. */
export function evidence(scenarios: readonly string[] = ['checkout'], rounds = 2): Evidence {
  return {
    schema: 'tailgate-evidence',
    version: 1,
    createdAt: '2026-05-04T10:00:00Z',
    environment: {
      tailgate: '0.1.0',
      node: 'v24.4.0',
      platform: 'linux x64',
      kernel: '6.8.0',
      cpuModel: 'AMD EPYC 7763',
      cpus: 4,
      memory: bytes(16 * 1024 ** 3),
      runner: 'ubuntu24 20260427.1',
    },
    revisions: {
      baseline: context().revisions.baseline!,
      candidate: context().revisions.candidate!,
    },
    identicalBuilds: false,
    plan: {
      seed: 42,
      rounds: 12,
      looks: [6, 9, 12],
      confirm: true,
      confirmationRounds: 6,
      scenarios: scenarios.map((name) => ({
        name,
        rate: perSecond(300),
        slices: 8,
        sliceRequests: 500,
        tailPercentile: 'p99',
        judged: ['p50', 'p99', 'cpu', 'cpu-total', 'tail', 'errors'],
      })),
      leadIn: 30,
      warmUp: { requests: 'auto', rate: 'auto', most: ns(4e9) },
      benchmarks: ratio(0),
      roundTime: ns(15e9),
      totalTime: ns(240e9),
      notes: [],
    },
    judge: {
      p50: { min: ratio(0.05), detect: ratio(0.1) },
      p99: { min: ratio(0.05), detect: ratio(0.2) },
      cpu: { min: ratio(0.02), detect: ratio(0.05) },
      cpuTotal: { min: ratio(0.03), detect: ratio(0.1) },
      tail: { min: ratio(0.05) },
      errors: { min: ratio(0.001) },
      microbenchmarks: { min: ratio(0.02), detect: ratio(0.05) },
    },
    waivers: [],
    benchmarks: null,
    onDifferentBody: 'warn',
    placement: 'shared',
    floor: [],
    rounds: Array.from({ length: rounds }, (_, index) => round(index, scenarios)),
    warnings: [],
  };
}

function round(index: number, scenarios: readonly string[]): Round {
  return {
    index,
    phase: 'measuring',
    startedAt: ns(index * 16e9),
    duration: ns(15e9),
    first: { spawn: 'baseline', probe: 'candidate', warm: 'baseline', lowerPort: 'candidate' },
    sides: { baseline: roundSide, candidate: roundSide },
    trials: scenarios.flatMap((scenario) => sides.map((side) => trial(scenario, side))),
  };
}

const roundSide: RoundSide = {
  startTime: ns(310e6),
  origin: 'http://127.0.0.1:4100',
  warmUp: { requests: 2500, blocks: 5, settled: true },
  idleRate: 0.004,
  peakMemory: bytes(92 * 1024 ** 2),
  preciseCost: true,
};

export function trial(scenario: string, side: Side, more: Partial<Trial> = {}): Trial {
  const shots = 6000;
  const slower = side === 'candidate' ? 1.18 : 1;
  const response = filled(shots, (share) => 1e6 * (1 + 4 * share ** 20) * slower);
  return {
    scenario,
    side,
    pair: 0,
    replacement: false,
    startedAt: ns(0),
    load: {
      counts: { scheduled: shots, ok: shots - 1, failed: 1, timedOut: 0, dropped: 0, unfinished: 0 },
      released: shots,
      onTime: Math.round(shots * 0.97),
      fit: { distance: 0.001, plannedGapCv: 0, sentGapCv: 0.3 },
      span: ns(20e9),
      elapsed: ns(20.1e9),
      inFlight: { halfway: 1, atEnd: 1, peak: 4 },
      errors: { 'status 503': 1 },
      statuses: { '200': shots - 1, '503': 1 },
      bodies: { minBytes: 12, maxBytes: 900, totalBytes: 5e6, checksums: {} },
      histograms: {
        response,
        onTime: response,
        success: response,
        service: response,
        lateness: filled(shots, (share) => 5e4 * share),
      },
      generator: {
        wall: ns(20.2e9),
        cpu: ns(3.2e9),
        utilisation: 0.16,
        eventLoopDelay: { p50: ns(2e4), p99: ns(3e5), max: ns(2e6) },
        metronomeLateness: { p50: ns(1e4), p99: ns(2e5), max: ns(1e6) },
        garbageCollection: { count: 3, total: ns(4e6), longest: ns(2e6) },
        peakMemory: 9e7,
        poolQueued: 0,
        socketsOpened: 16,
      },
    },
    cost: { cpu: ns(1.2e9), idle: ns(1e9) },
    machine: { steal: 0.004, pressure: 0.02 },
    saturated: false,
    unsound: [],
    ...more,
  };
}

const written = new Map<string, string>();

/** The histogram of `value(share)` for shares evenly from 0 to 1; encoding is slow, and tests want many alike. */
function filled(count: number, value: (share: number) => number): string {
  const key = `${count} ${[0.5, 0.9, 1].map(value).join(' ')}`;
  const known = written.get(key);
  if (known !== undefined) return known;
  const histogram = new LatencyHistogram();
  for (let index = 0; index < count; index++) histogram.record(ns(value(index / count)));
  const encoded = histogram.encode();
  written.set(key, encoded);
  return encoded;
}
