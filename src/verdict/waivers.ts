/** Accepted changes: a row that got worse and that somebody accepted, up to a ceiling, and what is said about it. Pure. */
import type { Waiver } from '../evidence/trial.ts';
import type { Warning } from '../kernel/errors.ts';
import { assertNever } from '../kernel/errors.ts';
import { formatChange, formatRatio, type Ratio, ratio } from '../kernel/units.ts';
import { plainReason } from './decide.ts';
import type { Finding, Verdict } from './finding.ts';
import { foldOutcome } from './outcome.ts';

/** What has an outcome of its own: the load test, the microbenchmarks. */
export type Part = Pick<Verdict, 'outcome' | 'reason' | 'findings'>;

/** The nearest of the known words; null when none is near. */
export type Nearest = (word: string, known: readonly string[]) => string | null;

export interface WaiverTerms {
  /** ISO date of the measurement, so that the same evidence is judged the same on any day. */
  readonly today: string;
  readonly nearest: Nearest;
}

/**
 * Turns `regressed` rows whose estimate is at most the ceiling of their waiver into `accepted` ones, and folds the
 * outcome of their part again. Nothing else changes state: what is invalid, undecided or missing cannot be accepted.
 * Of several waivers for a row the strictest counts.
 * @param waivers `ceiling` is a ratio, for `tail` and `errors` a difference of shares: 0.05 is 5 points.
 * @returns the parts in their order with their rows in their order, and what their reader should know.
 */
export function applyWaivers<Of extends Part>(
  parts: readonly Of[],
  waivers: readonly Waiver[],
  terms: WaiverTerms,
): { readonly parts: readonly Of[]; readonly warnings: readonly Warning[] } {
  const all = parts.flatMap((part) => part.findings);
  if (waivers.length === 0 || all.length === 0) return { parts, warnings: [] };
  const warnings: Warning[] = [];
  const byRow = new Map<Finding, Waiver[]>();
  for (const waiver of waivers) {
    const place = placeOf(waiver, all, terms.nearest);
    if (place.kind === 'row') byRow.set(place.row, [...(byRow.get(place.row) ?? []), waiver]);
    else warnings.push(place.warning);
  }
  const changed = new Map<Finding, Finding>();
  for (const [row, own] of byRow) {
    const answer = answerOf(row, own, terms.today);
    changed.set(row, answer.row);
    warnings.push(...answer.warnings);
  }
  return { parts: parts.map((part) => withRows(part, changed)), warnings };
}

function withRows<Of extends Part>(part: Of, changed: ReadonlyMap<Finding, Finding>): Of {
  const findings = part.findings.map((row) => changed.get(row) ?? row);
  const accepts = findings.some((row, index) => row.state !== part.findings[index]!.state);
  // A part that is invalid or failed as a whole stays so, whatever its rows say.
  if (!accepts || part.outcome !== 'regression') return { ...part, findings };
  const outcome = foldOutcome(findings);
  return { ...part, findings, outcome, reason: plainReason(outcome, findings) };
}

type Place =
  | { readonly kind: 'row'; readonly row: Finding }
  | { readonly kind: 'nowhere'; readonly warning: Warning };

/** A waiver for p99 holds for the percentile that is judged in its place, as its tolerance does. */
function placeOf(waiver: Waiver, all: readonly Finding[], nearest: Nearest): Place {
  const own = all.filter((row) => row.scenario === waiver.scenario);
  const exact = own.find((row) => row.metric === waiver.metric);
  if (exact?.judged === true) return { kind: 'row', row: exact };
  const standIn =
    waiver.metric === 'p99'
      ? own.find((row) => row.judged && (row.metric === 'p95' || row.metric === 'p90'))
      : undefined;
  if (standIn !== undefined) return { kind: 'row', row: standIn };
  if (own.length > 0) {
    const what = exact === undefined ? 'no such row' : 'a row that is not judged';
    return nowhere(waiver, `is about ${what}`, otherRows(waiver, own, all, nearest));
  }
  const names = [...new Set(all.filter((row) => row.judged).map((row) => row.scenario))];
  const near = nearest(waiver.scenario, names);
  const shown = names.slice(0, 5).map((name) => `\`${name}\``);
  const rest = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  const hint =
    near === null
      ? `This job has rows of ${shown.join(', ')}${rest}.`
      : `Did you mean \`${near}/${waiver.metric}\`?`;
  return nowhere(waiver, 'matches no row of this job', hint);
}

/** The judged rows of its scenario, after the one that was probably meant. */
function otherRows(
  { scenario, metric }: Waiver,
  own: readonly Finding[],
  all: readonly Finding[],
  nearest: Nearest,
): string {
  const metrics = own.filter((row) => row.judged).map((row) => row.metric);
  const shown = metrics.map((name) => `\`${name}\``).join(', ');
  const list =
    shown === '' ? `No row of \`${scenario}\` is judged.` : `Judged rows of \`${scenario}\`: ${shown}.`;
  // Counters have rows of their own beneath their scenario.
  const beneath = all.find(
    (row) => row.judged && row.metric === metric && row.scenario.startsWith(`${scenario} > `),
  );
  const near = nearest(metric, metrics);
  const meant =
    beneath !== undefined ? `${beneath.scenario}/${metric}` : near === null ? null : `${scenario}/${near}`;
  return meant === null ? list : `Did you mean \`${meant}\`? ${list}`;
}

function nowhere(waiver: Waiver, what: string, hint: string): Place {
  return {
    kind: 'nowhere',
    warning: { code: 'waiver-without-row', message: `${named(waiver)} ${what}`, hint },
  };
}

interface Answer {
  readonly row: Finding;
  readonly warnings: readonly Warning[];
}

function answerOf(row: Finding, waivers: readonly Waiver[], today: string): Answer {
  // ISO dates are in the order of their letters; a waiver holds through its last day.
  const expired = waivers.filter(({ expires }) => expires !== null && expires < today);
  const holding = waivers.filter((waiver) => !expired.includes(waiver));
  if (row.state !== 'regressed') {
    return { row, warnings: row.state === 'invalid' ? [] : waivers.map((one) => unused(one, row, expired)) };
  }
  const warnings: Warning[] = expired.map((waiver) => ({
    code: 'waiver-expired',
    message: `${named(waiver)} expired on ${waiver.expires}: it accepts nothing any more`,
    hint: 'Remove it, or give it a later day with the reason why.',
  }));
  const [first, ...others] = [...holding].sort((one, other) => one.ceiling - other.ceiling);
  if (first === undefined) return { row, warnings };
  if (others.length > 0) {
    warnings.push({
      code: 'waivers-for-one-row',
      message: `\`${row.scenario}/${row.metric}\` has ${holding.length} waivers: the strictest counts, ${ceilingText(first)} by ${first.origin}`,
      hint: 'Keep the one that is meant.',
    });
  }
  return { row: judgedBy(first, row), warnings };
}

function judgedBy(waiver: Waiver, row: Finding): Finding {
  const worse = isSaturated(row) ? null : worsening(row);
  const asked =
    waiver.metric === row.metric
      ? ''
      : `, a waiver for ${waiver.metric}, in whose place ${row.metric} is judged`;
  if (worse === null) {
    const said = `a waiver of ${waiver.origin} cannot accept this, because there is no figure to hold against its ceiling of ${ceilingText(waiver)}`;
    // What is saturated opens with that word: reports know it by it.
    return { ...row, reason: row.reason === null ? said : `${row.reason}; ${said}` };
  }
  if (worse <= waiver.ceiling) {
    const said = `accepted by ${waiver.origin} up to ${ceilingText(waiver)}${asked}: ${quoted(waiver)}`;
    return { ...row, state: 'accepted', reason: withOlder(said, row) };
  }
  const said = `above the ceiling of ${ceilingText(waiver)} that ${waiver.origin} accepts${asked}, by ${excessText(worse - waiver.ceiling)}: ${quoted(waiver)}`;
  return { ...row, reason: withOlder(said, row) };
}

const isSaturated = (row: Finding): boolean => row.reason?.startsWith('saturated: ') === true;

/** The estimate as a change for the worse, as the table shows it; null when there is no figure. */
function worsening({ change, direction }: Finding): Ratio | null {
  const sign = direction === 'bigger-is-better' ? -1 : 1;
  switch (change.kind) {
    case 'ratio':
      return ratio(sign * change.effect);
    case 'points':
      return ratio(sign * change.difference);
    case 'none':
      return null;
    default:
      return assertNever(change);
  }
}

function unused(waiver: Waiver, row: Finding, expired: readonly Waiver[]): Warning {
  const since = expired.includes(waiver) ? `, and it expired on ${waiver.expires}` : '';
  const why =
    row.state === 'undecided'
      ? 'the row is undecided, and only what is shown to have got worse can be accepted'
      : `the row is ${row.state}`;
  const message = `${named(waiver)} was not used: ${why}${since}`;
  // Commits stay as they are; what is merged is in the next baseline.
  if (row.state === 'undecided' || waiver.origin.startsWith('commit '))
    return { code: 'waiver-unused', message };
  return { code: 'waiver-unused', message, hint: 'Remove it once the change that it accepted is merged.' };
}

const named = (waiver: Waiver): string =>
  `the waiver for \`${waiver.scenario}/${waiver.metric}\` up to ${ceilingText(waiver)} (${waiver.origin})`;

/** `+12 %`, for shares `+2 points`. */
function ceilingText({ ceiling, metric }: Waiver): string {
  const text = formatChange(ceiling);
  return metric === 'tail' || metric === 'errors' ? text.replace('%', 'points') : text;
}

/** In points of per cent, so that +12.4 % above +12 % does not read as nothing. */
function excessText(excess: number): string {
  const text = formatRatio(ratio(excess)).replace('%', 'points');
  return text === '0 points' ? 'less than 0.01 points' : text.replace(/^1 points$/, '1 point');
}

/** Somebody else's words: a backtick would end the quotation for a reader of Markdown. */
const quoted = ({ reason }: Waiver): string => `“${reason.replaceAll('`', "'").replace(/\s+/g, ' ').trim()}”`;

const withOlder = (said: string, row: Finding): string =>
  row.reason === null ? said : `${said}; ${row.reason}`;
