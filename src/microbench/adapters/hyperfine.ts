/** hyperfine's JSON (`--export-json`): seconds of wall time, every run a sample, CPU time beside it. */
import type { Adapter } from './adapter.ts';
import { at, isEmptyList, isRecord, likeEmpty, records, textAt, toldRecords } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

export const hyperfine: Adapter = {
  format: 'hyperfine',
  title: 'hyperfine JSON',
  shape: 'json',
  recognises: ({ json: [root] }) => {
    const results = records(at(root, 'results'));
    const first = results[0];
    if (first !== undefined && 'command' in first && 'mean' in first && ('user' in first || 'times' in first))
      return 1;
    return isEmptyList(at(root, 'results')) ? likeEmpty : 0;
  },
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    const quantity = quantityOf('s');
    for (const result of toldRecords(sheet, at(root, 'results'), 'results')) {
      const name = textAt(result, 'command') ?? '';
      const times = result['times'];
      const parameters = result['parameters'];
      const origin = isRecord(parameters)
        ? Object.entries(parameters)
            .map(([key, value]) => `${key}=${String(value)}`)
            .join(', ')
        : null;
      sheet.add({
        name,
        quantity,
        value: result['mean'],
        samples: Array.isArray(times) ? (times as unknown[]) : [],
        // One run: hyperfine writes null, which is no spread known and not a spread of 0.
        spread: result['stddev'] ?? null,
        origin,
      });
      const { user, system } = result;
      const both = typeof user === 'number' && typeof system === 'number';
      sheet.add({
        name: `${name} [user+system]`,
        quantity,
        value: both ? user + system : null,
        spread: null,
        problem: both ? null : 'the file has no user and system time of it',
        origin,
      });
      warnOfExits(sheet, name, result['exit_codes']);
    }
    return sheet.result();
  },
};

function warnOfExits(sheet: RowSheet, name: string, codes: unknown): void {
  if (!Array.isArray(codes)) return;
  const killed = codes.filter((code) => code === null).length;
  const failed = codes.filter((code) => typeof code === 'number' && code !== 0).length;
  if (failed > 0) sheet.warn('runs-failed', `${name}: ${failed} of ${codes.length} runs did not exit with 0`);
  if (killed > 0)
    sheet.warn('runs-failed', `${name}: ${killed} of ${codes.length} runs were ended by a signal`);
}
