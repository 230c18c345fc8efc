/** All findings → one outcome, and the outcome → exit code and conclusion: the same everywhere. */
import type { GateConfig } from '../config/settings.ts';
import { assertNever } from '../kernel/errors.ts';
import type { FailOn, MetricName, Outcome, RowState, Side } from '../kernel/words.ts';
import { metricNames } from '../kernel/words.ts';
import type { Finding, Verdict } from './finding.ts';

/** Worst first. */
export const severity: readonly RowState[] = [
  'regressed',
  'invalid',
  'missing',
  'undecided',
  'new',
  'improved',
  'accepted',
  'unchanged',
  'not-eligible',
];

/** Worst first, judged before shown for information, then in the order of the plan. */
export function worstFirst(findings: readonly Finding[], scenarios: readonly string[]): Finding[] {
  const place = (metric: MetricName): number => metricNames.indexOf(metric);
  return [...findings].sort(
    (a, b) =>
      Number(b.judged) - Number(a.judged) ||
      severity.indexOf(a.state) - severity.indexOf(b.state) ||
      scenarios.indexOf(a.scenario) - scenarios.indexOf(b.scenario) ||
      place(a.metric) - place(b.metric),
  );
}

/**
 * The outcome of judged findings. A shown regression outweighs what could not be measured; what could not be
 * measured outweighs what could not be decided; nothing but new rows has no baseline.
 */
export function foldOutcome(findings: readonly Finding[]): Outcome {
  const states = new Set(findings.filter((finding) => finding.judged).map((finding) => finding.state));
  if (states.has('regressed')) return 'regression';
  if (states.size === 0 || states.has('invalid')) return 'invalid';
  if (states.has('undecided')) return 'inconclusive';
  if (states.has('new') && states.size === 1) return 'no-baseline';
  return 'pass';
}

export interface ExitSettings {
  readonly failOn: readonly FailOn[];
  readonly onBaselineFailure: GateConfig['onBaselineFailure'];
}

/** Everything but what was asked to fail ends with 0. Bad configuration (2) never gets as far as a verdict. */
export function exitCodeOf(verdict: Verdict, settings: ExitSettings): number {
  const code = codeOf(verdict.outcome, verdict.failure?.side ?? null, settings);
  const missing = verdict.findings.some((finding) => finding.state === 'missing');
  return code === 0 && missing && settings.failOn.includes('missing') ? 1 : code;
}

function codeOf(outcome: Outcome, failedSide: Side | null, settings: ExitSettings): number {
  const asked = (word: FailOn, code: number): number => (settings.failOn.includes(word) ? code : 0);
  switch (outcome) {
    case 'pass':
    case 'skipped':
      return 0;
    case 'regression':
      return asked('regression', 1);
    case 'invalid':
      return asked('invalid', 3);
    case 'service-failed':
      return failedSide === 'baseline' && settings.onBaselineFailure === 'neutral'
        ? 0
        : asked('service-failed', 4);
    case 'no-baseline':
      return asked('no-baseline', 5);
    case 'inconclusive':
      return asked('inconclusive', 6);
    default:
      return assertNever(outcome);
  }
}

export type Conclusion = 'success' | 'failure' | 'neutral';

/** What a check shows: only a pass is a success, so that nothing turns green because something broke. */
export function conclusionOf(verdict: Verdict, settings: ExitSettings): Conclusion {
  if (exitCodeOf(verdict, settings) !== 0) return 'failure';
  return verdict.outcome === 'pass' ? 'success' : 'neutral';
}

/** A job that ended before anything could be judged. */
export function verdictWithout(
  outcome: Exclude<Outcome, 'pass' | 'regression'>,
  reason: string,
  details: Partial<Pick<Verdict, 'failure' | 'rounds' | 'slices' | 'warnings'>> = {},
): Verdict {
  return {
    outcome,
    findings: [],
    reason,
    failure: null,
    rounds: { measured: 0, planned: 0, confirming: 0 },
    slices: { measured: 0, rejected: 0 },
    onTimeShare: null,
    warnings: [],
    ...details,
  };
}
