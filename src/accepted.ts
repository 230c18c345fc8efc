/** Conductor of second judgements: stored evidence under other settings, with the waivers that count today. */
import { type AcceptedChange, lastWord } from './builds/trailers.ts';
import type { GateConfig } from './config/settings.ts';
import type { Evidence, Waiver } from './evidence/trial.ts';
import type { BenchEvidence } from './microbench/evidence.ts';

export const ofConfiguration = 'the configuration';

/** What may be accepted in a job: the waivers of the file, and what commits or a description accept. */
export function waiversOf(
  config: Pick<GateConfig, 'waivers'>,
  accepted: readonly AcceptedChange[],
): readonly Waiver[] {
  return [...config.waivers.map((waiver) => ({ ...waiver, origin: ofConfiguration })), ...accepted];
}

/** What a file says about evidence that is there already. */
type Judging = Pick<GateConfig, 'judge' | 'onDifferentBody' | 'waivers' | 'trustConfig'>;

/**
 * Evidence as if these settings had been there when it was measured: tolerances, waivers, and what a different answer
 * means. What its commits accepted goes on counting, unless the baseline is trusted alone; and a counter that the
 * settings do not name keeps its tolerance.
 * @param later what was accepted after it was measured; it replaces what commits say about the same row.
 */
export function withSettings(
  evidence: Evidence,
  config: Judging & Pick<GateConfig, 'metrics'>,
  later: readonly AcceptedChange[] = [],
): Evidence {
  const { benchmarks, counters } = evidence;
  const named = new Map(config.metrics.map(({ name, judge }) => [name, judge]));
  return {
    ...evidence,
    judge: config.judge,
    onDifferentBody: config.onDifferentBody,
    waivers: waiversWith(config, evidence.waivers, later),
    ...(counters === undefined
      ? {}
      : {
          counters: counters.map((counter) => {
            const judge = named.get(counter.name);
            return judge === undefined ? counter : { ...counter, judge };
          }),
        }),
    benchmarks: benchmarks === null ? null : { ...benchmarks, plan: benchPlanWith(config, benchmarks) },
  };
}

/** The same of `tailgate bench`. */
export function benchWithSettings(evidence: BenchEvidence, config: Judging): BenchEvidence {
  return {
    ...evidence,
    plan: benchPlanWith(config, evidence),
    waivers: waiversWith(config, evidence.waivers ?? [], []),
  };
}

const benchPlanWith = (config: Judging, { plan }: BenchEvidence): BenchEvidence['plan'] => ({
  ...plan,
  tolerance: config.judge.microbenchmarks,
  onDifferentResult: config.onDifferentBody,
});

function waiversWith(
  config: Judging,
  stored: readonly Waiver[],
  later: readonly AcceptedChange[],
): readonly Waiver[] {
  const ofCommits = stored.filter((waiver) => waiver.origin !== ofConfiguration);
  return waiversOf(config, config.trustConfig === 'baseline' ? [] : lastWord([later, ofCommits]));
}
