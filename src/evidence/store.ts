/** Evidence ↔ JSON text, versioned and checked both ways: what is judged later is what was measured. */
import { TailgateError } from '../kernel/errors.ts';
import type { Bytes } from '../kernel/units.ts';
import { formatBytes, bytes as inBytes } from '../kernel/units.ts';
import { loadMetrics, metricNames } from '../kernel/words.ts';
import type { BenchEvidence } from '../microbench/evidence.ts';
import { benchEvidenceForm, benchSchema, benchVersion } from './bench-form.ts';
import type { Check } from './shape.ts';
import {
  amount,
  atLeast,
  count,
  finite,
  flag,
  isObject,
  listOf,
  objectOf,
  oneOf,
  optional,
  orNull,
  shown,
  tableOf,
  text,
  whole,
  wrongForm,
} from './shape.ts';
import type { Evidence } from './trial.ts';

export const evidenceSchema: Evidence['schema'] = 'tailgate-evidence';
export const evidenceVersion: Evidence['version'] = 1;

/** Beyond this a file is not evidence of one job; the longest plan stays under a tenth of it. */
export const evidenceLimit = (256 * 1024 * 1024) as Bytes;

/**
 * @returns one line of JSON with a line end.
 * @throws TailgateError `usage` when a figure is not finite: JSON would turn it into null in silence.
 */
export function serialise(evidence: Evidence): string {
  checkEvidence(evidence);
  return `${JSON.stringify(evidence)}\n`;
}

/** Of microbenchmarks alone; the same form as `serialise` gives it inside the evidence of a job. */
export function serialiseBench(evidence: BenchEvidence): string {
  benchEvidenceForm(evidence, '');
  return `${JSON.stringify(evidence)}\n`;
}

/** What a file of either kind holds. */
export type Stored =
  | { readonly kind: 'job'; readonly evidence: Evidence }
  | { readonly kind: 'microbenchmarks'; readonly evidence: BenchEvidence };

/**
 * @param source the text of a file that `serialise` or `serialiseBench` wrote.
 * @throws TailgateError `usage` for text that is no JSON, another schema, another version or a field of another form;
 * names the field and the version.
 */
export function parseStored(source: string): Stored {
  // A file of this many characters has at least as many bytes.
  if (source.length > evidenceLimit) {
    throw new TailgateError({
      code: 'usage',
      message: `this file holds ${formatBytes(inBytes(source.length))}, evidence at most ${formatBytes(evidenceLimit)}`,
      hint: 'Name the `tailgate-evidence.json` of a job.',
    });
  }
  const data = readJson(source);
  const schema = isObject(data) ? data['schema'] : undefined;
  if (!isObject(data) || (schema !== evidenceSchema && schema !== benchSchema)) {
    const found = isObject(data) ? `its \`schema\` is ${shown(schema)}` : `it holds ${shown(data)}`;
    throw new TailgateError({
      code: 'usage',
      message: `this file is not evidence of Tailgate: ${found}, wanted "${evidenceSchema}"`,
      hint: 'Name the `tailgate-evidence.json` of a job.',
    });
  }
  refuseLater(data['version'], schema === evidenceSchema ? evidenceVersion : benchVersion);
  if (schema === benchSchema) {
    benchEvidenceForm(data, '');
    return { kind: 'microbenchmarks', evidence: data as unknown as BenchEvidence };
  }
  checkEvidence(data);
  return { kind: 'job', evidence: data as unknown as Evidence };
}

/** @throws TailgateError as `parseStored`, and `usage` for evidence of microbenchmarks alone. */
export function parse(source: string): Evidence {
  const stored = parseStored(source);
  if (stored.kind === 'job') return stored.evidence;
  throw new TailgateError({
    code: 'usage',
    message: `this file is evidence of microbenchmarks alone: its \`schema\` is "${benchSchema}", wanted "${evidenceSchema}"`,
    hint: 'Name the `tailgate-evidence.json` of a job.',
  });
}

function refuseLater(version: unknown, known: number): void {
  if (typeof version !== 'number' || version <= known) return;
  throw new TailgateError({
    code: 'usage',
    message: `this evidence has \`version\` ${version}, this release of Tailgate reads ${known}`,
    hint: 'Judge it with the release that wrote it, or a later one.',
  });
}

function readJson(source: string): unknown {
  try {
    // Some editors and shells put a byte order mark in front.
    return JSON.parse(source.replace(/^\uFEFF/, ''));
  } catch (cause) {
    const found = source.trim() === '' ? 'it is empty' : `it ends with ${shown(source.trimEnd().slice(-20))}`;
    throw new TailgateError({
      code: 'usage',
      message: `this file is not whole JSON: ${found}`,
      hint: 'It may have been cut off while it was written or downloaded; download the artifact again.',
      cause,
    });
  }
}

/** Every field that is judged or reported, and that they belong together. */
function checkEvidence(data: unknown): void {
  evidenceForm(data, '');
  const evidence = data as Evidence;
  const { plan } = evidence;
  const names = plan.scenarios.map((scenario) => scenario.name);
  if (new Set(names).size < names.length) wrongForm('plan.scenarios', names, 'names that differ');
  const ascending = plan.looks.every((look, index) => index === 0 || look > plan.looks[index - 1]!);
  if (!ascending || plan.looks.at(-1) !== plan.rounds) {
    wrongForm('plan.looks', plan.looks, `ascending rounds, the last of them \`plan.rounds\`, ${plan.rounds}`);
  }
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

const planForm = objectOf({
  seed: finite,
  rounds: whole(1),
  looks: listOf(whole(1), 1),
  confirm: flag,
  confirmationRounds: count,
  scenarios: listOf(
    objectOf({
      name: text,
      rate: atLeast(Number.MIN_VALUE),
      slices: whole(1),
      sliceRequests: whole(1),
      tailPercentile: oneOf('p99', 'p95', 'p90'),
      judged: listOf(oneOf(...loadMetrics)),
    }),
    1,
  ),
  leadIn: count,
  warmUp: objectOf({ most: amount }),
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

const trialForm = objectOf({
  scenario: text,
  side,
  pair: count,
  replacement: flag,
  startedAt: finite,
  load: loadForm,
  cost: orNull(objectOf({ cpu: finite, idle: finite })),
  costUnknown: optional(text),
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
      idleRate: finite,
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
  createdAt: text,
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
  waivers: listOf(
    objectOf({
      scenario: text,
      metric: oneOf(...metricNames),
      ceiling: amount,
      expires: orNull(text),
      reason: text,
      origin: text,
    }),
  ),
  onDifferentBody: oneOf('warn', 'stop'),
  placement: oneOf('shared', 'apart'),
  cost: optional(objectOf({ kind: oneOf('process-tree', 'prometheus', 'cgroup') })),
  floor: listOf(objectOf({ scenario: text, p50: amount, p99: amount })),
  rounds: listOf(roundForm),
  benchmarks: orNull(benchEvidenceForm),
  warnings,
});
