/** Conductor of second judgements: stored evidence under other settings, with the waivers that count today. */
import { type AcceptedChange, lastWord } from './builds/trailers.ts';
import type { GateConfig } from './config/settings.ts';
import type { Evidence, Waiver } from './evidence/trial.ts';

export const ofConfiguration = 'the configuration';

/** What may be accepted in a job: the waivers of the file, and what commits or a description accept. */
export function waiversOf(
  config: Pick<GateConfig, 'waivers'>,
  accepted: readonly AcceptedChange[],
): readonly Waiver[] {
  return [...config.waivers.map((waiver) => ({ ...waiver, origin: ofConfiguration })), ...accepted];
}

/**
 * Evidence as if these settings had been there when it was measured: tolerances, waivers, and what a different answer
 * means. What its commits accepted goes on counting, unless the baseline is trusted alone.
 * @param later what was accepted after it was measured; it replaces what commits say about the same row.
 */
export function withSettings(
  evidence: Evidence,
  config: Pick<GateConfig, 'judge' | 'onDifferentBody' | 'waivers' | 'trustConfig'>,
  later: readonly AcceptedChange[] = [],
): Evidence {
  const { benchmarks } = evidence;
  const ofCommits = evidence.waivers.filter((waiver) => waiver.origin !== ofConfiguration);
  const accepted = config.trustConfig === 'baseline' ? [] : lastWord([later, ofCommits]);
  return {
    ...evidence,
    judge: config.judge,
    onDifferentBody: config.onDifferentBody,
    waivers: waiversOf(config, accepted),
    benchmarks:
      benchmarks === null
        ? null
        : {
            ...benchmarks,
            plan: {
              ...benchmarks.plan,
              tolerance: config.judge.microbenchmarks,
              onDifferentResult: config.onDifferentBody,
            },
          },
  };
}
