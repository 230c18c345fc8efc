/**
 * Evidence → go on measuring, or a verdict. Replays the looks over the rounds in the order they were measured, so
 * that a job in progress and a stored file go through the same steps and come to the same answer.
 */
import type { Evidence, Round } from '../evidence/trial.ts';
import type { Looked } from './conclude.ts';
import { conclude, lookAt } from './conclude.ts';
import type { Family, Stage } from './decide.ts';
import { confirmAll, flagAt, mayPass, worthMoreRounds } from './decide.ts';
import type { Progress } from './finding.ts';
import type { Look } from './looks.ts';
import { confirmationLevel, extensionLevel, looksAt } from './looks.ts';
import type { Row } from './rows.ts';
import type { Problem, Scope } from './scope.ts';
import { fewestUsable, firstRounds, pooledScope, problemOf, scopeOf } from './scope.ts';
import type { ReadSlice } from './slices.ts';
import { readSlice } from './slices.ts';
import type { Nearest } from './waivers.ts';
import { wholeVerdict } from './whole.ts';

export interface JudgeOptions {
  /** No further round can come: what would need one is inconclusive. */
  readonly final?: boolean;
  /** How a slice's percentiles are read; tests hand in their own. */
  readonly readSlice?: ReadSlice;
  /** Finds the name that a waiver without a row may have meant; nobody guesses unless it is given. */
  readonly nearest?: Nearest;
}

/** The job as every step needs it. */
interface Job {
  readonly evidence: Evidence;
  readonly final: boolean;
  readonly read: ReadSlice;
}

/** Bounds at the ends of the 95 % interval, as at a last look. */
const lastLevel = 0.025;

/**
 * What to do after the rounds so far. Pure: the same evidence gives the same answer.
 * @throws TailgateError `usage` when a histogram of the evidence cannot be read.
 */
export function judge(evidence: Evidence, options: JudgeOptions = {}): Progress {
  const progress = judgeLoad(evidence, options);
  if (progress.kind === 'continue') return progress;
  return {
    kind: 'decided',
    verdict: wholeVerdict(evidence, progress.verdict, { nearest: options.nearest ?? none }),
  };
}

function judgeLoad(evidence: Evidence, options: JudgeOptions): Progress {
  const job: Job = { evidence, final: options.final ?? false, read: options.readSlice ?? readSlice };
  const { plan } = evidence;
  const measuring = evidence.rounds.filter((round) => round.phase === 'measuring');
  const looks = looksAt(plan.looks);
  let scope = scopeOf(plan, []);
  let next = 0;
  for (let count = 1; count <= measuring.length; count++) {
    scope = scopeOf(plan, measuring.slice(0, count));
    const problem = problemOf(plan, scope, 'measuring');
    if (problem !== null) return stopped(job, scope, problem);
    for (; next < looks.length && fewestUsable(scope) >= looks[next]!.rounds; next++) {
      const progress = takeLook(job, scope, looks[next]!);
      if (progress !== null) return progress;
    }
  }
  if (job.final) return cutShort(job, scope);
  const usable = fewestUsable(scope);
  const missing = (looks[next]?.rounds ?? plan.rounds) - usable;
  return {
    kind: 'continue',
    phase: 'measuring',
    purpose: 'look',
    usable,
    untilRounds: measuring.length + Math.max(1, missing),
    scenarios: plan.scenarios.map((scenario) => scenario.name),
  };
}

/** Null when the job has to go on to its next look. */
function takeLook(job: Job, reached: Scope, look: Look): Progress | null {
  const looked = lookAt(job.evidence, firstRounds(reached, look.rounds), look.passLevel, job.read);
  const stop = differentWork(looked);
  if (stop !== null) return stopped(job, looked.scope, stop);
  const { confirm, confirmationRounds } = job.evidence.plan;
  const family = flagAt(looked.rows, look, confirm);
  const further = { reached, look, first: looked, flags: family };
  if (confirm && family.flagged.size > 0) {
    const flagged = new Set([...family.flagged].map((row) => row.scenario));
    return furtherRounds(job, { ...further, purpose: 'confirm', scenarios: flagged });
  }
  if (family.flagged.size === 0 && !look.last && !mayPass(looked.rows, look)) return null;
  if (confirm && look.last) {
    const open = worthMoreRounds(looked.rows, confirmationRounds);
    if (open.size > 0) return furtherRounds(job, { ...further, purpose: 'settle', scenarios: open });
  }
  return conclude(job.evidence, looked, family, (row) => ({
    kind: family.flagged.has(row) ? 'flagged-only' : 'looked',
  }));
}

/** What follows a look that has not had the last word: fresh rounds of some scenarios. */
interface Further {
  readonly reached: Scope;
  readonly look: Look;
  readonly first: Looked;
  readonly flags: Family;
  /** To confirm what was flagged, or to settle what nobody flagged and nobody could pass. */
  readonly purpose: 'confirm' | 'settle';
  readonly scenarios: ReadonlySet<string>;
}

/** Fresh rounds for the scenarios; then all of their rounds are judged together, at a stricter level. */
function furtherRounds(job: Job, further: Further): Progress {
  const { reached, look, flags, purpose, scenarios } = further;
  const { plan } = job.evidence;
  const fresh = job.evidence.rounds.filter((round) => round.phase === 'confirming');
  const { scope, fewestFresh } = pooledScope(
    plan,
    { rounds: reached.rounds, count: look.rounds },
    { rounds: fresh, most: plan.confirmationRounds },
    scenarios,
  );
  const problem = problemOf(plan, scope, 'confirming');
  if (problem !== null) return stopped(job, scope, problem);
  if (fewestFresh < plan.confirmationRounds) {
    if (job.final) return withoutFurther(job, further, fresh, fewestFresh);
    return {
      kind: 'continue',
      phase: 'confirming',
      purpose,
      usable: look.rounds,
      untilRounds: fresh.length + plan.confirmationRounds - fewestFresh,
      scenarios: plan.scenarios.map(({ name }) => name).filter((name) => scenarios.has(name)),
    };
  }

  const pooled = lookAt(job.evidence, scope, lastLevel, job.read);
  const stop = differentWork(pooled);
  if (stop !== null) return stopped(job, scope, stop);
  const family = confirmAll(pooled.rows, purpose === 'confirm' ? confirmationLevel : extensionLevel);
  const before = new Map([...flags.flagged].map((row) => [nameOf(row), row]));
  return conclude(job.evidence, pooled, family, (row): Stage => {
    if (scenarios.has(row.scenario) && family.flagged.has(row))
      return { kind: purpose === 'confirm' ? 'confirmed' : 'settled' };
    const flaggedRow = before.get(nameOf(row));
    if (flaggedRow === undefined) return { kind: 'looked' };
    return { kind: 'not-confirmed', first: flaggedRow.change };
  });
}

/** They ended early: what was flagged is neither shown nor excluded, and what was open is as the look left it. */
function withoutFurther(
  job: Job,
  { first, flags }: Further,
  fresh: readonly Round[],
  fewestFresh: number,
): Progress {
  const scope = { ...first.scope, rounds: [...first.scope.rounds, ...fresh] };
  const reason = `flagged, but confirmation ended after ${fewestFresh} of ${job.evidence.plan.confirmationRounds} rounds`;
  return conclude(job.evidence, { ...first, scope }, flags, (row) =>
    flags.flagged.has(row) ? { kind: 'cut-short', reason } : { kind: 'looked' },
  );
}

function cutShort(job: Job, scope: Scope): Progress {
  const { plan } = job.evidence;
  const looked = lookAt(job.evidence, scope, lastLevel, job.read);
  const reason = `measuring ended after ${scope.rounds.length} of ${plan.rounds} rounds, before a look could decide`;
  const family = flagAt(
    looked.rows,
    { rounds: scope.rounds.length, failLevel: null, passLevel: lastLevel, last: false },
    false,
  );
  const nothing = scope.rounds.length === 0 ? 'no round was measured' : null;
  return conclude(job.evidence, looked, family, () => ({ kind: 'cut-short', reason }), nothing);
}

/** The comparison itself cannot be trusted: the whole job is invalid. */
function stopped(job: Job, scope: Scope, problem: Problem): Progress {
  const looked = lookAt(job.evidence, scope, lastLevel, job.read);
  const untested: Family = { adjusted: new Map(), flagged: new Set() };
  return conclude(
    job.evidence,
    looked,
    untested,
    (row) =>
      row.scenario === problem.scenario
        ? { kind: 'stopped', reason: problem.reason }
        : { kind: 'cut-short', reason: 'the job was stopped before this could be decided' },
    problem.reason,
  );
}

function differentWork(looked: Looked): Problem | null {
  for (const scenario of looked.scenarios) {
    if (scenario.condition.kind === 'stop') {
      return { scenario: scenario.plan.name, reason: scenario.condition.reason };
    }
  }
  return null;
}

const none: Nearest = () => null;
const nameOf = (row: Row): string => `${row.metric} ${row.counter ?? ''} ${row.scenario}`;
