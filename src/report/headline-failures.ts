/** First sentences of jobs that compared nothing: invalid, a service that failed, no baseline. */
import type { Verdict } from '../verdict/finding.ts';
import type { Headline } from './headline.ts';
import type { Phrase } from './phrase.ts';
import { capital, joined, name, say, sentence, strongPhrase } from './phrase.ts';

export function invalid(verdict: Verdict): Headline {
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

export function serviceFailed(verdict: Verdict): Headline {
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

export function noBaseline(verdict: Verdict, measuredAlone: boolean): Headline {
  return {
    first: joined([
      strongPhrase(say`No baseline: ${sentence(verdict.reason ?? 'there is nothing to compare with')}`),
      measuredAlone ? say`The candidate was measured; nothing was compared.` : say`Nothing was compared.`,
    ]),
    more: hintOf(verdict),
  };
}

export const hintOf = (verdict: Verdict): Phrase[] =>
  verdict.failure?.hint === null || verdict.failure === null ? [] : [sentence(capital(verdict.failure.hint))];
