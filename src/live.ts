/** What a running job tells: the report room's progress events, made from the evidence so far. */
import type { Revisions } from './builds/revision.ts';
import type { JobPlan } from './config/plan.ts';
import type { GateConfig } from './config/settings.ts';
import { LatencyHistogram } from './evidence/histogram.ts';
import type { Evidence, Round } from './evidence/trial.ts';
import type { Nanoseconds } from './kernel/units.ts';
import { ns } from './kernel/units.ts';
import { type PercentileName, percentileShare, type Side } from './kernel/words.ts';
import type { ProgressEvent, QuickFigures } from './report/progress.ts';
import type { Continue, Progress } from './verdict/finding.ts';

/** Everything a shell may hear while the gate runs. */
export type GateEvent =
  | {
      readonly kind: 'planned';
      readonly plan: JobPlan;
      readonly config: GateConfig;
      readonly revisions: Revisions;
    }
  /** A line of set-up or of a service. */
  | { readonly kind: 'output'; readonly side: Side; readonly line: string }
  | ProgressEvent;

/** Events before a round: the first of the fresh ones after a look is announced. */
export function beforeRound(evidence: Evidence, progress: Continue): readonly ProgressEvent[] {
  const { index, of, timeLeft } = place(evidence, progress.phase);
  const started: ProgressEvent = {
    kind: 'round-started',
    index: index + 1,
    of,
    phase: progress.phase,
    timeLeft,
  };
  if (progress.phase === 'measuring' || index > 0) return [started];
  const { confirmationRounds } = evidence.plan;
  const kind = progress.purpose === 'settle' ? 'settling' : 'confirming';
  return [{ kind, scenarios: progress.scenarios, rounds: confirmationRounds }, started];
}

/** Events after a round: its figures, and at a look what it said. */
export function afterRound(evidence: Evidence, round: Round, next: Progress): readonly ProgressEvent[] {
  const { index, of, timeLeft } = place(evidence, round.phase);
  const done: ProgressEvent = {
    kind: 'round-done',
    index,
    of,
    phase: round.phase,
    figures: quickFigures(evidence, round),
    timeLeft: next.kind === 'decided' ? null : timeLeft,
  };
  if (round.phase === 'confirming' || !evidence.plan.looks.includes(index)) return [done];
  const soFar =
    next.kind === 'decided'
      ? next.verdict.outcome
      : next.purpose === 'confirm'
        ? 'a row is flagged'
        : 'not decided yet';
  return [done, { kind: 'looked', rounds: index, soFar }];
}

function place(
  evidence: Evidence,
  phase: Round['phase'],
): { index: number; of: number; timeLeft: Nanoseconds } {
  const { plan, rounds } = evidence;
  const index = rounds.filter((round) => round.phase === phase).length;
  const of = phase === 'confirming' ? plan.confirmationRounds : plan.rounds;
  const mean =
    rounds.length === 0
      ? plan.roundTime
      : rounds.reduce((sum, round) => sum + round.duration, 0) / rounds.length;
  return { index, of, timeLeft: ns(Math.max(0, of - index) * mean) };
}

/** The judged percentile of the first scenario over all of a side's shots in the round. */
function quickFigures(evidence: Evidence, round: Round): QuickFigures | null {
  const scenario = evidence.plan.scenarios.find((one) =>
    round.trials.some((trial) => trial.scenario === one.name),
  );
  if (scenario === undefined) return null;
  const of = (side: Side): Nanoseconds | null =>
    percentileOf(
      round.trials.filter((trial) => trial.side === side && trial.scenario === scenario.name),
      scenario.tailPercentile,
    );
  return {
    scenario: scenario.name,
    percentile: scenario.tailPercentile,
    baseline: of('baseline'),
    candidate: of('candidate'),
  };
}

function percentileOf(trials: Round['trials'], percentile: PercentileName): Nanoseconds | null {
  const merged = new LatencyHistogram();
  for (const trial of trials) merged.add(LatencyHistogram.decode(trial.load.histograms.response));
  return merged.percentile(percentileShare[percentile]);
}
