/** Evidence as a job gathers it: begun before the first round, one round added at a time. Pure. */
import type { JobPlan } from '../config/plan.ts';
import type { GateConfig } from '../config/settings.ts';
import type { Warning } from '../kernel/errors.ts';
import { formatDuration, formatRatio, ratio } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import type { BenchEvidence } from '../microbench/evidence.ts';
import { checkWarnings } from './check-warnings.ts';
import { LatencyHistogram } from './histogram.ts';
import type { Environment, Evidence, Floor, LeftOut, RevisionRecord, Round, Waiver } from './trial.ts';

/** What is known before the first round. */
export interface EvidenceStart {
  readonly createdAt: Date;
  readonly environment: Environment;
  readonly revisions: Readonly<Record<Side, RevisionRecord>>;
  readonly identicalBuilds: boolean;
  readonly warnings: readonly Warning[];
  readonly placement: Evidence['placement'];
  readonly plan: JobPlan;
  readonly config: Pick<GateConfig, 'judge' | 'onDifferentBody' | 'cost' | 'metrics'>;
  readonly waivers: readonly Waiver[];
  /** Null when nothing is. */
  readonly leftOut: LeftOut | null;
}

/** Share of a scenario's p50 that the floor may be without a word. */
const floorShare = 0.2;
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
    waivers: start.waivers,
    onDifferentBody: start.config.onDifferentBody,
    placement: start.placement,
    cost: start.config.cost,
    counters: start.config.metrics.map(({ name, metric, judge }) => ({ name, metric, judge })),
    floor: [],
    rounds: [],
    benchmarks: null,
    ...(start.leftOut === null ? {} : { leftOut: start.leftOut }),
    warnings: start.warnings,
  };
}

export function addBenchmarks(evidence: Evidence, benchmarks: BenchEvidence): Evidence {
  return { ...evidence, benchmarks };
}

export function addFloor(evidence: Evidence, floor: readonly Floor[]): Evidence {
  return { ...evidence, floor };
}

/** Adds a round; after the first one it is known how much of the response time is the generator's own. */
export function addRound(evidence: Evidence, round: Round): Evidence {
  const rounds = [...evidence.rounds, round];
  const warnings =
    rounds.length === 1 ? [...floorWarnings(evidence.floor, round), ...checkWarnings(round)] : [];
  return { ...evidence, rounds, warnings: [...evidence.warnings, ...warnings] };
}

/** A floor above a fifth of what the service shows makes a small change of the service look smaller than it is. */
function floorWarnings(floors: readonly Floor[], round: Round): readonly Warning[] {
  return floors.flatMap(({ scenario, p50 }) => {
    const trials = round.trials.filter((trial) => trial.scenario === scenario && trial.side === 'baseline');
    const service = LatencyHistogram.merged(
      trials.map((trial) => LatencyHistogram.decode(trial.load.histograms.response)),
    ).percentile(0.5);
    if (service === null || p50 <= floorShare * service) return [];
    const [idle, real] = [formatDuration(p50), formatDuration(service)];
    if (p50 >= service) {
      return [
        {
          code: 'floor-not-measured',
          message: `the floor of \`${scenario}\` could not be measured: the machine was disturbed (p50 ${idle} against a responder that does nothing, ${real} against the service)`,
          hint: 'how much of the response times is the generator and the loopback is not known in this run',
        },
      ];
    }
    const share = formatRatio(ratio(p50 / service));
    return [
      {
        code: 'high-floor',
        message: `${share} of the p50 of \`${scenario}\` is the generator and the loopback (${idle} against a responder that does nothing)`,
        hint: 'a change of the service shows up smaller in the percentiles than it is; CPU per request is not affected',
      },
    ];
  });
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
