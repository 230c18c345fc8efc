/**
 * Microbenchmarks: evidence → go on measuring, or a verdict. The looks, levels and the confirmation are those of the
 * load test, with one difference: each benchmark leaves as soon as it is decided, since it is measured by itself. All
 * of them stay one Holm family, decided ones with p = 1, which can only make it harder to flag the rest.
 */
import type { RowState } from '../kernel/words.ts';
import type { BenchEvidence, BenchResult } from '../microbench/evidence.ts';
import type { BenchFinding, BenchProgress, BenchVerdict } from './benchmark-finding.ts';
import { foldStates, reasonOf, warningsOf } from './benchmark-outcome.ts';
import {
  type BenchRow,
  looksWorse,
  remarkOf,
  rowOf,
  sameResult,
  settledState,
  type Track,
} from './benchmark-rows.ts';
import { tooShortReason } from './benchmark-time.ts';
import { isRed } from './estimate.ts';
import { confirmationLevel, familyLevel, type Look, looksAt } from './looks.ts';
import { severity } from './outcome.ts';
import { beyondSpreadSentence, notConfirmedSentence, roundsToSettle, undecidedSentence } from './reasons.ts';
import { holmWithTarone } from './statistics.ts';

/** How far one benchmark has come. */
type Stage =
  | { readonly kind: 'open' }
  | { readonly kind: 'looked'; readonly row: BenchRow }
  | { readonly kind: 'flagged'; readonly row: BenchRow; readonly at: Look }
  | { readonly kind: 'confirmed'; readonly row: BenchRow }
  | { readonly kind: 'not-confirmed'; readonly row: BenchRow; readonly first: BenchRow }
  | { readonly kind: 'cut-short'; readonly row: BenchRow; readonly reason: string };

interface Member {
  readonly track: Track;
  stage: Stage;
  adjustedP: number | null;
}

/** One-sided; the ends of the 95 % interval, as at a last look. */
const lastLevel = 0.025;

/**
 * What to do after the rounds so far. Pure: the same evidence gives the same answer.
 * @param options `final`: no further round can come, so what would need one stays undecided.
 */
export function judgeBenchmarks(
  evidence: BenchEvidence,
  options: { readonly final?: boolean } = {},
): BenchProgress {
  const final = options.final ?? false;
  const tracks = evidence.subjects.map((subject) => trackOf(evidence, subject));
  const members: Member[] = tracks
    .filter((track) => settledState(track, evidence.plan) === null)
    .map((track) => ({ track, stage: { kind: 'open' }, adjustedP: null }));
  for (const look of looksAt(evidence.plan.looks)) takeLook(evidence, members, look);

  const open = members.filter((member) => member.stage.kind === 'open');
  if (open.length > 0 && !final) return goOn('measuring', open);
  for (const member of open) cutShort(evidence, member);

  const flagged = members.filter((member) => member.stage.kind === 'flagged');
  if (evidence.plan.confirm && flagged.length > 0) {
    const waiting = flagged.filter(
      (member) => usable(member.track.confirming).length < evidence.plan.confirmationRounds,
    );
    if (waiting.length > 0 && !final) return goOn('confirming', waiting);
    confirm(evidence, members, flagged, waiting);
  }
  return { kind: 'decided', verdict: verdictOf(evidence, tracks, members) };
}

function goOn(phase: 'measuring' | 'confirming', members: readonly Member[]): BenchProgress {
  return { kind: 'continue', phase, benchmarks: members.map((member) => member.track.subject.name) };
}

function trackOf(evidence: BenchEvidence, subject: BenchEvidence['subjects'][number]): Track {
  const of = (phase: 'measuring' | 'confirming'): BenchResult[] =>
    evidence.rounds
      .filter((round) => round.phase === phase)
      .flatMap((round) => round.results.filter((result) => result.name === subject.name));
  return { subject, measuring: of('measuring'), confirming: of('confirming') };
}

const usable = (results: readonly BenchResult[]): readonly BenchResult[] =>
  results.filter((one) => one.baseline.kind === 'measured' && one.candidate.kind === 'measured');

/** Decides the open benchmarks that have as many rounds as the look wants. */
function takeLook({ plan }: BenchEvidence, members: readonly Member[], look: Look): void {
  const looking = members.filter(
    ({ track, stage }) => stage.kind === 'open' && usable(track.measuring).length >= look.rounds,
  );
  if (looking.length === 0) return;
  const rows = new Map(
    looking.map((member) => [
      member,
      rowOf(
        member.track.subject,
        usable(member.track.measuring).slice(0, look.rounds),
        plan.tolerance,
        look.passLevel,
      ),
    ]),
  );
  const level = look.failLevel ?? familyLevel;
  const adjusted = adjustedPs(members, level, (member) => rows.get(member)?.hypothesis ?? null);
  for (const member of looking) {
    const row = rows.get(member)!;
    const p = adjusted.get(member) ?? null;
    const flagged = look.failLevel !== null && row.hypothesis !== null && isRed(row.hypothesis, p, level);
    if (!flagged && !look.last && (!row.bounded || looksWorse(row))) continue;
    member.stage = flagged ? { kind: 'flagged', row, at: look } : { kind: 'looked', row };
    member.adjustedP = p;
  }
}

/** Holm over all benchmarks of the job; those that are not asked now count as p = 1. */
function adjustedPs(
  members: readonly Member[],
  level: number,
  hypothesisOf: (member: Member) => BenchRow['hypothesis'],
): ReadonlyMap<Member, number | null> {
  const family = members.map((member) => {
    const asked = hypothesisOf(member);
    if (asked !== null) return asked;
    // It left because of its signs, so Tarone's rule may not take it out; one without a single sign it may.
    const still = member.stage.kind !== 'open' && member.stage.row.hypothesis?.smallestP === 1;
    // What has no direction is never asked.
    const never = member.track.subject.directionGuessed === true;
    return { p: 1, smallestP: still || never ? 1 : 0 };
  });
  const adjusted = holmWithTarone(family, level);
  return new Map(members.map((member, index) => [member, adjusted[index]!]));
}

/** Fresh rounds with those that flagged it: beyond doubt only when all of them together say so. */
function confirm(
  { plan }: BenchEvidence,
  members: readonly Member[],
  flagged: readonly Member[],
  waiting: readonly Member[],
): void {
  const pooled = new Map(
    flagged.map((member) => {
      const { at, row } = member.stage as Extract<Stage, { kind: 'flagged' }>;
      const before = usable(member.track.measuring).slice(0, at.rounds);
      const fresh = usable(member.track.confirming).slice(0, plan.confirmationRounds);
      return [
        member,
        { first: row, row: rowOf(row.subject, [...before, ...fresh], plan.tolerance, lastLevel) },
      ];
    }),
  );
  const adjusted = adjustedPs(
    members,
    confirmationLevel,
    (member) => pooled.get(member)?.row.hypothesis ?? null,
  );
  for (const member of flagged) {
    const { first, row } = pooled.get(member)!;
    const p = adjusted.get(member) ?? null;
    member.adjustedP = p;
    if (waiting.includes(member)) {
      const done = usable(member.track.confirming).length;
      const reason = `flagged, but confirmation ended after ${done} of ${plan.confirmationRounds} rounds`;
      member.stage = { kind: 'cut-short', row, reason };
    } else if (row.hypothesis !== null && isRed(row.hypothesis, p, confirmationLevel)) {
      member.stage = { kind: 'confirmed', row };
    } else {
      member.stage = { kind: 'not-confirmed', row, first };
    }
  }
}

function cutShort(evidence: BenchEvidence, member: Member): void {
  const { plan } = evidence;
  const rounds = usable(member.track.measuring);
  const row = rowOf(member.track.subject, rounds, plan.tolerance, lastLevel);
  const reason =
    tooShortReason(evidence) ??
    `measuring ended after ${rounds.length} of ${plan.rounds} rounds, before a look could decide`;
  member.stage = { kind: 'cut-short', row, reason };
}

function verdictOf(
  evidence: BenchEvidence,
  tracks: readonly Track[],
  members: readonly Member[],
): BenchVerdict {
  const byTrack = new Map(members.map((member) => [member.track, member]));
  const findings = tracks.map((track) => findingOf(evidence, track, byTrack.get(track) ?? null));
  const sorted = findings.sort(
    (a, b) => severity.indexOf(a.state) - severity.indexOf(b.state) || (a.name < b.name ? -1 : 1),
  );
  const outcome = foldStates(new Set(sorted.map((finding) => finding.state)));
  const confirming = evidence.rounds.filter((round) => round.phase === 'confirming').length;
  return {
    outcome,
    findings: sorted,
    reason: reasonOf(outcome, sorted),
    rounds: { measured: evidence.rounds.length - confirming, planned: evidence.plan.rounds, confirming },
    warnings: warningsOf(evidence, sorted),
  };
}

function findingOf({ plan }: BenchEvidence, track: Track, member: Member | null): BenchFinding {
  const { subject } = track;
  const stage = member?.stage ?? null;
  const row =
    stage === null || stage.kind === 'open'
      ? rowOf(subject, [...track.measuring, ...track.confirming], plan.tolerance, lastLevel)
      : stage.row;
  const settled = settledState(track, plan);
  const { state, reason } = settled ?? stateOf(row, stage!, plan.tolerance);
  const own =
    row.change.kind === 'none' || member === null
      ? row.change
      : { ...row.change, adjustedP: member.adjustedP };
  const alone = (side: BenchFinding['state']): number | null => (state === side ? subject.alone : null);
  return {
    name: subject.name,
    source: subject.source,
    unit: subject.unit,
    direction: subject.direction,
    state,
    baseline: row.baseline ?? alone('missing'),
    candidate: row.candidate ?? alone('new'),
    change: settled === null ? own : { kind: 'none', reason: settled.reason },
    cpu: row.cpu,
    tolerance: plan.tolerance,
    perRound: row.perRound,
    rounds: { used: row.used, dropped: row.dropped },
    confirmation: confirmationOf(stage, plan.confirm),
    reason,
    roundsToSettle:
      stage?.kind === 'looked' && state === 'undecided' && row.guess === null
        ? roundsToSettle(row.worsening, plan.tolerance, row.used)
        : null,
    sameResult: sameResult(track),
    remark: remarkOf(track, settled !== null),
  };
}

function stateOf(
  row: BenchRow,
  stage: Stage,
  tolerance: BenchEvidence['plan']['tolerance'],
): { readonly state: RowState; readonly reason: string | null } {
  switch (stage.kind) {
    case 'flagged':
    case 'confirmed':
      return { state: 'regressed', reason: row.fromZero };
    case 'not-confirmed':
      return {
        state: 'undecided',
        reason: notConfirmedSentence(stage.first.change, row.change, row.used, tolerance, row.worsening),
      };
    case 'cut-short':
      return { state: 'undecided', reason: stage.reason };
    default: {
      if (row.improved) return { state: 'improved', reason: row.fromZero };
      if (row.bounded)
        return {
          state: 'unchanged',
          reason: row.fromZero ?? beyondSpreadSentence(row.worsening, tolerance, row.change),
        };
      if (row.guess !== null) return { state: 'undecided', reason: row.guess };
      const more = roundsToSettle(row.worsening, tolerance, row.used);
      return { state: 'undecided', reason: undecidedSentence(row.worsening, tolerance, more) };
    }
  }
}

function confirmationOf(stage: Stage | null, confirm: boolean): BenchFinding['confirmation'] {
  if (stage?.kind === 'confirmed' || stage?.kind === 'not-confirmed') return stage.kind;
  return stage?.kind === 'flagged' && !confirm ? 'off' : 'not-needed';
}
