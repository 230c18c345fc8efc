/** `Perf-Accepted:` lines of commits and descriptions: changes that their author accepts, each for one row. */
import type { WaiverSettings } from '../config/settings.ts';
import type { Warning } from '../kernel/errors.ts';
import { bytes, parseRatio } from '../kernel/units.ts';
import { type MetricName, metricNames } from '../kernel/words.ts';
import type { Git } from './git.ts';
import { short } from './history.ts';

/** A waiver, and where it was written. */
export interface AcceptedChange extends WaiverSettings {
  /** `commit 1a2b3c4d5e`, `the description of the pull request`. */
  readonly origin: string;
}

export interface Trailers {
  /** For each row only the last word: a later commit replaces what an earlier one accepted. */
  readonly accepted: readonly AcceptedChange[];
  readonly warnings: readonly Warning[];
}

/** Finds the known word that a mistyped one may have meant. */
export type Nearest = (word: string, known: readonly string[]) => string | null;
const nobodyGuesses: Nearest = () => null;

/** Whose word counts: with `baseline` nothing of the candidate can accept a change. */
export type Trust = 'candidate' | 'baseline';

export const ofDescription = 'the description of the pull request';
/** Beside this, a line of a commit is for a person. */
const key = 'Perf-Accepted';
const wanted = `${key}: <scenario>/<metric> <= +12% | reason`;
const lineStart = /^\s*perf-accepted\s*:/i;
const longestReason = 500;
const longestName = 300;
const longestLine = 1000;
const mostCommits = 500;
const mostLines = 200;
const pointMetrics: readonly string[] = ['tail', 'errors'];

/**
 * Reads the trailers of the commits that the candidate has and the baseline has not. In a shallow clone these are the
 * commits that are there. Nothing in a commit can fail a job: what cannot be read becomes a warning.
 * @throws TailgateError `cancelled`, and `usage` when git itself is missing.
 */
export async function readTrailers(
  git: Git,
  range: { readonly baseline: string; readonly candidate: string },
  trust: Trust,
  nearest: Nearest = nobodyGuesses,
): Promise<Trailers> {
  const fields = ['%H', `%(trailers:key=${key},valueonly,unfold,separator=%x0a)`, '%B'];
  const answer = await git.ask(
    [
      ...['log', '-z', `--max-count=${mostCommits}`, '--no-show-signature', '--no-notes', '--no-color'],
      ...['--extended-regexp', '--regexp-ignore-case', `--grep=^[[:space:]]*${key}[[:space:]]*:`],
      ...[`--format=tformat:${fields.join('%x00')}`, `${range.baseline}..${range.candidate}`, '--'],
    ],
    { captureLimit: bytes(4 * 1024 * 1024) },
  );
  if (!answer.ok || answer.truncated) {
    const why = answer.truncated ? 'they are too long' : answer.tail.slice(-1).join('');
    return {
      accepted: [],
      warnings: [
        {
          code: 'trailers-unread',
          message: `the messages of the commits were not read for ${key} lines: ${why}`,
        },
      ],
    };
  }
  const parts = answer.stdout.split('\0');
  const found: Trailers[] = [];
  for (let at = 0; at + 2 < parts.length; at += 3) {
    const [sha, values, message] = parts.slice(at, at + 3) as [string, string, string];
    found.push(ofCommit(`commit ${short(sha)}`, values, message, nearest));
  }
  return trusted(found, trust);
}

/**
 * Reads the lines of a description, each on a line of its own. Never throws.
 * @param text null where there is no description.
 */
export function readDescription(
  text: string | null,
  trust: Trust,
  nearest: Nearest = nobodyGuesses,
): Trailers {
  // What a reader does not see, such as the example of a template, accepts nothing.
  const seen = (text ?? '').replace(/<!--[\s\S]*?(?:-->|$)/g, '');
  const lines = seen.split(/\r\n|\r|\n/).filter((line) => lineStart.test(line));
  return trusted(
    [
      ofLines(
        ofDescription,
        lines.map((line) => line.replace(lineStart, '')),
        nearest,
      ),
    ],
    trust,
  );
}

/** The last word on each row. @param lists the later before the earlier. */
export function lastWord(lists: readonly (readonly AcceptedChange[])[]): readonly AcceptedChange[] {
  const rows = new Map<string, AcceptedChange>();
  for (const accepted of lists.flat()) {
    const row = `${accepted.scenario}/${accepted.metric}`;
    if (!rows.has(row)) rows.set(row, accepted);
  }
  return [...rows.values()];
}

/** git takes trailers from the last paragraph of a message; a line elsewhere looks the same to its author. */
function ofCommit(origin: string, values: string, message: string, nearest: Nearest): Trailers {
  const lines = values.split('\n').filter((line) => line.trim() !== '');
  const own = ofLines(origin, lines, nearest);
  const elsewhere = message.split('\n').filter((line) => lineStart.test(line)).length - lines.length;
  if (elsewhere <= 0) return own;
  const what = elsewhere === 1 ? `a ${key} line` : `${elsewhere} ${key} lines`;
  return {
    accepted: own.accepted,
    warnings: [
      ...own.warnings,
      {
        code: 'trailer-misplaced',
        message: `${origin} has ${what} outside of its trailers, which ${elsewhere === 1 ? 'accepts' : 'accept'} nothing`,
        hint: 'Trailers are the last paragraph of a message: a blank line before it, none in it, nothing but `Key: value` lines.',
      },
    ],
  };
}

function ofLines(origin: string, lines: readonly string[], nearest: Nearest): Trailers {
  const accepted: AcceptedChange[] = [];
  const warnings: Warning[] = [];
  for (const line of lines.slice(0, mostLines)) {
    const read = readLine(line.trim(), nearest);
    if (typeof read === 'string') warnings.push(malformed(origin, line.trim(), read));
    else accepted.push({ ...read, origin });
  }
  if (lines.length > mostLines) {
    warnings.push({
      code: 'trailers-unread',
      message: `${origin} has ${lines.length} ${key} lines, of which the first ${mostLines} were read`,
    });
  }
  // Within one message the last line counts.
  return { accepted: accepted.reverse(), warnings };
}

/**
 * `<scenario>/<metric> <= +12% | reason`; names may hold slashes, bars and arrows, so that the first metric followed by
 * a ceiling ends them.
 * @returns what is wrong with it, as a sentence part, when it has another form.
 */
function readLine(line: string, nearest: Nearest): WaiverSettings | string {
  if (line.length > longestLine) return `it is longer than ${longestLine} characters`;
  const [row = '', ...rest] = splitAtCeiling(line);
  const [ceilingText, reason] = rest;
  if (ceilingText === undefined || reason === undefined) return missingPart(line);
  const slash = row.lastIndexOf('/');
  const scenario = row.slice(0, Math.max(0, slash)).trim();
  const named = row.slice(slash + 1).trim();
  const metric = metricNames.find((name) => name === named);
  if (slash < 0 || scenario === '') return 'it does not say whose metric it is';
  if (metric === undefined) {
    const near = nearest(named, metricNames);
    const meant = near === null ? '' : `, did you mean \`${near}\`?`;
    return `\`${named}\` is none of ${metricNames.join(', ')}${meant}`;
  }
  if (scenario.length > longestName) return `its name is longer than ${longestName} characters`;
  const ceiling = ceilingOf(ceilingText, metric);
  if (typeof ceiling === 'string') return ceiling;
  if (!/[\p{L}\p{N}]/u.test(reason)) return 'it gives no reason';
  if (reason.length > longestReason) return `its reason is longer than ${longestReason} characters`;
  return { scenario, metric, ceiling, expires: null, reason };
}

/** Row, ceiling and reason; only the row when there is no such ceiling. */
function splitAtCeiling(line: string): readonly string[] {
  const known = new RegExp(`^(.+?/(?:${metricNames.join('|')}))\\s*<=\\s*([^|]*?)\\s*\\|(.*)$`).exec(line);
  const match = known ?? /^(.+?)\s*<=\s*([^|]*?)\s*\|(.*)$/.exec(line);
  return match === null ? [line] : [match[1]!.trim(), match[2]!, match[3]!.trim()];
}

function missingPart(line: string): string {
  if (!line.includes('<=')) return 'it has no ceiling after `<=`';
  return 'it has no reason after `|`';
}

function ceilingOf(text: string, metric: MetricName): WaiverSettings['ceiling'] | string {
  const inPoints = pointMetrics.includes(metric);
  const form = inPoints ? /^\+?\d+(?:\.\d+)?\s*points?$/ : /^\+?\d+(?:\.\d+)?\s*%$/;
  const ceiling = form.test(text) ? parseRatio(text) : null;
  if (ceiling !== null && ceiling > 0) return ceiling;
  const good = inPoints ? 'points above 0, such as +2 points' : 'a share above 0%, such as +12%';
  return `its ceiling is \`${text.slice(0, 40)}\`, wanted ${good}`;
}

function malformed(origin: string, line: string, problem: string): Warning {
  const characters = Array.from(line.replaceAll('`', "'"));
  const shown = characters.length > 120 ? `${characters.slice(0, 120).join('')}…` : characters.join('');
  return {
    code: 'trailer-malformed',
    message: `${origin} accepts nothing with the line “${key}: ${shown}”: ${problem}`,
    hint: `Wanted: \`${wanted}\`; points in place of per cent for tail and errors.`,
  };
}

/** @param found the later before the earlier. */
function trusted(found: readonly Trailers[], trust: Trust): Trailers {
  const accepted = lastWord(found.map((one) => one.accepted));
  const warnings = found.flatMap((one) => one.warnings);
  if (trust === 'candidate' || accepted.length === 0) return { accepted, warnings };
  const from = [...new Set(accepted.map((one) => one.origin))].slice(0, 3).join(', ');
  return {
    accepted: [],
    warnings: [
      ...warnings,
      {
        code: 'trailers-ignored',
        message: `${key} lines (${from}) accept nothing here: with \`trust-config: baseline\` a change cannot accept itself`,
        hint: 'Put the waiver into the configuration of the baseline first.',
      },
    ],
  };
}
