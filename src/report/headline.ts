/** The first sentence of every report, consequence first, and what has to be said right after it. */
import { assertNever } from '../kernel/errors.ts';
import { formatCount } from '../kernel/units.ts';
import type { RowState } from '../kernel/words.ts';
import type { Finding, Verdict } from '../verdict/finding.ts';
import { changeText, metricLabel, movement, none, sizeText, spreadOf, valueText } from './figures.ts';
import type { Phrase } from './phrase.ts';
import { joined, name, say, sentence, strong } from './phrase.ts';
import { isAlone, isBenchmark, isCpu, isTailPercentile, judgedRatios, subject } from './rows.ts';

/** Accepted rows that are told in words; the table has all of them. */
const mostAccepted = 3;

export interface Headline {
  /** Enough by itself: what was decided, about what, by how much. */
  readonly first: Phrase;
  /** What it means and the way out; a few sentences at most. */
  readonly more: readonly Phrase[];
}

/**
 * @param findings worst first, so that the worst judged row decides the sentence.
 * @param measuredAlone whether the candidate was measured although there was nothing to compare it with.
 */
export function headlineOf(verdict: Verdict, findings: readonly Finding[], measuredAlone = false): Headline {
  switch (verdict.outcome) {
    case 'regression':
      return regression(verdict, findings);
    case 'pass':
      return pass(findings);
    case 'inconclusive':
      return inconclusive(verdict, findings);
    case 'invalid':
      return invalid(verdict);
    case 'service-failed':
      return serviceFailed(verdict);
    case 'no-baseline':
      return noBaseline(verdict, measuredAlone || findings.some((finding) => finding.candidate !== null));
    case 'skipped':
      return {
        first: say`${strong('Skipped: ', sentence(verdict.reason ?? 'this change touches nothing that is measured'))} Nothing was built or measured.`,
        more: hintOf(verdict),
      };
    default:
      return assertNever(verdict.outcome);
  }
}

function regression(verdict: Verdict, findings: readonly Finding[]): Headline {
  const alone = isAlone(findings);
  const bad = judgedIn(findings, 'regressed');
  const [worst] = bad.length > 0 ? bad : judgedIn(findings, 'missing');
  if (worst === undefined) {
    const reason = verdict.reason ?? 'a judged metric got worse';
    return { first: say`${strong('Regression: ', sentence(reason))}`, more: hintOf(verdict) };
  }
  const others = bad.filter((finding) => finding !== worst);
  const more: Phrase[] = [];
  if (others.length > 0) more.push(alsoWorse(others, alone));
  if (worst.confirmation === 'confirmed') more.push(confirmedSentence(verdict, worst));
  more.push(...acceptedSentences(findings));
  // The verdict room opens the reason of a side that cannot keep up with this word: then no percentage says as much.
  const saturated = /^saturated: /.exec(worst.reason ?? '');
  if (worst.reason !== null && saturated !== null) {
    const where = alone ? say`Regression: ` : say`Regression in ${name(worst.scenario)}: `;
    const first = say`${strong(where, sentence(worst.reason.slice(saturated[0].length)))}`;
    return { first, more };
  }
  if (worst.reason !== null) more.unshift(sentence(capital(worst.reason)));
  const first = joined([
    strongPhrase(say`Regression: ${subject(worst, alone)} ${movementWithSpread(worst)}.`),
    companionSentence(worst, findings),
  ]);
  return { first, more };
}

function pass(findings: readonly Finding[]): Headline {
  const alone = isAlone(findings);
  const improved = judgedIn(findings, 'improved');
  const accepted = judgedIn(findings, 'accepted').length;
  const [most] = improved;
  const figures = largestFigures(findings, alone);
  const more = acceptedSentences(findings);
  if (most === undefined) {
    const words = accepted > 0 ? `${withAccepted(accepted)}: every other` : 'Pass: every';
    return {
      first: joined([strongPhrase(say`${words} judged metric stayed within its tolerance.`), figures]),
      more,
    };
  }
  const rest = improved.length > 1 ? ` and ${counted(improved.length - 1, 'more improvement')}` : '';
  return {
    first: strongPhrase(
      say`${accepted > 0 ? withAccepted(accepted) : 'Pass'}: ${subject(most, alone)} ${movementWithSpread(most)}${rest}, and nothing ${accepted > 0 ? 'else ' : ''}judged got worse than its tolerance.`,
    ),
    more,
  };
}

const withAccepted = (count: number): string =>
  count === 1 ? 'Pass with an accepted change' : `Pass with ${formatCount(count)} accepted changes`;

/** What somebody let through stays in sight, with the reason they gave. */
function acceptedSentences(findings: readonly Finding[]): Phrase[] {
  const alone = isAlone(findings);
  const accepted = judgedIn(findings, 'accepted');
  const told = accepted.slice(0, mostAccepted).map((finding) => {
    const reason = finding.reason === null ? say`.` : joined([say`:`, sentence(finding.reason)]);
    return say`Accepted: ${subject(finding, alone)} ${movementWithSpread(finding)}${reason}`;
  });
  const left = accepted.length - told.length;
  return left > 0 ? [...told, say`${counted(left, 'more row')} accepted.`] : told;
}

function inconclusive(verdict: Verdict, findings: readonly Finding[]): Headline {
  const alone = isAlone(findings);
  const open = judgedIn(findings, 'undecided');
  const [worst] = open;
  if (worst === undefined) {
    const reason = verdict.reason ?? 'the spread of this run is too wide to say';
    return { first: strongPhrase(say`Inconclusive: ${sentence(reason)}`), more: hintOf(verdict) };
  }
  const rest = open.length > 1 ? ` (and ${counted(open.length - 1, 'other row')})` : '';
  const more: Phrase[] = [couldSee(worst)];
  // A reason that only repeats the figures of the row in other words is left to the table.
  if (worst.reason !== null && !/^the spread is ±/.test(worst.reason))
    more.push(sentence(capital(worst.reason)));
  more.push(whatWouldSettle(worst), ...acceptedSentences(findings));
  return {
    first: joined([
      strongPhrase(
        say`Inconclusive: this run cannot tell whether ${subject(worst, alone)} got worse${rest}.`,
      ),
      companionSentence(worst, findings),
    ]),
    more: more.filter((phrase) => phrase.length > 0),
  };
}

function couldSee(finding: Finding): Phrase {
  const { change, tolerance } = finding;
  if (change.kind !== 'ratio') {
    return change.kind === 'points' ? say`Measured ${changeText(change)}.` : [];
  }
  const visible =
    change.smallestDetectable === null
      ? ''
      : `; a rise below ${sizeText(change.smallestDetectable)} would mostly go unseen here`;
  const asked = tolerance.detect === null ? '' : `, and a pass has to rule out ${sizeText(tolerance.detect)}`;
  return say`Measured ${changeText(change)} with a spread of ${spreadOf(change)}${visible}${asked}.`;
}

function whatWouldSettle(finding: Finding): Phrase {
  const more = finding.roundsToSettle;
  if (more === null) {
    return say`A quieter or larger runner, a longer ${name('time-budget')} or a wider tolerance would help.`;
  }
  return say`About ${counted(more, 'more round')} would settle it (raise ${name('time-budget')} and ${name('rounds')}), or a quieter runner.`;
}

function invalid(verdict: Verdict): Headline {
  const reason = verdict.reason ?? verdict.failure?.message ?? 'the measurement cannot be trusted';
  const more = hintOf(verdict);
  return {
    first: joined([
      strongPhrase(say`Invalid: ${sentence(reason)}`),
      say`This says nothing about the change, good or bad.`,
    ]),
    more:
      more.length > 0
        ? more
        : [say`The diagnostics below show what the machine, the generator and both sides did.`],
  };
}

function serviceFailed(verdict: Verdict): Headline {
  const { failure } = verdict;
  const reason = failure?.message ?? verdict.reason ?? 'a service did not build, start or answer';
  const side = failure?.side ?? null;
  const whose = side === null || reason.includes(side) ? '' : ` on the ${side} side`;
  const more: Phrase[] = [...hintOf(verdict)];
  if (failure?.side === 'baseline') {
    more.push(
      say`The baseline is the code without this change, run with the settings of this change: it was broken before, or ${name('setup')} and ${name('start')} no longer fit it. ${name('on-baseline-failure: neutral')} keeps such a job from failing.`,
    );
  }
  return {
    first: joined([
      strongPhrase(say`Service failed${whose}: ${sentence(reason)}`),
      say`Nothing was compared.`,
    ]),
    more,
  };
}

function noBaseline(verdict: Verdict, measuredAlone: boolean): Headline {
  return {
    first: joined([
      strongPhrase(say`No baseline: ${sentence(verdict.reason ?? 'there is nothing to compare with')}`),
      measuredAlone ? say`The candidate was measured; nothing was compared.` : say`Nothing was compared.`,
    ]),
    more: hintOf(verdict),
  };
}

const hintOf = (verdict: Verdict): Phrase[] =>
  verdict.failure?.hint === null || verdict.failure === null ? [] : [sentence(capital(verdict.failure.hint))];

function judgedIn(findings: readonly Finding[], state: RowState): readonly Finding[] {
  return findings.filter((finding) => finding.judged && finding.state === state);
}

/** `rose 18 % (spread ±6 %)`, for shares `rose by 4.2 points, from 0 % to 4.2 %`. */
function movementWithSpread(finding: Finding): string {
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
function companionSentence(worst: Finding, findings: readonly Finding[]): Phrase {
  const wanted = isCpu(worst) ? isTailPercentile : isCpu;
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
      return worst.state === 'undecided' ? [] : say`${label} undecided.`;
    default:
      return [];
  }
}

function alsoWorse(others: readonly Finding[], alone: boolean): Phrase {
  const named = others
    .slice(0, 2)
    .map((finding) => say`${subject(finding, alone)} (${changeText(finding.change)})`);
  const rest = others.length - named.length;
  return say`Also worse: ${joined(named, ', ')}${rest > 0 ? ` and ${formatCount(rest)} more` : ''}.`;
}

function confirmedSentence(verdict: Verdict, worst: Finding): Phrase {
  // The rounds of a verdict are those of the load test.
  const rounds = isBenchmark(worst) ? 0 : verdict.rounds.confirming;
  return rounds > 0
    ? say`Confirmed by ${formatCount(rounds)} further rounds with fresh processes.`
    : say`Confirmed by further rounds with fresh processes.`;
}

/** A pass shows its largest rises: the tail percentile's and the CPU's. */
function largestFigures(findings: readonly Finding[], alone: boolean): Phrase {
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

const counted = (count: number, word: string): string =>
  `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function strongPhrase(phrase: Phrase): Phrase {
  return [strong(phrase)];
}
