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
import { runRamp } from '../ramp.ts';
import type { RampEvent } from '../ramp-climb.ts';
import { scenarioOf, withService } from '../ramp-service.ts';
import type { RampShots } from '../ramp-steps.ts';
import { pinGenerator } from '../service/placement.ts';
import type { RunningService } from '../service/service.ts';
import { readJobSettings } from '../settings.ts';
import { openOne, prepareShots } from '../shots.ts';
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
          shots: await shotsOf({ ...job, seed: wishes.seed }, config, scenario, service),
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

/** What a step sends: as in the gate, with rows that start over where they come to an end. */
export async function shotsOf(
  job: { readonly directory: string; readonly environment: Terminal['environment']; readonly seed: number },
  config: GateConfig,
  scenario: ScenarioSettings,
  service: RunningService,
): Promise<RampShots> {
  const random = seededRandom(job.seed).fork('shots');
  const only = { ...config, scenarios: [scenario] };
  const shots = prepareShots(only, job.directory, job.environment, () => 0).get(scenario.name)!;
  const session = shots.session === null ? null : await openOne({ config, random }, service, shots);
  let step = 0;
  return {
    first: shots.opener(random, session),
    weights: shots.weights,
    draw: (schedule) => {
      const slot = `step-${step++}`;
      return shots.draw({ schedule, random: random.fork(slot), slot, purpose: 'warm-up', session });
    },
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
