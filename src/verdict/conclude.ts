/** A look and its decisions → the verdict of the job, with what its reader has to know. */
import type { Evidence } from '../evidence/trial.ts';
import type { Warning } from '../kernel/errors.ts';
import { formatRatio, ratio } from '../kernel/units.ts';
import { sides } from '../kernel/words.ts';
import { onTimeShares } from './compare.ts';
import type { Family, Stage } from './decide.ts';
import { counterName, plainReason, toFinding } from './decide.ts';
import type { Progress, Verdict } from './finding.ts';
import { foldOutcome, worstFirst } from './outcome.ts';
import type { Row, ScenarioLook } from './rows.ts';
import { rowsOf } from './rows.ts';
import { conditionOf } from './same-work.ts';
import type { Scope } from './scope.ts';
import type { ReadSlice } from './slices.ts';

/** A look with everything that was computed for it. */
export interface Looked {
  readonly scope: Scope;
  readonly scenarios: readonly ScenarioLook[];
  readonly rows: readonly Row[];
}

/** Below this share of shots sent on time, over both sides of a job, percentiles say more about the runner. */
const leastOnTime = 0.7;

export function lookAt(evidence: Evidence, scope: Scope, passLevel: number, read: ReadSlice): Looked {
  const tooNoisy = noiseProblem(scope);
  const scenarios = scope.scenarios.map((scenario) => ({
    plan: scenario.plan,
    rounds: scenario.usable,
    dropped: scenario.dropped,
    condition: conditionOf(scenario.plan, scenario.usable, evidence.onDifferentBody),
  }));
  const terms = {
    settings: evidence.judge,
    counters: evidence.counters ?? [],
    leadIn: evidence.plan.leadIn,
    passLevel,
    tooNoisy,
    read,
  };
  return {
    scope,
    scenarios,
    rows: scenarios.flatMap((scenario) => rowsOf(scenario, terms)),
  };
}

/** @param invalid why the whole job is invalid, whatever its rows say; null leaves the outcome to them. */
export function conclude(
  evidence: Evidence,
  looked: Looked,
  family: Family,
  stageOf: (row: Row) => Stage,
  invalid: string | null = null,
): Progress {
  const { plan } = evidence;
  const { scope } = looked;
  const findings = worstFirst(
    looked.rows.map((row) => toFinding(row, family, stageOf(row))),
    plan.scenarios.flatMap(({ name }) => [
      name,
      ...(evidence.counters ?? []).map((one) => counterName(name, one.name)),
    ]),
  );
  const outcome = invalid === null ? foldOutcome(findings) : 'invalid';
  const confirming = scope.rounds.filter((round) => round.phase === 'confirming').length;
  const rejected = scope.scenarios.reduce((sum, scenario) => sum + scenario.rejectedPairs * sides.length, 0);
  const verdict: Verdict = {
    outcome,
    findings,
    reason: invalid ?? plainReason(outcome, findings),
    failure: null,
    rounds: { measured: scope.rounds.length - confirming, planned: plan.rounds, confirming },
    slices: {
      measured: scope.rounds.reduce((sum, round) => sum + round.trials.length, 0),
      rejected: scope.spoiling === null ? rejected : 0,
    },
    onTimeShare: onTimeOf(scope),
    warnings: [...evidence.warnings, ...warningsOf(evidence, looked)],
  };
  return { kind: 'decided', verdict };
}

function onTimeOf(scope: Scope): Verdict['onTimeShare'] {
  const shares = onTimeShares(scope.scenarios.flatMap((scenario) => scenario.usable));
  return shares === null ? null : { baseline: ratio(shares.baseline), candidate: ratio(shares.candidate) };
}

/** Why no percentile of the job may pass; null when enough shots were sent on time. */
function noiseProblem(scope: Scope): string | null {
  const shares = onTimeShares(scope.scenarios.flatMap((scenario) => scenario.usable));
  if (shares === null) return null;
  // Both sides get the same schedule, so their shares weigh the same.
  const share = (shares.baseline + shares.candidate) / 2;
  if (share >= leastOnTime) return null;
  return `runner too noisy for percentiles: ${tenths(share)} of the shots were sent on time, at least ${formatRatio(ratio(leastOnTime))} are needed`;
}

/** Rounded down, so that what is too few never reads as enough. */
const tenths = (share: number): string => `${(Math.floor(share * 1000) / 10).toFixed(1)} %`;

function warningsOf(evidence: Evidence, looked: Looked): Warning[] {
  const warnings: Warning[] = [];
  const { spoiling, scenarios } = looked.scope;
  if (spoiling !== null) {
    warnings.push({
      code: 'one-sided-unsound',
      message: `the ${spoiling} caused more unsound slices than the other side, so none were left out: leaving them out would favour it`,
      hint: 'Look at what it does to the machine: CPU, memory, descriptors.',
    });
  }
  for (const scenario of looked.scenarios) {
    const name = scenario.plan.name;
    if (scenario.condition.kind === 'comparable' && scenario.condition.bodies !== null) {
      warnings.push({
        code: 'different-body',
        message: `\`${name}\`: ${scenario.condition.bodies}`,
        hint: 'A different answer may cost a different time; `on-different-body: stop` stops such a comparison.',
      });
    }
    if (looked.rows.some((row) => row.scenario === name && row.view === 'all-shots')) {
      warnings.push({
        code: 'late-shares-differ',
        message: `\`${name}\`: one side's shots were sent late more often, so its percentiles are judged over all shots`,
      });
    }
  }
  for (const row of looked.rows) {
    if (row.metric !== 'cpu' || row.comparison.kind !== 'none' || row.settled?.state !== 'undecided')
      continue;
    warnings.push({
      code: 'cost-unknown',
      message: `\`${row.scenario}\`: ${row.comparison.reason}`,
      hint: 'Without it the job cannot pass: see `cost` in tailgate.yml.',
    });
  }
  const coarse = scenarios.some((scenario) =>
    scenario.usable.some((round) => sides.some((side) => !round.sides[side].preciseCost)),
  );
  if (coarse) {
    warnings.push({
      code: 'coarse-cpu',
      message: 'CPU time was read from tick counters of 10 ms: CPU per request is coarser than it could be',
    });
  }
  if (evidence.identicalBuilds && !evidence.warnings.some((warning) => warning.code === 'identical-builds')) {
    warnings.push({
      code: 'identical-builds',
      message: 'the two revisions differ, but what was built from them is the same, byte for byte',
      hint: 'Check that `setup` builds what `start` runs.',
    });
  }
  return warnings;
}
