/** Verdict, evidence and context → everything a report says, decided once; renderers escape and lay out. */
import type { Evidence } from '../evidence/trial.ts';
import { assertNever } from '../kernel/errors.ts';
import { formatCount, formatDuration } from '../kernel/units.ts';
import type { MetricName, Outcome, Side } from '../kernel/words.ts';
import { metricNames, sides } from '../kernel/words.ts';
import type { Finding, Verdict } from '../verdict/finding.ts';
import type { Conclusion } from '../verdict/outcome.ts';
import type { Accepting } from './accepting.ts';
import { acceptingOf } from './accepting.ts';
import type { PastResult, ReportContext } from './context.ts';
import type { Fact, SideFact } from './diagnostics.ts';
import { environmentFacts, jobFacts, loadFacts, measuringTime, shortSha } from './diagnostics.ts';
import { changeOrNone, metricLabel, metricMeaning, sizeText, spreadOf } from './figures.ts';
import { headlineOf, repeatsFigures } from './headline.ts';
import { judgedIn } from './headline-rows.ts';
import type { LatencyPicture } from './latency.ts';
import { latencyPictures } from './latency.ts';
import { extendHistory, makeMarker } from './marker.ts';
import type { Note } from './notes.ts';
import { notesOf } from './notes.ts';
import type { Phrase } from './phrase.ts';
import { joined, name, say, sentence } from './phrase.ts';
import type { ReportRow, Tone } from './rows.ts';
import { isAlone, isCpu, isTailPercentile, rowOf, subject, worstChange, worstFirst } from './rows.ts';
import { leftOutSentence, shownFindings } from './shown.ts';

export interface ReportView {
  readonly outcome: Outcome;
  readonly conclusion: Conclusion;
  readonly exitCode: number;
  readonly tone: Tone;
  /** Which gate of the repository: foreign text. */
  readonly gate: string;
  /** Stands by itself. */
  readonly headline: Phrase;
  readonly explanation: readonly Phrase[];
  /** Judged or changed rows, worst first. */
  readonly rows: readonly ReportRow[];
  /** Every metric, worst first. */
  readonly allRows: readonly ReportRow[];
  /** Only one scenario, and nobody named it: then the rows need no name. */
  readonly alone: boolean;
  /** What the columns of the table mean, in one line. */
  readonly legend: Phrase;
  readonly meanings: readonly { readonly metric: string; readonly meaning: string }[];
  /** Why rows are what they are, where that is not plain. */
  readonly reasons: readonly Phrase[];
  /** For who suspects a false alarm; empty where there is none. */
  readonly doubt: Phrase;
  readonly notes: readonly Note[];
  /** The last lines of what failed. */
  readonly log: { readonly side: Side | null; readonly lines: readonly string[] } | null;
  readonly latency: readonly LatencyPicture[];
  /** The candidate by itself, where there was no baseline. */
  readonly measuredAlone: ReportContext['measuredAlone'];
  readonly sideFacts: readonly SideFact[];
  readonly jobFacts: readonly Fact[];
  readonly environment: readonly Fact[];
  /** Rounds, time, both revisions, in one line. */
  readonly footer: Phrase;
  readonly reproduce: string | null;
  readonly judge: string | null;
  readonly accepting: Accepting | null;
  /** Earlier results and this one, oldest first. */
  readonly history: readonly HistoryRow[];
  readonly links: ReportContext['links'];
  /** The hidden line of a comment; null outside GitHub. */
  readonly marker: string | null;
}

export interface HistoryRow {
  readonly sha: string;
  readonly outcome: Outcome;
  readonly tail: string;
  readonly cpu: string;
  readonly current: boolean;
}

/** Pictures of more scenarios than this are nobody's reading. */
const mostPictures = 20;
const mostReasons = 30;
/** Rows that are named before the reason they share. */
const mostSubjects = 20;

/**
 * @param evidence what was measured; null when the job never got that far.
 * @returns plain data. Strings that came from outside are in `name` and `quote` pieces, or named as foreign above.
 */
export function makeView(verdict: Verdict, evidence: Evidence | null, context: ReportContext): ReportView {
  const findings = worstFirst(verdict.findings);
  const alone = isAlone(findings);
  const headline = headlineOf(verdict, findings, {
    evidence,
    measuredAlone: context.measuredAlone.length > 0,
    exitCode: context.exitCode,
  });
  const pictures = picturesOf(evidence, findings);
  const history = extendHistory(context.history, thisResult(verdict, findings, evidence, context));
  const regressed = findings.filter((finding) => finding.judged && finding.state === 'regressed');
  return {
    outcome: verdict.outcome,
    conclusion: context.conclusion,
    exitCode: context.exitCode,
    tone: toneOf(verdict.outcome),
    gate: context.id,
    headline: headline.first,
    explanation: [...headline.more, ...leftOutSentence(findings)],
    rows: shownFindings(findings).map(rowOf),
    allRows: findings.map(rowOf),
    alone,
    legend: legendOf(findings),
    meanings: meaningsOf(findings),
    reasons: reasonsOf(verdict, findings, alone),
    doubt: verdict.outcome === 'regression' ? doubtOf() : [],
    notes: [...notesOf(verdict, evidence, findings), ...pictures.notes],
    log: logOf(verdict),
    latency: pictures.pictures,
    measuredAlone: context.measuredAlone,
    sideFacts: evidence === null ? [] : loadFacts(evidence, verdict),
    jobFacts: jobFacts(verdict, evidence, context),
    environment: environmentFacts(evidence, context),
    footer: footerOf(verdict, evidence, context),
    reproduce: context.commands.reproduce,
    judge: context.commands.judge,
    accepting: acceptingOf(regressed, context),
    history: history.map((past, index) => historyRow(past, index === history.length - 1)),
    links: context.links,
    marker:
      context.run.kind === 'github'
        ? makeMarker({ id: context.id, run: context.run.id, attempt: context.run.attempt, history })
        : null,
  };
}

function toneOf(outcome: Outcome): Tone {
  switch (outcome) {
    case 'pass':
      return 'good';
    case 'regression':
    case 'invalid':
    case 'service-failed':
      return 'bad';
    case 'inconclusive':
    case 'no-baseline':
      return 'open';
    case 'skipped':
      return 'plain';
    default:
      return assertNever(outcome);
  }
}

function thisResult(
  verdict: Verdict,
  findings: readonly Finding[],
  evidence: Evidence | null,
  context: ReportContext,
): PastResult {
  return {
    run: context.run.kind === 'github' ? context.run.id : 0,
    attempt: context.run.kind === 'github' ? context.run.attempt : 0,
    sha: (evidence?.revisions.candidate ?? context.revisions.candidate)?.sha ?? '',
    outcome: verdict.outcome,
    tail: worstChange(findings, isTailPercentile),
    cpu: worstChange(findings, isCpu),
  };
}

function historyRow(past: PastResult, current: boolean): HistoryRow {
  return {
    sha: shortSha(past.sha),
    outcome: past.outcome,
    tail: changeOrNone(past.tail),
    cpu: changeOrNone(past.cpu),
    current,
  };
}

function picturesOf(
  evidence: Evidence | null,
  findings: readonly Finding[],
): { readonly pictures: readonly LatencyPicture[]; readonly notes: readonly Note[] } {
  if (evidence === null || evidence.rounds.length === 0) return { pictures: [], notes: [] };
  const planned = evidence.plan.scenarios.map((scenario) => scenario.name);
  const wanted = [...new Set([...findings.map((finding) => finding.scenario), ...planned])]
    .filter((scenario) => planned.includes(scenario))
    .slice(0, mostPictures);
  const view = findings.find(isTailPercentile)?.view ?? 'on-time';
  const result = latencyPictures(evidence, wanted, view);
  if (result.kind === 'pictures') return { pictures: result.pictures, notes: [] };
  const message = say`The picture of response times is missing: ${sentence(result.reason)}`;
  return { pictures: [], notes: [{ message, hint: null }] };
}

function legendOf(findings: readonly Finding[]): Phrase {
  const rows = findings.filter((finding) => finding.change.kind === 'ratio');
  if (rows.length === 0) return [];
  const views = new Set(rows.filter((finding) => finding.judged).map((finding) => finding.view));
  const shots = views.has('all-shots')
    ? ' Percentiles are over all requests.'
    : views.has('on-time')
      ? ' Percentiles are over requests that were sent on time.'
      : '';
  const factors = rows.some((finding) => spreadOf(finding.change).startsWith('×'))
    ? ' (×÷2: twice or half as much)'
    : '';
  return say`The columns are medians over all rounds; the change compares the sides within each round, so a machine that changed its speed moves the columns and not the change. Spread: half the 95 % interval${factors}. A row is red when it got worse by more than its spread and by at least the first of these figures, and a test of all rows together rules out chance; it passes when more than the second is ruled out: ${limitsOf(rows)}.${shots}`;
}

/** `p50 5 and 10 %, …`: from what size on a row counts, and what a pass rules out. */
function limitsOf(rows: readonly Finding[]): string {
  const limits = new Map<string, Set<string>>();
  for (const { judged, metric, tolerance } of rows) {
    if (!judged || tolerance.detect === null) continue;
    const label = metric === 'microbenchmark' ? 'microbenchmarks' : metricLabel(metric);
    const text = `${sizeText(tolerance.min).replace(/ %$/, '')} and ${sizeText(tolerance.detect)}`;
    limits.set(label, (limits.get(label) ?? new Set()).add(text));
  }
  return [...limits].map(([label, texts]) => `${label} ${[...texts].join(' or ')}`).join(', ');
}

/** A run has a seed and a minute of its own: what chance made does not come again, what the change made does. */
const doubtOf = (): Phrase =>
  say`In doubt? Run the job again: chance rarely comes twice, a change does. If it comes again and the code cannot be the reason, look at what else differs between the sides: dependencies, build output, data left behind by ${name('setup')}.`;

function meaningsOf(findings: readonly Finding[]): ReportView['meanings'] {
  const present = new Set<MetricName>(findings.map((finding) => finding.metric));
  return metricNames
    .filter((metric) => present.has(metric))
    .map((metric) => ({ metric: metricLabel(metric), meaning: metricMeaning(metric) }));
}

function reasonsOf(verdict: Verdict, findings: readonly Finding[], alone: boolean): readonly Phrase[] {
  const rows = new Map<string, Phrase[]>();
  // The headline has said it, with the way out.
  const worst = verdict.outcome === 'inconclusive' ? judgedIn(findings, 'undecided')[0] : undefined;
  const said = worst !== undefined && repeatsFigures(worst) ? worst.reason : null;
  for (const finding of findings) {
    const { reason } = rowOf(finding);
    if (reason !== null && reason !== said)
      rows.set(reason, [...(rows.get(reason) ?? []), subject(finding, alone)]);
  }
  const told = [...rows].map(([reason, subjects]) => {
    const rest = subjects.length - mostSubjects;
    const whose = joined(subjects.slice(0, mostSubjects), ', ');
    return say`${whose}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}: ${sentence(reason)}`;
  });
  const left = told.length - mostReasons;
  return left > 0 ? [...told.slice(0, mostReasons), say`… and ${formatCount(left)} more.`] : told;
}

function logOf(verdict: Verdict): ReportView['log'] {
  const { failure } = verdict;
  return failure === null || failure.tail.length === 0 ? null : { side: failure.side, lines: failure.tail };
}

function footerOf(verdict: Verdict, evidence: Evidence | null, context: ReportContext): Phrase {
  const parts: Phrase[] = [];
  const rounds = verdict.rounds.measured + verdict.rounds.confirming;
  const time = measuringTime(evidence);
  if (rounds > 0) {
    const took = time === null ? '' : ` in ${formatDuration(time)}`;
    parts.push(say`${formatCount(rounds)} ${rounds === 1 ? 'round' : 'rounds'}${took}`);
  }
  for (const side of sides) {
    const revision = evidence?.revisions[side] ?? context.revisions[side];
    if (revision === null || revision === undefined) continue;
    const how = side === 'baseline' && revision.how !== '' ? say` (${sentence(revision.how, '')})` : [];
    parts.push(say`${side} ${name(shortSha(revision.sha))}${how}`);
  }
  if (evidence !== null) parts.push(say`seed ${name(String(evidence.plan.seed))}`);
  return joined(parts, ' · ');
}
