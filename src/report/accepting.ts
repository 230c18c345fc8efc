/** How a slowdown that is wanted is let through: the lines to add, with ceilings from what was measured. */
import { toChange } from '../kernel/units.ts';
import type { Finding } from '../verdict/finding.ts';
import type { ReportContext } from './context.ts';
import type { Phrase } from './phrase.ts';
import { name, say } from './phrase.ts';

export interface Accepting {
  /** One or the other. */
  readonly ways: readonly Way[];
  readonly after: Phrase;
}

export interface Way {
  readonly before: Phrase;
  /** Lines of a file or of a commit's message, with foreign names in them. */
  readonly lines: readonly string[];
}

interface Row {
  readonly finding: Finding;
  readonly ceiling: string;
}

const mostLines = 20;
/** A name that does not fit into one line of a message, or into its key. */
const unwritable = /[\p{C}\p{Zl}\p{Zp}]/u;
const longestName = 300;

/** Null when nothing regressed that has a figure to put a ceiling on. */
export function acceptingOf(regressed: readonly Finding[], context: ReportContext): Accepting | null {
  const rows = regressed.flatMap((finding) => {
    const ceiling = ceilingOf(finding);
    return ceiling === null ? [] : [{ finding, ceiling }];
  });
  if (rows.length === 0) return null;
  const shown = rows.slice(0, mostLines);
  const waivers = ['waivers:', ...shown.map(waiverLine)];
  const file = name(context.configFile);
  if (context.trustConfig === 'baseline') {
    return {
      ways: [
        {
          before: say`With ${name('trust-config: baseline')} a change cannot accept itself. If this one is worth its cost, add to ${file} of the branch that it is compared with:`,
          lines: waivers,
        },
      ],
      after: say`A waiver holds for its one row and up to its ceiling; the reason is quoted in the report.`,
    };
  }
  const trailers = shown.flatMap(trailerLine);
  return {
    ways: [
      {
        before: say`If this change is worth its cost, add to ${file} in this pull request:`,
        lines: waivers,
      },
      ...(trailers.length === 0
        ? []
        : [{ before: say`Or end the message of its newest commit with:`, lines: trailers }]),
    ],
    after: say`Each holds for its one row and up to its ceiling; the reason is quoted in the report. Once this is merged the baseline contains the change: take the waivers out again.`,
  };
}

function waiverLine({ finding: { scenario, metric }, ceiling }: Row): string {
  // A JSON text is a YAML text: the one quoting that any name survives.
  return `  - { scenario: ${JSON.stringify(scenario)}, metric: ${metric}, ceiling: ${ceiling}, reason: "…" }`;
}

function trailerLine({ finding: { scenario, metric }, ceiling }: Row): string[] {
  if (unwritable.test(scenario) || scenario.length > longestName) return [];
  return [`Perf-Accepted: ${scenario}/${metric} <= +${ceiling} | …`];
}

/** A ceiling that a waiver for this row would need: what was measured and its interval, rounded up. */
function ceilingOf(finding: Finding): string | null {
  const { change, direction, reason } = finding;
  // No percentage says how much worse a side is that cannot keep up; the verdict room opens its reason with this word.
  if (reason?.startsWith('saturated: ') === true) return null;
  if (change.kind === 'points') return rounded(change.difference, ' points');
  if (change.kind !== 'ratio') return null;
  const sign = direction === 'bigger-is-better' ? -1 : 1;
  const ends = change.interval?.map((end) => sign * end) ?? [];
  const beyond = change.spread === null ? 0 : toChange(change.spread);
  return rounded(Math.max(...ends, sign * change.effect + (ends.length === 0 ? beyond : 0)), '%');
}

function rounded(worse: number, unit: '%' | ' points'): string | null {
  // A hair less, so that 0.26 does not become 27 by the arithmetic of binary fractions.
  const ceiling = Math.ceil(worse * 100 - 1e-9);
  return Number.isFinite(ceiling) && ceiling > 0 ? `${ceiling}${unit}` : null;
}
