/** A service as the conductor sees it: spawn it, wait until it is ready, ask what it costs, stop all of it. */
import type { Transport } from '../config/transport.ts';
import type { Ledger } from '../kernel/leftovers.ts';
import type { EndReport } from '../kernel/processes.ts';
import type { Bytes, Nanoseconds } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import type { Clock } from '../kernel/world.ts';
import type { CostSample } from './cost.ts';
import type { ServiceExit } from './failures.ts';
import { cancelled } from './failures.ts';
import { SpawnedService } from './life-cycle.ts';
import { assertSocketFree } from './place.ts';
import { assertPortFree } from './ports.ts';
import type { HttpGet, ReadyRule } from './ready.ts';

export interface ServiceOptions {
  readonly side: Side;
  /** Run by the shell; `{port}` in it is replaced. */
  readonly command: string;
  readonly cwd: string;
  /** Our own environment: secrets and inputs are taken out before the service sees it. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>;
  /** What the configuration adds; wins over `baseEnv`. `PORT` wins over both. */
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  /** Without it: plain HTTP/1.1 at the port. */
  readonly transport?: Transport;
  readonly ready: ReadyRule;
  /** From the start until ready. */
  readonly startTimeout: Nanoseconds;
  readonly stop: { readonly signal: NodeJS.Signals; readonly grace: Nanoseconds };
  /** False for services behind a container or a proxy that is not our child. */
  readonly listenerCheck: boolean;
  readonly clock: Clock;
  readonly httpGet: HttpGet;
  readonly signal?: AbortSignal;
  readonly ledger?: Ledger;
}

export interface StopReport extends EndReport {
  /** `left`: someone else holds the port. After a service that was proven ours this is an error instead. */
  readonly listener: 'gone' | 'left';
}

/** A service that was spawned and may or may not answer yet. */
export interface ServiceHandle extends AsyncDisposable {
  readonly side: Side;
  /** Of the first process; it names the group. 0 when the command could not be started. */
  readonly pid: number;
  readonly port: number;
  /** The last 50 lines of both outputs. */
  tail(): readonly string[];
  /** Settles once, when nothing of the service runs any more or its first process failed; never rejects. */
  readonly exited: Promise<ServiceExit>;
  state(): { readonly kind: 'running' } | ServiceExit;
  /**
   * Resolves when the service answers and the answer comes from it. On failure everything is ended first; then it
   * rejects with `service-failed`, or `cancelled` when the signal fired.
   */
  waitUntilReady(): Promise<RunningService>;
  /** Signal, grace, KILL; then proof that no process and no listener is left. May be called again. */
  stop(): Promise<StopReport>;
}

/** A service that answers. */
export interface RunningService extends Omit<ServiceHandle, 'waitUntilReady'> {
  /** The address that answered, e.g. `http://127.0.0.1:23456` or `http://[::1]:23456`. */
  readonly origin: string;
  /** As the generator wants it. */
  readonly target: {
    readonly origin: string;
    /** null: that of the origin. */
    readonly host: string | null;
    readonly transport?: Transport;
  };
  /** From the spawn until ready; part of no metric. */
  readonly startTime: Nanoseconds;
  /** CPU time since the spawn and memory now, of the whole process tree; null where the system does not tell. */
  cost(): CostSample | null;
  /** The highest memory of all calls of `cost`. */
  peakMemory(): Bytes | null;
  /** Throws `service-failed` when the service ended by itself. */
  throwIfExited(): void;
}

/** Spawns and waits; see `ServiceHandle.waitUntilReady` for errors. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  return (await spawnService(options)).waitUntilReady();
}

/**
 * Spawns a service without waiting for it, so that the order of spawning and that of asking can each be drawn.
 * @throws TailgateError `service-failed` when its port is in use, `cancelled` when the signal had fired.
 */
export async function spawnService(options: ServiceOptions): Promise<ServiceHandle> {
  const isCancelled = (): boolean => options.signal?.aborted === true;
  if (!isCancelled()) await assertPortFree(options.port, options.side);
  assertSocketFree(options, options.side);
  if (isCancelled()) throw cancelled({ side: options.side, port: options.port, tail: [] });
  return new SpawnedService(options);
}
