/** What later steps of a workflow read: the outputs of the action, and the lines pinned to the job. */
import type { Evidence } from '../evidence/trial.ts';
import type { LogRatio } from '../kernel/units.ts';
import { toChange } from '../kernel/units.ts';
import type { RowState } from '../kernel/words.ts';
import type { Finding, Verdict } from '../verdict/finding.ts';
import type { ReportContext } from './context.ts';
import { visible } from './escape.ts';
import { changeText, metricLabel, none, spreadOf } from './figures.ts';
import { headlineOf } from './headline.ts';
import { sentence } from './phrase.ts';
import { hasOwnName, isCpu, isTailPercentile, judgedRatios, rowOf, worstFirst } from './rows.ts';
import { plainPhrase } from './terminal.ts';

/**
 * Every output is a text, empty when there is no figure. Figures are in per cent without a sign for it: `18.4`,
 * `-3.2`. `spread` and `smallest-detectable-change` belong to the row that `p99-change` was taken from.
 */
export interface Outputs {
  readonly verdict: string;
  readonly conclusion: string;
  /** JSON lists of `{scenario, metric, change, interval, spread}`, worst first; figures in per cent or points. */
  readonly regressions: string;
  readonly improvements: string;
  readonly inconclusive: string;
  readonly accepted: string;
  /** Of the tail percentile that is judged: p99 wherever it is eligible; the worst judged scenario. */
  readonly 'p99-change': string;
  readonly 'cpu-change': string;
  readonly spread: string;
  readonly 'smallest-detectable-change': string;
  readonly 'baseline-sha': string;
  readonly 'candidate-sha': string;
}

/** The runner refuses outputs beyond 1 MiB; nobody reads more rows than this in an expression. */
const mostListed = 200;

export function outputsOf(verdict: Verdict, evidence: Evidence | null, context: ReportContext): Outputs {
  const findings = worstFirst(verdict.findings);
  const [tail] = judgedRatios(findings, isTailPercentile);
  const [cpu] = judgedRatios(findings, isCpu);
  const tailChange = tail?.change.kind === 'ratio' ? tail.change : null;
  return {
    verdict: verdict.outcome,
    conclusion: context.conclusion,
    regressions: listed(findings, 'regressed'),
    improvements: listed(findings, 'improved'),
    inconclusive: listed(findings, 'undecided'),
    accepted: listed(findings, 'accepted'),
    'p99-change': percent(tailChange?.effect ?? null),
    'cpu-change': percent(cpu?.change.kind === 'ratio' ? cpu.change.effect : null),
    spread: percent(spreadChange(tailChange?.spread ?? null)),
    'smallest-detectable-change': percent(tailChange?.smallestDetectable ?? null),
    'baseline-sha': (evidence?.revisions.baseline ?? context.revisions.baseline)?.sha ?? '',
    'candidate-sha': (evidence?.revisions.candidate ?? context.revisions.candidate)?.sha ?? '',
  };
}

function listed(findings: readonly Finding[], state: RowState): string {
  const rows = findings
    .filter((finding) => finding.judged && finding.state === state)
    .slice(0, mostListed)
    .map((finding) => {
      const { change } = finding;
      const ratioChange = change.kind === 'ratio' ? change : null;
      return {
        scenario: finding.scenario,
        metric: finding.metric,
        change: number(ratioChange?.effect ?? (change.kind === 'points' ? change.difference : null)),
        interval: ratioChange?.interval?.map((end) => number(end)) ?? null,
        spread: number(spreadChange(ratioChange?.spread ?? null)),
      };
    });
  return JSON.stringify(rows);
}

const spreadChange = (spread: LogRatio | null): number | null => (spread === null ? null : toChange(spread));

/** In per cent with two digits behind the point; null when it is no number. */
function number(value: number | null): number | null {
  if (value === null || !Number.isFinite(value)) return null;
  return Number((value * 100).toFixed(2));
}

const percent = (value: number | null): string => {
  const rounded = number(value);
  return rounded === null ? '' : String(rounded);
};

/** A line that is pinned to the job: plain text, both parts printable. */
export interface PinnedLine {
  readonly title: string;
  readonly message: string;
}

/**
 * One line a regressed row, worst first, or one with the reason when there is no such row.
 * @param exitCode of the job.
 */
export function annotationsOf(verdict: Verdict, exitCode: number): readonly PinnedLine[] {
  const findings = worstFirst(verdict.findings);
  const regressed = findings.filter((finding) => finding.judged && finding.state === 'regressed');
  if (verdict.outcome === 'regression' && regressed.length > 0) return regressed.map(pinned);
  const headline = headlineOf(verdict, findings, { evidence: null, measuredAlone: false, exitCode });
  return [
    {
      title: `Tailgate: ${exitCode === 1 && verdict.outcome !== 'regression' ? 'missing' : verdict.outcome}`,
      message: plainPhrase(headline.first),
    },
  ];
}

function pinned(finding: Finding): PinnedLine {
  const row = rowOf(finding);
  const spread = spreadOf(finding.change);
  const words = [
    `${changeText(finding.change)} (${row.baseline} → ${row.candidate}`,
    ...(row.interval === '' ? [] : [`95 % interval ${row.interval}`]),
    ...(spread === none ? [] : [`spread ${spread}`]),
  ];
  const reason = row.reason === null ? '' : ` ${plainPhrase(sentence(row.reason))}`;
  return {
    title: `Regression: ${metricLabel(finding.metric)}${hasOwnName(finding) ? '' : ' of'} ${visible(finding.scenario, 60)}`,
    message: `${words.join(', ')}).${reason}`,
  };
}
