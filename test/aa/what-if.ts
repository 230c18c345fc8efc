/** The verdict of stored evidence under other rules: one more judged metric, other tolerances. Pure. */
import type { JudgeSettings } from '../../src/config/settings.ts';
import type { Evidence } from '../../src/evidence/trial.ts';
import type { MetricName } from '../../src/kernel/words.ts';
import type { Verdict } from '../../src/verdict/finding.ts';
import type { JudgeOptions } from '../../src/verdict/judge.ts';
import { judge } from '../../src/verdict/judge.ts';

/** The verdict as if no further round could come. @throws TailgateError when a histogram cannot be read. */
export function verdictOf(evidence: Evidence, options: JudgeOptions = {}): Verdict {
  const progress = judge(evidence, { ...options, final: true });
  if (progress.kind !== 'decided') throw new Error('final evidence is always decided');
  return progress.verdict;
}

export const withTolerances = (evidence: Evidence, settings: JudgeSettings): Evidence => ({
  ...evidence,
  judge: settings,
});

/** The metric takes part in the family of every scenario; `p95` has the tolerance of `p99`. */
export function withJudged(evidence: Evidence, metric: MetricName): Evidence {
  const scenarios = evidence.plan.scenarios.map((scenario) =>
    scenario.judged.includes(metric) ? scenario : { ...scenario, judged: [...scenario.judged, metric] },
  );
  return { ...evidence, plan: { ...evidence.plan, scenarios } };
}

export interface WhatIf {
  readonly metric: MetricName;
  readonly jobs: number;
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
  /** Jobs in which the added metric was flagged, and those in which nothing had been flagged before. */
  readonly flagged: number;
  readonly flaggedAlone: number;
  /** Jobs that passed before and are inconclusive for the added metric alone. */
  readonly lostPasses: number;
}

/** @param pairs of every job its verdict as it is, and with the metric added. */
export function whatIf(
  metric: MetricName,
  pairs: readonly { readonly before: Verdict; readonly after: Verdict }[],
): WhatIf {
  const count = (pick: (pair: (typeof pairs)[number]) => Verdict): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const pair of pairs) counts[pick(pair).outcome] = (counts[pick(pair).outcome] ?? 0) + 1;
    return counts;
  };
  const isFlagged = (verdict: Verdict, wanted?: MetricName): boolean =>
    verdict.findings.some(
      (finding) =>
        (wanted === undefined || finding.metric === wanted) &&
        ((finding.confirmation !== 'not-needed' && finding.confirmation !== 'settled') ||
          (finding.reason ?? '').startsWith('flagged, but')),
    );
  return {
    metric,
    jobs: pairs.length,
    before: count((pair) => pair.before),
    after: count((pair) => pair.after),
    flagged: pairs.filter(({ after }) => isFlagged(after, metric)).length,
    flaggedAlone: pairs.filter(({ before, after }) => isFlagged(after, metric) && !isFlagged(before)).length,
    lostPasses: pairs.filter(
      ({ before, after }) =>
        before.outcome === 'pass' &&
        after.outcome === 'inconclusive' &&
        after.findings.every(
          (finding) => !finding.judged || finding.metric === metric || finding.state !== 'undecided',
        ),
    ).length,
  };
}
