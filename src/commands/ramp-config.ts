/** `tailgate ramp --config FILE`: the service of a configuration, built and started for the ramp, ended after it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RampResult } from '../capacity/result.ts';
import type { GateConfig, ScenarioSettings } from '../config/settings.ts';
import { builtFile } from '../kernel/installation.ts';
import { type Ledger, openLedger, sweep, sweepNow } from '../kernel/leftovers.ts';
import { realClock, seededRandom } from '../kernel/world.ts';
import { startGenerator } from '../load/remote.ts';
import { prepareRequests } from '../load/requests.ts';
import { runRamp } from '../ramp.ts';
import type { RampEvent } from '../ramp-climb.ts';
import { scenarioOf, withService } from '../ramp-service.ts';
import type { RampShots } from '../ramp-steps.ts';
import { pinGenerator } from '../service/placement.ts';
import { readJobSettings } from '../settings.ts';
import type { Terminal } from './command.ts';
import type { RampWishes } from './ramp.ts';

export interface RampConfig {
  readonly file: string;
  readonly scenario: string | undefined;
}

/** @throws TailgateError `usage`, `service-failed`, `cancelled`. */
export async function rampOfConfig(
  wishes: RampWishes,
  wanted: RampConfig,
  terminal: Terminal,
  tell: (event: RampEvent) => void,
): Promise<RampResult> {
  const { directory, environment, signal } = terminal;
  const settings = readJobSettings({ directory, file: wanted.file, overrides: {}, environment });
  for (const warning of settings.warnings) tell({ kind: 'warning', warning });
  const { config } = settings;
  const scenario = scenarioOf(config, wanted.scenario);
  const random = seededRandom(wishes.seed).fork('service');
  return await withLedger(async (ledger) => {
    const job = { directory: settings.directory, environment, clock: realClock, signal, ledger, random };
    return await withService(job, config, async (service, commit) => {
      await using generator = await startGenerator({ entry: builtFile('generator.js'), signal });
      await pinGenerator(generator.pid);
      return await runRamp({
        settings: {
          ...wishes,
          ...loadOf(config),
          shots: shotsOf(scenario),
        },
        subject: { kind: 'config', file: settings.configFile, scenario: scenario.name, commit },
        target: service.target,
        service,
        bound: boundTo(config, scenario, commit),
        generator,
        environment,
        clock: realClock,
        signal,
        tell,
      });
    });
  });
}

export const loadOf = ({ arrivals, timeout, maxSockets, maxInFlight }: GateConfig) => ({
  arrivals,
  timeout,
  maxSockets,
  maxInFlight,
});

function shotsOf(scenario: ScenarioSettings): RampShots {
  const { requests } = prepareRequests(scenario.requests);
  return {
    first: requests[0]!,
    weights: scenario.requests.map((request) => request.weight),
    draw: (schedule) => ({ requests, schedule }),
  };
}

/** What of a configuration a capacity depends on; values of `env` are in it only through the hash that is made of it. */
export const boundTo = (config: GateConfig, scenario: unknown, commit: string): unknown => ({
  setup: config.setup,
  start: config.start,
  env: config.env,
  scenario,
  commit,
});

/** Runs work whose leftovers are swept, also by a second Ctrl-C. */
export async function withLedger<Result>(work: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'tailgate-job-'));
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
