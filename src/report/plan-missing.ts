/** What a plan says of that which only the baseline measures, before anything is built. */
import { formatCount } from '../kernel/units.ts';
import type { Finding } from '../verdict/finding.ts';
import { sentence } from './phrase.ts';
import { subject } from './rows.ts';
import { plainPhrase } from './terminal.ts';

const mostNamed = 30;

/**
 * @param missing rows that the job will have whatever it measures.
 * @param fails whether `fail-on` names them.
 * @returns one line a row; empty when there is none.
 */
export function describeMissing(missing: readonly Finding[], fails: boolean): readonly string[] {
  if (missing.length === 0) return [];
  const rest = missing.length - mostNamed;
  return [
    ...missing.slice(0, mostNamed).map((finding) => {
      const why = plainPhrase(sentence(finding.reason ?? 'it is not measured'));
      return `missing: ${plainPhrase(subject(finding, false))}: ${why}`;
    }),
    ...(rest > 0 ? [`… and ${formatCount(rest)} more are missing`] : []),
    fails
      ? 'fail-on names missing: these rows end the job with an exit code other than 0'
      : 'missing decides nothing here; fail-on: [missing] would make it fail',
  ];
}
