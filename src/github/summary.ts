/** The summary of the job: always written where there is one, and never so large that GitHub drops it. */
import { appendFile, stat } from 'node:fs/promises';
import { messageOf, type Warning } from '../kernel/errors.ts';
import { type Bytes, bytes, formatBytes } from '../kernel/units.ts';
import type { Environment } from './event.ts';

export type SummaryResult =
  | { readonly kind: 'written'; readonly form: 'longest' | 'shorter' | 'cut' }
  /** Not inside a job: there is no summary to write. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'refused'; readonly notice: Warning };

/** Above 1 MiB per step GitHub drops all of a summary; this leaves room for what is written after us. */
export const summaryLimit: Bytes = bytes(900 * 1024);

/**
 * Appends the longest form that fits beside what the step has written already; when not even the shortest
 * fits, as much of it as does, cut between two lines.
 * @param forms the summary in Markdown, from the longest form to the shortest.
 * @returns never throws: a disk that is full becomes a notice.
 */
export async function writeSummary(
  environment: Environment,
  forms: readonly string[],
): Promise<SummaryResult> {
  const file = environment['GITHUB_STEP_SUMMARY'];
  if (file === undefined || file === '') return { kind: 'skipped' };
  try {
    const room = summaryLimit - (await sizeOf(file));
    const fitting = forms.findIndex((form) => Buffer.byteLength(`${form}\n`) <= room);
    const whole = forms[fitting];
    const shortest = forms.at(-1) ?? '';
    await appendFile(file, `${whole ?? cutBetweenLines(shortest, room)}\n`, 'utf8');
    if (whole === undefined) return { kind: 'written', form: 'cut' };
    return { kind: 'written', form: fitting === 0 ? 'longest' : 'shorter' };
  } catch (thrown) {
    return {
      kind: 'refused',
      notice: { code: 'summary-failed', message: `The job summary was not written: ${messageOf(thrown)}.` },
    };
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    // The runner makes the file, but appending makes it as well.
    return 0;
  }
}

function cutBetweenLines(text: string, room: number): string {
  const ending = `\n\n_Cut here: a job summary holds ${formatBytes(summaryLimit)}._`;
  let left = room - Buffer.byteLength(`${ending}\n`);
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    left -= Buffer.byteLength(`${line}\n`);
    if (left < 0) break;
    kept.push(line);
  }
  return `${kept.join('\n')}${ending}`;
}
