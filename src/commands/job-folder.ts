/** The folder of one job of a command, with its ledger: whatever ends the command, what it started is ended too. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../kernel/folders.ts';
import { type Ledger, openLedger, sweep, sweepNow } from '../kernel/leftovers.ts';

/** Runs a job with a ledger that is swept afterwards, also when this process has to end at once. */
export async function withLedger<Result>(job: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const folder = makeTemporaryFolder('tailgate-job-');
  const ledger = openLedger(join(folder, 'leftovers.jsonl'));
  const endNow = (): void => {
    sweepNow(ledger.path);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', endNow);
  try {
    return await job(ledger);
  } finally {
    await sweep(ledger.path);
    process.off('exit', endNow);
    rmSync(folder, { recursive: true, force: true });
  }
}
