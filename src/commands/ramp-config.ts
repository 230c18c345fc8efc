/** `tailgate ramp --config FILE`: the service of a configuration, built and started for the ramp, ended after it. */

import type { RampResult } from '../capacity/result.ts';
import type { RampEvent } from '../ramp-climb.ts';
import { type RampWishes, rampOfSettings } from '../ramp-of-config.ts';
import { readJobSettings } from '../settings.ts';
import type { Terminal } from './command.ts';
import { withLedger } from './job-folder.ts';

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
