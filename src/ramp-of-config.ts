/** Conductor of a ramp whose service is that of a configuration: built, started, sent at, ended. */
import type { RampResult } from './capacity/result.ts';
import type { GateConfig, ScenarioSettings } from './config/settings.ts';
import { builtFile } from './kernel/installation.ts';
import type { Ledger } from './kernel/leftovers.ts';
import { type Mask, maskValues } from './kernel/masking.ts';
import { realClock, seededRandom } from './kernel/world.ts';
import { startGenerator } from './load/remote.ts';
import { type RampSettings, runRamp } from './ramp.ts';
import type { RampEvent } from './ramp-climb.ts';
import { scenarioOf, withService } from './ramp-service.ts';
import type { RampShots } from './ramp-steps.ts';
import { pinGenerator } from './service/placement.ts';
import type { RunningService } from './service/service.ts';
import type { JobSettings } from './settings.ts';
import { openOne, prepareShots, secretsOf } from './shots.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** What is asked of the ramp itself; how requests are sent is the configuration's. */
export type RampWishes = Pick<
  RampSettings,
  'criteria' | 'from' | 'most' | 'mostWanted' | 'toFailure' | 'timeBudget' | 'hold' | 'patience' | 'seed'
>;

export interface ConfigRampJob {
  readonly wishes: RampWishes;
  readonly settings: JobSettings;
  /** Its first one when there is no name. */
  readonly scenario: string | undefined;
  readonly environment: Variables;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
  readonly tell: (event: RampEvent) => void;
}

/** @throws TailgateError `usage`, `service-failed`, `cancelled` before the first step. */
export async function rampOfSettings(job: ConfigRampJob): Promise<RampResult> {
  const { wishes, settings, environment, signal, ledger, tell } = job;
  const { config, directory } = settings;
  const scenario = scenarioOf(config, job.scenario);
  const random = seededRandom(wishes.seed).fork('service');
  const secrets = new Set(secretsOf(environment, config));
  const started = { directory, environment, clock: realClock, signal, ledger, random, secrets };
  const result = await withService(started, config, async ({ service, meter }, commit) => {
    await using generator = await startGenerator({ entry: builtFile('generator.js'), signal });
    await pinGenerator(generator.pid);
    const shotsJob = { directory, environment, seed: wishes.seed };
    const shots = await shotsOf(shotsJob, config, scenario, service, { index: 0, secrets });
    return await runRamp({
      settings: { ...wishes, ...loadOf(config), shots },
      subject: { kind: 'config', file: settings.configFile, scenario: scenario.name, commit },
      target: service.target,
      service,
      meter,
      bound: boundTo(config, scenario, commit),
      generator,
      environment,
      clock: realClock,
      signal,
      tell,
    });
  });
  return maskedResult(result, maskValues(secrets));
}

/** What a service said before it ended may hold what it was given. */
export const maskedResult = (result: RampResult, mask: Mask): RampResult => ({
  ...result,
  stopped: result.stopped === null ? null : { ...result.stopped, why: mask(result.stopped.why) },
  death: result.death === null ? null : { ...result.death, lastWords: result.death.lastWords.map(mask) },
});

export const loadOf = ({ arrivals, timeout, maxSockets, maxInFlight }: GateConfig) => ({
  arrivals,
  timeout,
  maxSockets,
  maxInFlight,
});

/** For which of the ramps of a job requests are drawn: both sides of a round get the same. */
export interface ShotsRound {
  /** From 0. */
  readonly index: number;
  /** Values that nobody should read: what the session is joins them. */
  readonly secrets: Set<string>;
}

/** What a step sends: as in the gate, with rows that start over where they come to an end. */
export async function shotsOf(
  job: { readonly directory: string; readonly environment: Variables; readonly seed: number },
  config: GateConfig,
  scenario: ScenarioSettings,
  service: RunningService,
  round: ShotsRound,
): Promise<RampShots> {
  const random = seededRandom(job.seed).fork('shots').fork(`round-${round.index}`);
  const { secrets } = round;
  const only = { ...config, scenarios: [scenario] };
  const shots = prepareShots(only, job.directory, job.environment, () => 0).get(scenario.name)!;
  const session =
    shots.session === null ? null : await openOne({ config, random, secrets }, service, shots, round.index);
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

/**
 * What of a configuration a capacity depends on: how the service is built and started, what runs beside it, what is sent
 * and how, and where CPU time is read. Values of `env` are in it only through the hash that is made of it.
 * @param commit null: that of two builds, which differ in it.
 */
export const boundTo = (config: GateConfig, scenario: ScenarioSettings, commit: string | null) => ({
  setup: config.setup,
  start: config.start,
  workingDirectory: config.workingDirectory,
  submodules: config.submodules,
  lfs: config.lfs,
  env: config.env,
  linkedEnv: config.linkedEnv,
  services: config.services,
  reset: config.reset,
  cost: config.cost,
  transport: config.transport,
  scenario,
  commit,
});
