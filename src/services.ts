/** Conductor of companions: what the sides need, started in the order of the file before them and ended in reverse after them. */
import { rmSync } from 'node:fs';
import type { GateConfig } from './config/settings.ts';
import type { CompanionSettings } from './config/settings-services.ts';
import { Endings } from './kernel/endings.ts';
import { TailgateError } from './kernel/errors.ts';
import { makeTemporaryFolder } from './kernel/folders.ts';
import type { Ledger, Leftover } from './kernel/leftovers.ts';
import { maskedError, maskFor } from './kernel/masking.ts';
import type { Side } from './kernel/words.ts';
import type { Clock, Random } from './kernel/world.ts';
import { httpGet } from './load/sender.ts';
import { placementOf } from './senders.ts';
import { type Companion, startCompanion } from './service/companion.ts';
import { withoutSecrets } from './service/environment.ts';
import { type CompanionPlace, fillAll, fillPlaces, type Places } from './service/placeholders.ts';
import { pinService } from './service/placement.ts';
import { pickPorts } from './service/ports.ts';
import { runReset } from './service/reset.ts';

export interface ServicesJob {
  readonly config: GateConfig;
  /** Where each side's project was built. */
  readonly directories: Readonly<Record<Side, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
}

/** Companions that run. Disposing of them ends them in reverse order and removes their directories. */
export interface Companions extends AsyncDisposable {
  /** Where each is, those they were started beside included. */
  readonly places: ReadonlyMap<string, CompanionPlace>;
  /** Those whose CPU time is their side's. */
  readonly counted: readonly Companion[];
  /** @throws TailgateError `service-failed` naming the one that ended by itself. */
  throwIfExited(): void;
  /** Runs the `reset` of each. @throws TailgateError `service-failed`. */
  reset(): Promise<void>;
}

interface Running {
  readonly companion: Companion;
  readonly reset: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Those of scope `shared`: one for the whole job, in the candidate's project. */
export const startShared = (job: ServicesJob): Promise<Companions> =>
  startAll(job, null, new Map(), () => pickPort(job));

/**
 * Those of scope `side`, in that side's project.
 * @param portOf draws the port of each.
 */
export const startOfSide = (
  job: ServicesJob,
  side: Side,
  shared: Companions,
  portOf: (name: string) => Promise<number>,
): Promise<Companions> => startAll(job, side, shared.places, portOf);

async function startAll(
  job: ServicesJob,
  side: Side | null,
  beside: ReadonlyMap<string, CompanionPlace>,
  portOf: (name: string) => Promise<number>,
): Promise<Companions> {
  const wanted = job.config.services.filter(({ scope }) => (scope === 'shared') === (side === null));
  const places = new Map(beside);
  const running: Running[] = [];
  const endings = new Endings();
  const counted: Companion[] = [];
  try {
    for (const settings of wanted) {
      const one = await startOne(job, side, settings, places, await portOf(settings.name));
      running.push(one);
      endings.defer(one.end);
      if (settings.countCost) counted.push(one.companion);
    }
  } catch (error) {
    // What went wrong first is the news; what cannot be ended stays in the ledger.
    await endings.endAll().catch(() => undefined);
    throw error;
  }
  return {
    places,
    counted,
    throwIfExited: () => {
      for (const { companion } of running) companion.throwIfExited();
    },
    reset: async () => {
      for (const { reset } of running) await reset();
    },
    [Symbol.asyncDispose]: () => endings.endAll(),
  };
}

async function startOne(
  job: ServicesJob,
  side: Side | null,
  settings: CompanionSettings,
  places: Map<string, CompanionPlace>,
  port: number,
): Promise<Running> {
  const { config, clock, signal, ledger } = job;
  const directory = ownDirectory(settings, ledger);
  const here: Places = { port, side, directory: directory?.path ?? null, services: places };
  const cwd = job.directories[side ?? 'candidate'];
  const env = { ...withoutSecrets(job.environment), ...fillAll(settings.env, here), PORT: String(port) };
  // Its last lines may hold what it was given.
  const mask = maskFor(job.environment, settings.env);
  const masked = (error: unknown): never => {
    throw error instanceof TailgateError ? maskedError(error, mask) : error;
  };
  const { ready } = settings;
  try {
    const companion = await startCompanion({
      ...settings,
      side,
      command: fillPlaces(settings.start, here),
      ready: ready.kind === 'command' ? { ...ready, command: fillPlaces(ready.command, here) } : ready,
      cwd,
      env,
      port,
      clock,
      httpGet,
      signal,
      ledger,
    }).catch(masked);
    await pinService(companion.pid, placementOf(config));
    places.set(settings.name, { port, directory: directory?.path ?? null });
    const who = `${side === null ? '' : `${side}: `}\`reset\` of \`${settings.name}\` of \`services\``;
    const command = settings.reset === null ? null : fillPlaces(settings.reset, here);
    const { timeout } = config.reset;
    return {
      companion,
      reset: async () => {
        if (command === null) return;
        await runReset({ who, command, cwd, env, timeout, signal, ledger }).catch(masked);
      },
      end: async () => {
        await companion.stop();
        directory?.remove();
      },
    };
  } catch (error) {
    directory?.remove();
    throw error;
  }
}

/** An empty directory for the data of a companion that asks for one; in the ledger while it is there. */
function ownDirectory(
  settings: CompanionSettings,
  ledger: Ledger,
): { readonly path: string; readonly remove: () => void } | null {
  const { start, ready, reset, env } = settings;
  const texts = [start, reset ?? '', ready.kind === 'command' ? ready.command : '', ...Object.values(env)];
  if (!texts.some((text) => text.includes('{directory}'))) return null;
  const path = makeTemporaryFolder(`tailgate-${settings.name}-`);
  const entry: Leftover = { kind: 'directory', path };
  try {
    ledger.add(entry);
  } catch (error) {
    rmSync(path, { recursive: true, force: true });
    throw error;
  }
  return {
    path,
    remove: () => {
      rmSync(path, { recursive: true, force: true, maxRetries: 3 });
      ledger.remove(entry);
    },
  };
}

async function pickPort(job: ServicesJob): Promise<number> {
  return (await pickPorts(job.random)).lower;
}

/**
 * Runs the `reset` of the whole file for one side whose service answers.
 * @throws TailgateError `service-failed` with its last lines.
 */
export async function resetSide(
  job: ServicesJob,
  service: { readonly side: Side; readonly port: number; readonly env: Readonly<Record<string, string>> },
  places: ReadonlyMap<string, CompanionPlace>,
): Promise<void> {
  const { config, signal, ledger } = job;
  if (config.reset.command === null) return;
  const { side, port } = service;
  await runReset({
    who: `${side}: \`reset\``,
    command: fillPlaces(config.reset.command, { port, side, services: places }),
    cwd: job.directories[side],
    env: { ...withoutSecrets(job.environment), ...service.env, PORT: String(port), TAILGATE_SIDE: side },
    timeout: config.reset.timeout,
    signal,
    ledger,
  });
}
