/** Conductor of both sides' processes: started in the drawn order, each on its own port, all stopped together. */
import type { RoundPlan } from './config/plan.ts';
import type { GateConfig } from './config/settings.ts';
import { readTransport, type TransportSettings } from './config/transport.ts';
import type { BothServices } from './job.ts';
import { TailgateError } from './kernel/errors.ts';
import { builtFile } from './kernel/installation.ts';
import type { Ledger } from './kernel/leftovers.ts';
import { otherSide, type Side } from './kernel/words.ts';
import type { Clock, Random } from './kernel/world.ts';
import { httpGet } from './load/sender.ts';
import { placementOf } from './senders.ts';
import { behindFront, type Planted } from './service/front-order.ts';
import { socketPathFor } from './service/place.ts';
import { pinService } from './service/placement.ts';
import { pickPorts } from './service/ports.ts';
import { type RunningService, type ServiceHandle, spawnService } from './service/service.ts';
import { type SideMeter, sideMeter } from './service/side-meter.ts';

export interface SidesJob {
  readonly config: GateConfig;
  /** Where each side's project was built. */
  readonly directories: Readonly<Record<Side, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly ledger: Ledger;
  /** Puts a front before each side's service that adds this to its requests; without it there is none. */
  readonly front?: ((side: Side) => Planted) | undefined;
}

/**
 * Spawns one side on a port, pinned away from the generator where there are CPUs enough.
 * @param behind where the service itself listens when there is a front.
 */
export async function spawnSide(
  job: SidesJob,
  side: Side,
  port: number,
  behind?: number,
): Promise<ServiceHandle> {
  const { config, front } = job;
  const { start } = config;
  if (front !== undefined) refuseFront(config.transport);
  const socketPath = config.transport.unixSocket ? socketPathFor(port) : null;
  const transport = readTransport(config.transport, job.directories[side], socketPath);
  const fronted =
    front === undefined || behind === undefined
      ? { command: start, env: {} }
      : behindFront(builtFile('front.js'), { start, port: behind, planted: front(side) });
  const handle = await spawnService({
    side,
    command: fronted.command,
    cwd: job.directories[side],
    baseEnv: job.environment,
    env: { ...config.env, ...fronted.env },
    port,
    transport,
    ready: config.ready,
    startTimeout: config.startTimeout,
    stop: config.stop,
    listenerCheck: config.listenerCheck,
    clock: job.clock,
    httpGet,
    signal: job.signal,
    ledger: job.ledger,
  });
  await pinService(handle.pid, placementOf(config));
  return handle;
}

/** A front passes bytes on and tells requests apart by who speaks: plain HTTP/1.1 over TCP only. */
function refuseFront({ https, http2, unixSocket }: TransportSettings): void {
  const given = https !== null ? 'https' : http2 !== null ? 'http2' : unixSocket ? 'unix-socket' : null;
  if (given === null) return;
  throw new TailgateError({
    code: 'usage',
    message: `\`transport: { ${given}: true }\`: the self-test plants what it finds in plain HTTP/1.1 over a port only`,
    hint: `check the gate with a configuration without \`${given}\`: how it judges does not depend on it`,
  });
}

/**
 * Starts both sides for a round: spawned and asked in the drawn orders, the lower port to the drawn side.
 * @throws TailgateError `service-failed` naming the side; nothing of either side is left then.
 */
export async function startBoth(job: SidesJob, round: RoundPlan): Promise<BothServices> {
  const ports = await pickPorts(job.random);
  const behind = job.front === undefined ? null : await pickPorts(job.random, [ports.lower, ports.higher]);
  const place = (side: Side): 'lower' | 'higher' => (side === round.lowerPort ? 'lower' : 'higher');
  const spawned = new Map<Side, ServiceHandle>();
  const stopAll = async (): Promise<void> => {
    const stops = await Promise.allSettled([...spawned.values()].map((handle) => handle.stop()));
    for (const stop of stops) if (stop.status === 'rejected') throw stop.reason;
  };
  try {
    for (const side of [round.spawnFirst, otherSide(round.spawnFirst)]) {
      spawned.set(side, await spawnSide(job, side, ports[place(side)], behind?.[place(side)]));
    }
    // Both are asked from now on, the drawn one first: when either ends early, nobody waits for the other.
    const order = [round.probeFirst, otherSide(round.probeFirst)];
    const ready = await Promise.all(order.map((side) => spawned.get(side)!.waitUntilReady()));
    const serviceOf = (side: Side): RunningService => ready[order.indexOf(side)]!;
    const meterOf = (side: Side): SideMeter => meterFor(job, serviceOf(side), ports[place(side)]);
    return {
      services: { baseline: serviceOf('baseline'), candidate: serviceOf('candidate') },
      meters: { baseline: meterOf('baseline'), candidate: meterOf('candidate') },
      [Symbol.asyncDispose]: stopAll,
    };
  } catch (error) {
    // What went wrong first is the news; a stop that fails as well stays in the ledger.
    await stopAll().catch(() => undefined);
    throw error;
  }
}

/** What is planted burns in the front, which only the process tree sees. */
function meterFor({ config, front }: SidesJob, service: RunningService, port: number): SideMeter {
  return sideMeter({
    cost: front === undefined ? config.cost : { kind: 'process-tree' },
    counters: front === undefined ? config.metrics : [],
    trees: [service],
    origin: service.origin,
    fill: (text) => text.replaceAll('{port}', String(port)).replaceAll('{side}', service.side),
  });
}
