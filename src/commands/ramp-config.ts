/** `tailgate ramp --config FILE`: the service of a configuration, built and started for the ramp, ended after it. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RampResult } from '../capacity/result.ts';
import { makeTemporaryFolder } from '../kernel/folders.ts';
import { type Ledger, openLedger, sweep, sweepNow } from '../kernel/leftovers.ts';
import type { RampEvent } from '../ramp-climb.ts';
import { type RampWishes, rampOfSettings } from '../ramp-of-config.ts';
import { readJobSettings } from '../settings.ts';
import type { Terminal } from './command.ts';

export interface RampConfig {
  readonly file: string;
  readonly scenario: string | undefined;
}

/** @throws TailgateError `usage`, `service-failed`, `cancelled`. */
export async function rampOfConfig(
  wishes: RampWishes,
  { file, scenario }: RampConfig,
  terminal: Terminal,
  tell: (event: RampEvent) => void,
): Promise<RampResult> {
  const { directory, environment, signal } = terminal;
  const settings = readJobSettings({ directory, file, overrides: {}, environment });
  for (const warning of settings.warnings) tell({ kind: 'warning', warning });
  return await withLedger((ledger) =>
    rampOfSettings({ wishes, settings, scenario, environment, signal, ledger, tell }),
  );
}

/** Runs work whose leftovers are swept, also by a second Ctrl-C. */
export async function withLedger<Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const folder = makeTemporaryFolder('tailgate-job-');
  const ledger = openLedger(join(folder, 'leftovers.jsonl'));
  const endNow = (): void => {
    sweepNow(ledger.path);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', endNow);
  try {
    return await work(ledger);
  } finally {
    await sweep(ledger.path);
    process.off('exit', endNow);
    rmSync(folder, { recursive: true, force: true });
  }
}
