/** What stored evidence of a job must look like: every field that is judged or reported, and that they belong together. */
import { loadMetrics } from '../kernel/words.ts';
import { benchEvidenceForm } from './bench-form.ts';
import { checkLeftOut, leftOutForm } from './left-out-form.ts';
import { checkRounds } from './order.ts';
import type { Check } from './shape.ts';
import {
  above,
  amount,
  autoOr,
  between,
  count,
  finite,
  flag,
  isObject,
  listOf,
  moment,
  objectOf,
  oneOf,
  optional,
  orNull,
  tableOf,
  text,
  whole,
  wrongForm,
} from './shape.ts';
import type { Evidence } from './trial.ts';
import { waiversForm } from './waiver-form.ts';

export const evidenceSchema: Evidence['schema'] = 'tailgate-evidence';
export const evidenceVersion: Evidence['version'] = 1;

/** Every field that is judged or reported, and that they belong together. */
export function checkEvidence(data: unknown): void {
  evidenceForm(data, '');
  const evidence = data as Evidence;
  const { plan } = evidence;
  const names = plan.scenarios.map((scenario) => scenario.name);
  if (new Set(names).size < names.length) wrongForm('plan.scenarios', names, 'names that differ');
  const ascending = plan.looks.every((look, index) => index === 0 || look > plan.looks[index - 1]!);
  if (!ascending || plan.looks.at(-1) !== plan.rounds) {
    wrongForm('plan.looks', plan.looks, `ascending rounds, the last of them \`plan.rounds\`, ${plan.rounds}`);
  }
  checkLeftOut(evidence);
  checkRounds(evidence);
  for (const [index, round] of evidence.rounds.entries()) {
    for (const [place, trial] of round.trials.entries()) {
      const path = `rounds[${index}].trials[${place}]`;
      if (!names.includes(trial.scenario)) {
        wrongForm(`${path}.scenario`, trial.scenario, 'a scenario of the plan');
      }
      // Slices that were found not to add up are kept as they are: they say so themselves.
      if (trial.unsound.length > 0) continue;
      const { counts, released, onTime } = trial.load;
      if (counts.ok > counts.scheduled) {
        wrongForm(`${path}.load.counts.ok`, counts.ok, `at most the ${counts.scheduled} scheduled shots`);
      }
      if (onTime > released) {
        wrongForm(`${path}.load.onTime`, onTime, `at most the ${released} released shots`);
      }
    }
  }
}

const side = oneOf('baseline', 'candidate');
const bySide = (form: Check): Check => objectOf({ baseline: form, candidate: form });
const warnings = listOf(objectOf({ code: text, message: text, hint: optional(text) }));
const tolerance = objectOf({ min: amount, detect: amount });
const points = objectOf({ min: amount });
const counts = tableOf(count);
const delays = objectOf({ p50: amount, p99: amount, max: amount });

/** Requests a second, within the bounds that the configuration has for them. */
const rate = (most: number): Check => above(0, most);
/** More CPUs than these no machine has, however a service counts its CPU time. */
const idleCpus = between(0, 100_000);

const planForm = objectOf({
  seed: finite,
  rounds: whole(1),
  looks: listOf(whole(1), 1),
  confirm: flag,
  confirmationRounds: count,
  scenarios: listOf(
    objectOf({
      name: text,
      rate: rate(50_000),
      slices: whole(1),
      sliceRequests: whole(1),
      tailPercentile: oneOf('p99', 'p95', 'p90'),
      judged: listOf(oneOf(...loadMetrics)),
    }),
    1,
  ),
  leadIn: count,
  warmUp: objectOf({
    requests: autoOr(whole(1, 1_000_000)),
    rate: autoOr(rate(100_000)),
    most: amount,
  }),
  benchmarks: amount,
  roundTime: amount,
  totalTime: amount,
  notes: warnings,
});

const loadForm = objectOf({
  counts: objectOf({
    scheduled: count,
    ok: count,
    failed: count,
    timedOut: count,
    dropped: count,
    unfinished: count,
  }),
  released: count,
  onTime: count,
  span: amount,
  fit: objectOf({ distance: amount, plannedGapCv: orNull(amount), sentGapCv: orNull(amount) }),
  elapsed: amount,
  inFlight: objectOf({ halfway: count, atEnd: count, peak: count }),
  errors: counts,
  statuses: counts,
  checks: optional(
    objectOf({
      answers: count,
      looked: count,
      failed: count,
      samples: listOf(objectOf({ check: text, got: text })),
    }),
  ),
  bodies: objectOf({ minBytes: amount, maxBytes: amount, totalBytes: amount, checksums: tableOf(text) }),
  histograms: objectOf({ response: text, onTime: text, success: text, service: text, lateness: text }),
  generator: objectOf({
    wall: amount,
    cpu: amount,
    utilisation: amount,
    eventLoopDelay: delays,
    metronomeLateness: delays,
    garbageCollection: objectOf({ count, total: amount, longest: amount }),
    peakMemory: amount,
    poolQueued: count,
    socketsOpened: count,
  }),
});

/** What a counter grew by, or why that is not known. */
const growth: Check = (value, path) =>
  isObject(value) && 'unknown' in value
    ? objectOf({ unknown: text })(value, path)
    : objectOf({ by: amount })(value, path);

const trialForm = objectOf({
  scenario: text,
  side,
  pair: count,
  replacement: flag,
  startedAt: finite,
  load: loadForm,
  cost: orNull(objectOf({ cpu: finite, idle: finite })),
  costUnknown: optional(text),
  counters: optional(tableOf(growth)),
  machine: objectOf({ steal: orNull(finite), pressure: orNull(finite) }),
  saturated: flag,
  unsound: listOf(text),
});

const roundForm = objectOf({
  index: count,
  phase: oneOf('measuring', 'confirming'),
  startedAt: finite,
  duration: amount,
  first: objectOf({ spawn: side, probe: side, warm: side, lowerPort: side }),
  sides: bySide(
    objectOf({
      startTime: amount,
      origin: text,
      warmUp: objectOf({ requests: count, blocks: count, settled: flag }),
      idleRate: idleCpus,
      peakMemory: orNull(amount),
      preciseCost: flag,
      readingCost: optional(amount),
    }),
  ),
  trials: listOf(trialForm),
});

const evidenceForm = objectOf({
  schema: oneOf(evidenceSchema),
  version: oneOf(evidenceVersion),
  createdAt: moment,
  environment: objectOf({
    tailgate: text,
    node: text,
    platform: text,
    kernel: text,
    cpuModel: text,
    cpus: count,
    memory: amount,
    runner: orNull(text),
  }),
  revisions: bySide(objectOf({ sha: text, ref: text, how: text, outputHash: orNull(text) })),
  identicalBuilds: flag,
  plan: planForm,
  judge: objectOf({
    p50: tolerance,
    p99: tolerance,
    cpu: tolerance,
    cpuTotal: tolerance,
    tail: points,
    errors: points,
    microbenchmarks: tolerance,
  }),
  waivers: waiversForm,
  onDifferentBody: oneOf('warn', 'stop'),
  placement: oneOf('shared', 'apart'),
  cost: optional(objectOf({ kind: oneOf('process-tree', 'prometheus', 'cgroup') })),
  counters: optional(listOf(objectOf({ name: text, metric: text, judge: orNull(tolerance) }))),
  floor: listOf(objectOf({ scenario: text, p50: amount, p99: amount })),
  rounds: listOf(roundForm),
  benchmarks: orNull(benchEvidenceForm),
  leftOut: optional(leftOutForm),
  warnings,
});
