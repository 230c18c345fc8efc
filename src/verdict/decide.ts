/** Rows at a look → which are flagged, whether the job may pass, and the finding of each row. */
import { assertNever } from '../kernel/errors.ts';
import { formatCount } from '../kernel/units.ts';
import type { Outcome, RowState } from '../kernel/words.ts';
import { unitOf } from './compare.ts';
import type { Hypothesis } from './estimate.ts';
import { isRed } from './estimate.ts';
import type { Change, Finding } from './finding.ts';
import type { Look } from './looks.ts';
import { familyLevel } from './looks.ts';
import { beyondSpreadSentence, notConfirmedSentence, roundsToSettle, undecidedSentence } from './reasons.ts';
import type { Row } from './rows.ts';
import { isWorse } from './rows.ts';
import { holmWithTarone } from './statistics.ts';

/** The judged rows of a job tested as one family. */
export interface Family {
  /** By hypothesis; null for one that cannot reach the level. */
  readonly adjusted: ReadonlyMap<Hypothesis, number | null>;
  readonly flagged: ReadonlySet<Row>;
}

/** Smallest p of six rounds: enough to send something blatant to confirmation, never to fail on. */
const blatantLevel = 1 / 64;

/** Rows that a look flags: Holm-adjusted p at most its level, an effect that matters, and beyond its spread. */
export function flagAt(rows: readonly Row[], look: Look, confirm: boolean): Family {
  return test(rows, look.failLevel ?? familyLevel, (hypothesis, adjusted) => {
    if (look.failLevel !== null && isRed(hypothesis, adjusted, look.failLevel)) return true;
    return confirm && hypothesis.blatant && hypothesis.large && hypothesis.p <= blatantLevel;
  });
}

/** Rows that stay beyond doubt when all rounds of their scenario are pooled. */
export function confirmAll(rows: readonly Row[], level: number): Family {
  return test(rows, level, (hypothesis, adjusted) => isRed(hypothesis, adjusted, level));
}

function test(
  rows: readonly Row[],
  level: number,
  isFlagged: (hypothesis: Hypothesis, adjusted: number | null) => boolean,
): Family {
  const family = rows
    .filter((row) => row.judged)
    .flatMap((row) => row.hypotheses.map((hypothesis) => ({ row, hypothesis })));
  const adjusted = holmWithTarone(
    family.map((member) => member.hypothesis),
    level,
  );
  const flagged = family.filter(({ hypothesis }, index) => isFlagged(hypothesis, adjusted[index]!));
  return {
    adjusted: new Map(family.map(({ hypothesis }, index) => [hypothesis, adjusted[index]!])),
    flagged: new Set(flagged.map(({ row }) => row)),
  };
}

/** Whether one row is shown to have moved by less than its tolerance, or needs no showing. */
function passes(row: Row): boolean {
  if (row.settled !== null) return row.settled.state === 'new' || row.settled.state === 'not-eligible';
  return row.bounded && row.blocked === null;
}

/** Whether the job may pass here: every judged row is bounded, and at an early look none may look worse. */
export function mayPass(rows: readonly Row[], look: Look): boolean {
  return rows.filter((row) => row.judged).every((row) => passes(row) && (look.last || !isWorse(row)));
}

/**
 * Scenarios that `more` fresh rounds may settle after a last look that flagged nothing and could not pass: when some
 * row looks worse, or when every open row would then be narrow enough. Empty when they would be spent in vain.
 */
export function worthMoreRounds(rows: readonly Row[], more: number): ReadonlySet<string> {
  const open = rows.filter((row) => row.judged && lookedState(row).state === 'undecided');
  const narrowEnough = (row: Row): boolean => {
    const needed = row.settled === null ? settleAfter(row, { kind: 'looked' }) : null;
    return needed !== null && needed <= more;
  };
  const worth = open.some(isWorse) || open.every(narrowEnough);
  return new Set(worth ? open.map((row) => row.scenario) : []);
}

/** How far a row has come. */
export type Stage =
  | { readonly kind: 'looked' }
  /** Flagged, and confirmation is switched off. */
  | { readonly kind: 'flagged-only' }
  | { readonly kind: 'confirmed' }
  /** No look had flagged it; all rounds together leave no doubt. */
  | { readonly kind: 'settled' }
  | { readonly kind: 'not-confirmed'; readonly first: Change }
  /** No look could decide it. */
  | { readonly kind: 'cut-short'; readonly reason: string }
  /** Its scenario cannot be judged at all. */
  | { readonly kind: 'stopped'; readonly reason: string };

/** How a counter of a scenario is called in a row, a waiver and a report. */
export const counterName = (scenario: string, counter: string): string => `${scenario} > ${counter}`;

export function toFinding(row: Row, family: Family, stage: Stage): Finding {
  const { state, reason } = stateOf(row, stage);
  const change = withAdjustedP(row, family);
  const more = state === 'undecided' && row.settled === null ? settleAfter(row, stage) : null;
  return {
    scenario: row.counter === null ? row.scenario : counterName(row.scenario, row.counter),
    metric: row.metric,
    unit: unitOf(row.metric),
    direction: 'smaller-is-better',
    judged: row.judged,
    state,
    view: row.view,
    baseline: row.comparison.kind === 'none' ? null : row.comparison.baseline,
    candidate: row.comparison.kind === 'none' ? null : row.comparison.candidate,
    change,
    tolerance: row.tolerance,
    perRound: row.comparison.kind === 'none' ? [] : row.comparison.perRound,
    rounds: row.rounds,
    confirmation: confirmationOf(stage),
    otherView: row.other,
    reason,
    roundsToSettle: more,
  };
}

function stateOf(row: Row, stage: Stage): { state: RowState; reason: string | null } {
  const told = row.hypotheses.find((hypothesis) => hypothesis.reason !== null && hypothesis.large)?.reason;
  switch (stage.kind) {
    case 'confirmed':
    case 'settled':
    case 'flagged-only':
      return { state: 'regressed', reason: told ?? row.note };
    case 'not-confirmed':
      return {
        state: 'undecided',
        reason: notConfirmedSentence(stage.first, row.change, row.rounds.used, row.tolerance),
      };
    case 'cut-short':
      return row.settled ?? { state: 'undecided', reason: stage.reason };
    case 'stopped':
      return { state: 'invalid', reason: stage.reason };
    case 'looked':
      return lookedState(row);
    default:
      return assertNever(stage);
  }
}

function lookedState(row: Row): { state: RowState; reason: string | null } {
  if (row.settled !== null) return row.settled;
  if (row.blocked !== null) return { state: 'undecided', reason: row.blocked };
  if (row.improved) return { state: 'improved', reason: row.note };
  if (row.bounded)
    return { state: 'unchanged', reason: row.note ?? beyondSpreadSentence(row.change, row.tolerance) };
  const more = settleAfter(row, { kind: 'looked' });
  return { state: 'undecided', reason: undecidedSentence(row.change, row.tolerance, more) };
}

const settleAfter = (row: Row, stage: Stage): number | null =>
  stage.kind === 'looked' && row.blocked === null
    ? roundsToSettle(row.change, row.tolerance, row.rounds.used)
    : null;

function confirmationOf(stage: Stage): Finding['confirmation'] {
  switch (stage.kind) {
    case 'confirmed':
    case 'not-confirmed':
    case 'settled':
      return stage.kind;
    case 'flagged-only':
      return 'off';
    default:
      return 'not-needed';
  }
}

function withAdjustedP(row: Row, family: Family): Change {
  const own = row.hypotheses[0];
  if (row.change.kind === 'none' || own === undefined) return row.change;
  return { ...row.change, adjustedP: family.adjusted.get(own) ?? null };
}

/** Why a job is what it is, when that is neither a pass nor a regression. */
export function plainReason(outcome: Outcome, findings: readonly Finding[]): string | null {
  switch (outcome) {
    case 'invalid':
      return reasonOf(findings, 'invalid') ?? 'nothing was judged';
    case 'inconclusive':
      return reasonOf(findings, 'undecided');
    case 'no-baseline':
      return reasonOf(findings, 'new');
    default:
      return null;
  }
}

function reasonOf(findings: readonly Finding[], state: RowState): string | null {
  const first = findings.filter((finding) => finding.judged && finding.state === state);
  if (first[0] === undefined) return null;
  const others = first.length - 1;
  const more =
    others === 0 ? '' : `; ${formatCount(others)} more ${others === 1 ? 'row is' : 'rows are'} ${state}`;
  return `${first[0].metric} of \`${first[0].scenario}\`: ${first[0].reason ?? state}${more}`;
}
