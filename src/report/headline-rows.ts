/** What a headline says about single rows: the one that decides, its companion, the others, the accepted ones. */
import { assertNever } from '../kernel/errors.ts';
import { formatCount } from '../kernel/units.ts';
import type { RowState } from '../kernel/words.ts';
import type { Finding, Verdict } from '../verdict/finding.ts';
import { changeText, metricLabel, movement, none, spreadOf, valueText } from './figures.ts';
import type { Phrase } from './phrase.ts';
import { joined, name, say, sentence } from './phrase.ts';
import { hasOwnName, isAlone, isBenchmark, isCpu, isTailPercentile, judgedRatios, subject } from './rows.ts';

/** Accepted rows that are told in words; the table has all of them. */
const mostAccepted = 3;

export function judgedIn(findings: readonly Finding[], state: RowState): readonly Finding[] {
  return findings.filter((finding) => finding.judged && finding.state === state);
}

/** What only the other side has; `fails` when that is what the job fails for. */
export function missingSentence(missing: readonly Finding[], alone: boolean, fails: boolean): Phrase {
  const [first] = missing;
  const rest = missing.length > 1 ? ` (and ${counted(missing.length - 1, 'other row')})` : '';
  return fails
    ? say`Missing: ${subject(first!, alone)}${rest} was not measured on the side of this change, and ${name('fail-on')} says that fails.`
    : say`${subject(first!, alone)}${rest} is missing on the side of this change.`;
}

/** What somebody let through stays in sight, with the reason they gave. */
export function acceptedSentences(findings: readonly Finding[]): Phrase[] {
  const alone = isAlone(findings);
  const accepted = judgedIn(findings, 'accepted');
  const remarks = new Set<string>();
  const told = accepted.slice(0, mostAccepted).map((finding) => {
    const words = finding.reason === null ? null : saidOnce(finding.reason, remarks);
    const reason = words === null ? say`.` : joined([say`:`, sentence(words)]);
    return say`Accepted: ${subject(finding, alone)} ${movementWithSpread(finding)}${reason}`;
  });
  const left = accepted.length - told.length;
  return left > 0 ? [...told, say`${counted(left, 'more row')} accepted.`] : told;
}

/** What else there was to say about a row follows the quotation, and is often the same for every row. */
function saidOnce(reason: string, said: Set<string>): string {
  const end = reason.lastIndexOf('”; ');
  if (end === -1) return reason;
  const remark = reason.slice(end + 3);
  if (said.has(remark)) return reason.slice(0, end + 1);
  said.add(remark);
  return reason;
}

/** `rose 18 % (spread ±6 %)`, for shares `rose by 4.2 points, from 0 % to 4.2 %`. */
export function movementWithSpread(finding: Finding): string {
  const { change, unit } = finding;
  switch (change.kind) {
    case 'ratio': {
      const spread = spreadOf(change);
      return `${movement(change)}${spread === none ? '' : ` (spread ${spread})`}`;
    }
    case 'points': {
      const [from, to] = [valueText(unit, finding.baseline), valueText(unit, finding.candidate)];
      const ends = from === none || to === none ? '' : `, from ${from} to ${to}`;
      return `${movement(change)}${ends}`;
    }
    case 'none':
      return finding.state === 'missing' ? 'is missing' : 'got worse';
    default:
      return assertNever(change);
  }
}

/** The other half of what everybody asks: beside a latency its CPU, beside CPU the judged tail percentile. */
export function companionSentence(worst: Finding, findings: readonly Finding[]): Phrase {
  const costs = isCpu(worst) || worst.metric === 'cpu-total';
  const wanted = costs ? isTailPercentile : isCpu;
  const companion = findings.find(
    (finding) => finding.judged && finding.scenario === worst.scenario && wanted(finding),
  );
  if (companion === undefined) return [];
  const label = metricLabel(companion.metric);
  switch (companion.state) {
    case 'unchanged':
      return say`${label} unchanged.`;
    case 'improved':
      return say`${label} ${movement(companion.change)}.`;
    case 'undecided':
      // Beside a total that rose, "CPU undecided" would read as a contradiction.
      return worst.state === 'undecided' || judgedIn(findings, 'regressed').some(isTotalOf(companion))
        ? []
        : say`${label} undecided.`;
    default:
      return [];
  }
}

const isTotalOf =
  ({ scenario }: Finding) =>
  (finding: Finding): boolean =>
    finding.metric === 'cpu-total' && finding.scenario === scenario;

/** Scenarios beside the worst row's of which nothing is worse or open: where a change did not reach. */
export function untouchedSentence(worst: Finding, findings: readonly Finding[]): Phrase {
  const load = findings.filter((finding) => finding.judged && !hasOwnName(finding));
  const untouched = [...new Set(load.map(({ scenario }) => scenario))].filter(
    (scenario) =>
      scenario !== worst.scenario &&
      load.every((finding) => finding.scenario !== scenario || finding.state === 'unchanged'),
  );
  if (untouched.length === 0) return [];
  if (untouched.length > mostUntouched) return say`Unchanged: ${counted(untouched.length, 'scenario')}.`;
  return say`Unchanged: ${joined(
    untouched.map((scenario) => say`${name(scenario)}`),
    ', ',
  )}.`;
}

const mostUntouched = 3;
/** One more than this is named, too: "and 1 more" would be as long. */
const mostOthers = 2;

export function alsoWorse(others: readonly Finding[], alone: boolean): Phrase {
  const named = others
    .slice(0, others.length === mostOthers + 1 ? others.length : mostOthers)
    .map((finding) => say`${subject(finding, alone)} (${changeText(finding.change)})`);
  const rest = others.length - named.length;
  return say`Also worse: ${joined(named, ', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}.`;
}

export function confirmedSentence(verdict: Verdict, worst: Finding): Phrase {
  // The rounds of a verdict are those of the load test.
  const rounds = isBenchmark(worst) ? 0 : verdict.rounds.confirming;
  return rounds > 0
    ? say`Confirmed by ${formatCount(rounds)} further rounds with fresh processes.`
    : say`Confirmed by further rounds with fresh processes.`;
}

export const settledSentence = ({ rounds }: Verdict): Phrase =>
  say`Shown by all ${formatCount(rounds.measured + rounds.confirming)} rounds together: the first ${formatCount(rounds.measured)} left it open, so ${formatCount(rounds.confirming)} more were measured.`;

/** A pass shows its largest rises: the tail percentile's and the CPU's. */
export function largestFigures(findings: readonly Finding[], alone: boolean): Phrase {
  const judged = findings.filter((finding) => finding.judged && finding.change.kind === 'ratio');
  const shown = [judgedRatios(findings, isTailPercentile)[0], judgedRatios(findings, isCpu)[0]].filter(
    (finding) => finding !== undefined,
  );
  if (shown.length === 0) return [];
  const several = new Set(judged.map((finding) => finding.scenario)).size > 1;
  const figures = shown.map(
    (finding) =>
      say`${subject(finding, alone)} ${changeText(finding.change)} (spread ${spreadOf(finding.change)})`,
  );
  return say`${several ? 'Largest: ' : ''}${joined(figures, ', ')}.`;
}

export const counted = (count: number, word: string): string =>
  `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`;
