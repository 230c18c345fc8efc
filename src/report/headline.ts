/** The first sentence of every report, consequence first, and what has to be said right after it. */
import type { Evidence } from '../evidence/trial.ts';
import { assertNever } from '../kernel/errors.ts';
import { formatCount } from '../kernel/units.ts';
import type { Finding, Verdict } from '../verdict/finding.ts';
import { changeText, sizeText, spreadOf } from './figures.ts';
import { hintOf, invalid, noBaseline, serviceFailed } from './headline-failures.ts';
import {
  acceptedSentences,
  alsoWorse,
  companionSentence,
  confirmedSentence,
  counted,
  judgedIn,
  largestFigures,
  missingSentence,
  movementWithSpread,
  settledSentence,
  untouchedSentence,
} from './headline-rows.ts';
import type { Phrase } from './phrase.ts';
import { capital, joined, name, say, sentence, strong, strongPhrase } from './phrase.ts';
import { isAlone, subject } from './rows.ts';
import { whatWouldSettle } from './settling.ts';

export interface Headline {
  /** Enough by itself: what was decided, about what, by how much. */
  readonly first: Phrase;
  /** What it means and the way out; a few sentences at most. */
  readonly more: readonly Phrase[];
}

/** What a headline draws on beside the verdict. */
export interface HeadlineSources {
  readonly evidence: Evidence | null;
  /** Whether the candidate was measured although there was nothing to compare it with. */
  readonly measuredAlone: boolean;
  readonly exitCode: number;
}

/** @param findings worst first, so that the worst judged row decides the sentence. */
export function headlineOf(
  verdict: Verdict,
  findings: readonly Finding[],
  sources: HeadlineSources,
): Headline {
  const { first, more } = ofOutcome(verdict, findings, sources);
  const missing = judgedIn(findings, 'missing');
  if (missing.length === 0) return { first, more };
  // Beside a regression only missing rows end with 1.
  const fails = sources.exitCode === 1 && verdict.outcome !== 'regression';
  const said = missingSentence(missing, isAlone(findings), fails);
  if (verdict.outcome === 'pass') {
    const others = say`Every other judged metric stayed within its tolerance or got better.`;
    return { first: joined([strongPhrase(fails ? said : say`Pass, but ${said}`), others]), more };
  }
  return fails ? { first: joined([strongPhrase(said), first]), more } : { first, more: [said, ...more] };
}

function ofOutcome(
  verdict: Verdict,
  findings: readonly Finding[],
  { evidence, measuredAlone }: HeadlineSources,
): Headline {
  switch (verdict.outcome) {
    case 'regression':
      return regression(verdict, findings);
    case 'pass':
      return pass(findings);
    case 'inconclusive':
      return inconclusive(verdict, findings, evidence);
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
  const untouched = untouchedSentence(worst, findings);
  if (untouched.length > 0) more.push(untouched);
  if (worst.confirmation === 'confirmed') more.push(confirmedSentence(verdict, worst));
  if (worst.confirmation === 'settled') more.push(settledSentence(verdict));
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

function inconclusive(verdict: Verdict, findings: readonly Finding[], evidence: Evidence | null): Headline {
  const alone = isAlone(findings);
  const open = judgedIn(findings, 'undecided');
  const [worst] = open;
  if (worst === undefined) {
    const reason = verdict.reason ?? 'the spread of this run is too wide to say';
    return { first: strongPhrase(say`Inconclusive: ${sentence(reason)}`), more: hintOf(verdict) };
  }
  const rest = open.length > 1 ? ` (and ${counted(open.length - 1, 'other row')})` : '';
  const more: Phrase[] = [couldSee(worst)];
  const reason = repeatsFigures(worst) ? null : worst.reason;
  if (reason !== null) more.push(sentence(capital(reason)));
  // Some reasons end with the way out.
  if (reason?.endsWith(' would settle it') !== true) more.push(whatWouldSettle(worst, evidence));
  more.push(...acceptedSentences(findings));
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

/** A reason that only says the figures of its row in other words. */
export const repeatsFigures = ({ reason }: Finding): boolean => /^the spread is [±×]/.test(reason ?? '');

function couldSee(finding: Finding): Phrase {
  const { change, tolerance } = finding;
  if (change.kind !== 'ratio') {
    return change.kind === 'points' ? say`Measured ${changeText(change)}.` : [];
  }
  const { detect } = tolerance;
  const { smallestDetectable: least, upper } = change;
  const asked = detect === null ? '' : `, and a pass has to rule out ${sizeText(detect)}`;
  // What was measured is too near to the limit, however sharp the run was.
  const near = least !== null && detect !== null && least <= detect && upper !== null && upper > detect;
  const visible = near
    ? `; up to ${changeText({ ...change, effect: upper })} is not ruled out`
    : least === null
      ? ''
      : `; a rise below ${sizeText(least)} would mostly go unseen here`;
  return say`Measured ${changeText(change)} with a spread of ${spreadOf(change)}${visible}${asked}.`;
}
