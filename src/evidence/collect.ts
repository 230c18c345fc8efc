/** Evidence as a job gathers it: begun before the first round, one round added at a time. Pure. */
import type { JobPlan } from '../config/plan.ts';
import type { GateConfig } from '../config/settings.ts';
import type { Warning } from '../kernel/errors.ts';
import type { Side } from '../kernel/words.ts';
import type { Environment, Evidence, RevisionRecord, Round } from './trial.ts';

/** What is known before the first round. */
export interface EvidenceStart {
  readonly createdAt: Date;
  readonly environment: Environment;
  readonly revisions: Readonly<Record<Side, RevisionRecord>>;
  readonly identicalBuilds: boolean;
  readonly warnings: readonly Warning[];
  readonly plan: JobPlan;
  readonly config: Pick<GateConfig, 'judge' | 'onDifferentBody'>;
}

/** Share of a plan's pairs that may be run again. */
const replaceableShare = 0.25;

export function startEvidence(start: EvidenceStart): Evidence {
  return {
    schema: 'tailgate-evidence',
    version: 1,
    createdAt: start.createdAt.toISOString(),
    environment: start.environment,
    revisions: start.revisions,
    identicalBuilds: start.identicalBuilds,
    plan: start.plan,
    judge: start.config.judge,
    onDifferentBody: start.config.onDifferentBody,
    rounds: [],
    warnings: start.warnings,
  };
}

export function addRound(evidence: Evidence, round: Round): Evidence {
  return { ...evidence, rounds: [...evidence.rounds, round] };
}

/** How many more unsound pairs may be run again: a quarter of the plan's pairs, less those replaced so far. */
export function replaceablePairs(evidence: Evidence): number {
  const pairs =
    evidence.plan.scenarios.reduce((sum, scenario) => sum + scenario.slices, 0) * evidence.plan.rounds;
  const replaced = evidence.rounds
    .flatMap((round) => round.trials)
    .filter((trial) => trial.replacement && trial.side === 'baseline').length;
  return Math.max(0, Math.floor(pairs * replaceableShare) - replaced);
}
