/** How a slowdown that is wanted is let through: the lines to add, with ceilings from what was measured. */
import { assertNever } from '../kernel/errors.ts';
import type { MetricName } from '../kernel/words.ts';
import type { Finding } from '../verdict/finding.ts';
import type { ReportContext } from './context.ts';
import type { Phrase } from './phrase.ts';
import { name, say } from './phrase.ts';
import { ceilingOf } from './rows.ts';

export interface Accepting {
  readonly before: Phrase;
  /** Lines of the configuration file, with foreign names in them. */
  readonly lines: readonly string[];
  readonly after: Phrase;
}

const mostLines = 20;

/** Null when nothing regressed that has a figure to put a ceiling on. */
export function acceptingOf(regressed: readonly Finding[], context: ReportContext): Accepting | null {
  const rows = regressed.flatMap((finding) => {
    const ceiling = ceilingOf(finding);
    return ceiling === null ? [] : [{ finding, ceiling }];
  });
  if (rows.length === 0) return null;
  const file = name(context.configFile);
  switch (context.acceptBy) {
    case 'waivers':
      return {
        before: say`If this change is worth its cost, add to ${file} in this pull request:`,
        lines: [
          'waivers:',
          ...rows.slice(0, mostLines).map(({ finding, ceiling }) => waiverLine(finding, ceiling)),
        ],
        after: say`A waiver holds for its one row and up to its ceiling; the reason is quoted in the report.`,
      };
    case 'tolerances':
      return {
        before: say`If this change is worth its cost, widen the tolerance in ${file} in this pull request:`,
        lines: ['judge:', ...toleranceLines(rows)],
        after: say`The tolerance holds for every scenario. Once this is merged the baseline contains the change: take the lines out again.`,
      };
    default:
      return assertNever(context.acceptBy);
  }
}

function waiverLine({ scenario, metric }: Finding, ceiling: string): string {
  // A JSON text is a YAML text: the one quoting that any name survives.
  return `  - { scenario: ${JSON.stringify(scenario)}, metric: ${metric}, ceiling: ${ceiling}, reason: "…" }`;
}

function toleranceLines(rows: readonly { finding: Finding; ceiling: string }[]): string[] {
  const highest = new Map<string, string>();
  for (const { finding, ceiling } of rows) {
    const key = settingOf(finding.metric);
    const known = highest.get(key);
    if (known === undefined || Number.parseInt(ceiling, 10) > Number.parseInt(known, 10))
      highest.set(key, ceiling);
  }
  return [...highest].map(([key, ceiling]) =>
    ceiling.endsWith('%')
      ? `  ${key}: { min: ${ceiling}, detect: ${ceiling} }`
      : `  ${key}: { min: ${ceiling} }`,
  );
}

/** The key of `judge` that holds the tolerance of a metric. */
function settingOf(metric: MetricName): string {
  return metric === 'p90' || metric === 'p95' ? 'p99' : metric;
}
