/** Conductor of both sides' processes: companions first, then the sides in the drawn order, each on its own port, all stopped together. */
import type { RoundPlan } from './config/plan.ts';
import { readTransport } from './config/transport.ts';
import type { BothServices } from './job.ts';
import { Endings } from './kernel/endings.ts';
import { builtFile } from './kernel/installation.ts';
import { otherSide, type Side } from './kernel/words.ts';
import { httpGet } from './load/sender.ts';
import { placementOf } from './senders.ts';
import { behindFront, type Planted } from './service/front-order.ts';
import { socketPathFor } from './service/place.ts';
import { type CompanionPlace, fillAll, fillPlaces } from './service/placeholders.ts';
import { pinService } from './service/placement.ts';
import { pickPorts } from './service/ports.ts';
import { type RunningService, type ServiceHandle, spawnService } from './service/service.ts';
import { type SideMeter, sideMeter } from './service/side-meter.ts';
import { type Companions, resetSide, type ServicesJob, startOfSide, startShared } from './services.ts';

export interface SidesJob extends ServicesJob {
  /** Companions of both sides that somebody else ends; without them they are started and ended here. */
  readonly shared?: Companions | undefined;
  /** Puts a front before each side's service that adds this to its requests; without it there is none. */
  readonly front?: ((side: Side) => Planted) | undefined;
}

/**
 * Spawns one side on a port, pinned away from the generator where there are CPUs enough.
 * @param places where its companions are.
 * @param behind where the service itself listens when there is a front.
 */
async function spawnSide(
  job: SidesJob,
  side: Side,
  port: number,
  places: ReadonlyMap<string, CompanionPlace>,
  behind?: number,
): Promise<ServiceHandle> {
  const { config, front } = job;
  const socketPath = config.transport.unixSocket ? socketPathFor(port) : null;
  const transport = readTransport(config.transport, job.directories[side], socketPath);
  const start = fillPlaces(config.start, { services: places });
  const fronted =
    front === undefined || behind === undefined
      ? { command: start, env: {} }
      : behindFront(builtFile('front.js'), { start, port: behind, planted: front(side) });
  const handle = await spawnService({
    side,
    command: fronted.command,
    cwd: job.directories[side],
    baseEnv: job.environment,
    env: { ...sideEnv(job, places), ...fronted.env },
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

const sideEnv = (
  { config }: SidesJob,
  places: ReadonlyMap<string, CompanionPlace>,
): Readonly<Record<string, string>> => ({
  ...config.env,
  ...fillAll(config.linkedEnv, { services: places }),
});

/**
 * Starts both sides for a round: their companions, then the services, spawned and asked in the drawn orders, the lower
 * port to the drawn side; and gives both the data they start with.
 * @throws TailgateError `service-failed` naming the side or companion; nothing of either side is left then.
 */
export async function startBoth(job: SidesJob, round: RoundPlan): Promise<BothServices> {
  const place = (side: Side): 'lower' | 'higher' => (side === round.lowerPort ? 'lower' : 'higher');
  const pairs = portPairs(job);
  const ports = await pairs('sides');
  const behind = job.front === undefined ? null : await pairs('front');
  const inOrder = (first: Side): readonly Side[] => [first, otherSide(first)];
  const kept = new Endings();
  try {
    const shared = job.shared ?? kept.add(await startShared(job));
    shared.throwIfExited();
    await shared.reset();
    const companions = new Map<Side, Companions>();
    for (const side of inOrder(round.spawnFirst)) {
      const portOf = async (name: string): Promise<number> => (await pairs(`services/${name}`))[place(side)];
      const own = kept.add(await startOfSide(job, side, shared, portOf));
      companions.set(side, own);
      await own.reset();
    }
    const spawned = new Map<Side, ServiceHandle>();
    kept.defer(() => stopAll(spawned.values()));
    for (const side of inOrder(round.spawnFirst)) {
      const { places } = companions.get(side)!;
      spawned.set(side, await spawnSide(job, side, ports[place(side)], places, behind?.[place(side)]));
    }
    // Both are asked from now on, the drawn one first: when either ends early, nobody waits for the other.
    const order = inOrder(round.probeFirst);
    const ready = await Promise.all(order.map((side) => spawned.get(side)!.waitUntilReady()));
    const services = {
      baseline: ready[order.indexOf('baseline')]!,
      candidate: ready[order.indexOf('candidate')]!,
    };
    for (const side of inOrder(round.warmFirst)) await resetOne(job, services[side], companions.get(side)!);
    const meterOf = (side: Side): SideMeter => meterFor(job, services[side], companions.get(side)!);
    const both = {
      services,
      meters: { baseline: meterOf('baseline'), candidate: meterOf('candidate') },
      throwIfExited: () => {
        shared.throwIfExited();
        for (const own of companions.values()) own.throwIfExited();
      },
    };
    return { ...both, [Symbol.asyncDispose]: () => kept.endAll() };
  } catch (error) {
    // What went wrong first is the news; a stop that fails as well stays in the ledger.
    await kept.endAll().catch(() => undefined);
    throw error;
  }
}

/** One side by itself. */
export interface OneService extends AsyncDisposable {
  readonly service: RunningService;
  readonly meter: SideMeter;
}

/**
 * Starts one side alone, with everything it needs.
 * @throws TailgateError `service-failed` naming the side or companion; nothing is left then.
 */
export async function startOne(job: SidesJob, side: Side, port: number): Promise<OneService> {
  const pairs = portPairs(job, [port]);
  const kept = new Endings();
  try {
    const shared = job.shared ?? kept.add(await startShared(job));
    await shared.reset();
    const own = kept.add(
      await startOfSide(job, side, shared, async (name) => (await pairs(`services/${name}`)).lower),
    );
    await own.reset();
    const handle = kept.add(await spawnSide(job, side, port, own.places));
    const service = await handle.waitUntilReady();
    await resetOne(job, service, own);
    return { service, meter: meterFor(job, service, own), [Symbol.asyncDispose]: () => kept.endAll() };
  } catch (error) {
    await kept.endAll().catch(() => undefined);
    throw error;
  }
}

async function stopAll(handles: Iterable<ServiceHandle>): Promise<void> {
  const stops = await Promise.allSettled([...handles].map((handle) => handle.stop()));
  for (const stop of stops) if (stop.status === 'rejected') throw stop.reason;
}

const resetOne = (job: SidesJob, service: RunningService, { places }: Companions): Promise<void> =>
  resetSide(job, { side: service.side, port: service.port, env: sideEnv(job, places) }, places);

/** A lower and a higher port by name, drawn when first asked for. */
function portPairs(
  job: SidesJob,
  taken: readonly number[] = [],
): (name: string) => ReturnType<typeof pickPorts> {
  const drawn = new Map<string, Awaited<ReturnType<typeof pickPorts>>>();
  return async (name) => {
    const known = drawn.get(name);
    if (known !== undefined) return known;
    const others = [...drawn.values()].flatMap(({ lower, higher }) => [lower, higher]);
    const pair = await pickPorts(job.random, [...taken, ...others]);
    drawn.set(name, pair);
    return pair;
  };
}

/** What is planted burns in the front, which only the process tree sees. */
function meterFor(
  { config, front }: SidesJob,
  service: RunningService,
  { places, counted }: Companions,
): SideMeter {
  return sideMeter({
    cost: front === undefined ? config.cost : { kind: 'process-tree' },
    counters: front === undefined ? config.metrics : [],
    trees: [service, ...counted],
    target: service.target,
    fill: (text) => fillPlaces(text, { port: service.port, side: service.side, services: places }),
  });
}
