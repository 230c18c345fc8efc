/** The life of one service: spawned in a group of its own, proven ours, watched, and stopped with all it started. */
import type { ChildProcess } from 'node:child_process';
import { explain, settle, start } from '../kernel/command.ts';
import { assertNever } from '../kernel/errors.ts';
import type { Leftover } from '../kernel/leftovers.ts';
import type { GroupIdentity, ProcessEntry } from '../kernel/processes.ts';
import { endGroup, findMembers, markedEnvironment, readProcess } from '../kernel/processes.ts';
import { OutputTail } from '../kernel/tail.ts';
import type { Bytes, Nanoseconds } from '../kernel/units.ts';
import { msToNs, ns, secondsToNs } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import type { CostMeter, CostSample } from './cost.ts';
import { meterFor } from './cost.ts';
import { withoutSecrets } from './environment.ts';
import type { ServiceExit, Subject } from './failures.ts';
import {
  cancelled,
  exitedEarly,
  exitedInTheMiddle,
  foreignListener,
  neverReady,
  notEnded,
} from './failures.ts';
import type { LoopbackAddress } from './listeners.ts';
import { portsOf } from './listeners.ts';
import { beyondOrigin, ownerAt, removeSocket, toldOf } from './place.ts';
import { byWhom, holderAfter } from './ports.ts';
import type { Probe, Readiness } from './ready.ts';
import { untilReady } from './ready.ts';
import type { RunningService, ServiceHandle, ServiceOptions, StopReport } from './service.ts';

const nobody: GroupIdentity = { group: 0, leaderStart: null, mark: null };
/** How often a service whose first process is gone is looked after. */
const watchPause = msToNs(process.platform === 'linux' ? 100 : 1000);
/** How long a listener may outlive its process: containers take a moment. */
const listenerPatience = secondsToNs(3);

export class SpawnedService implements ServiceHandle, RunningService {
  readonly side: Side;
  readonly port: number;
  readonly pid: number;
  readonly exited: Promise<ServiceExit>;
  readonly #options: ServiceOptions;
  readonly #child: ChildProcess | null = null;
  readonly #closed: Promise<void> = Promise.resolve();
  readonly #group: GroupIdentity = nobody;
  readonly #entry: Leftover | null = null;
  readonly #tail = new OutputTail(50);
  readonly #spawnedAt: Nanoseconds;
  readonly #meter: CostMeter;
  readonly #watch = new AbortController();
  #exit: ServiceExit | null = null;
  #settleExit: (exit: ServiceExit) => void = () => undefined;
  #readiness: (Readiness & { readonly startTime: Nanoseconds }) | null = null;
  #known: readonly ProcessEntry[] = [];
  #stopped: Promise<StopReport> | null = null;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.side = options.side;
    this.port = options.port;
    this.exited = new Promise((resolve) => {
      this.#settleExit = resolve;
    });
    this.#spawnedAt = options.clock.now();
    const { command, env: told } = toldOf(options, options.command);
    const given = { ...withoutSecrets(options.baseEnv), ...options.env, ...told };
    const { env, mark } = markedEnvironment(given);
    const started = start(command, options.cwd, env);
    if (started.kind === 'refused') {
      this.pid = 0;
      this.#end({ kind: 'not-started', message: started.message });
    } else {
      const { child } = started;
      this.pid = child.pid ?? 0;
      this.#child = child;
      if (child.pid !== undefined) {
        this.#group = { group: child.pid, leaderStart: readProcess(child.pid)?.start ?? null, mark };
        this.#entry = { kind: 'group', ...this.#group };
        options.ledger?.add(this.#entry);
      }
      this.#closed = new Promise((resolve) => child.once('close', () => resolve()));
      this.#listen(child, command);
    }
    this.#meter = meterFor(this.#group, options.clock);
  }

  tail(): readonly string[] {
    return this.#tail.lines();
  }

  state(): { readonly kind: 'running' } | ServiceExit {
    return this.#exit ?? { kind: 'running' };
  }

  get origin(): string {
    return this.#ready().origin;
  }

  get target(): RunningService['target'] {
    return { origin: this.origin, ...beyondOrigin(this.#options) };
  }

  get startTime(): Nanoseconds {
    return this.#ready().startTime;
  }

  cost(): CostSample | null {
    return this.#meter.sample();
  }

  peakMemory(): Bytes | null {
    return this.#meter.peakMemory();
  }

  throwIfExited(): void {
    if (this.#exit !== null) throw exitedInTheMiddle(this.#subject(), this.#exit);
  }

  async waitUntilReady(): Promise<RunningService> {
    try {
      const { clock } = this.#options;
      const readiness = await this.#untilProven();
      this.#readiness = { ...readiness, startTime: ns(clock.now() - this.#spawnedAt) };
      this.#known = findMembers(this.#group);
      return this;
    } catch (error) {
      // The first failure is the one to tell; what cannot be ended stays in the ledger.
      await this.stop().catch(() => undefined);
      throw error;
    }
  }

  stop(): Promise<StopReport> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #listen(child: ChildProcess, command: string): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]?.on('data', (data: Buffer) => this.#tail.feed(stream, data));
      child[stream]?.on('error', () => undefined);
    }
    child.on('error', (error) => {
      if (child.pid !== undefined) return;
      this.#end({ kind: 'not-started', message: explain(error, { command, cwd: this.#options.cwd }) });
    });
    child.once('exit', (code, signal) => {
      if (signal !== null) this.#end({ kind: 'signalled', signal });
      else if (code !== null && code !== 0) this.#end({ kind: 'exited', code });
      // A first process that ends well may have left its server running: that is how daemons start.
      else void this.#watchMembers();
    });
  }

  async #watchMembers(): Promise<void> {
    let members: readonly ProcessEntry[] = [];
    do {
      if (!members.some((member) => isAlive(member))) members = findMembers(this.#group, members);
      if (members.length === 0) return this.#end({ kind: 'exited', code: 0 });
      await this.#options.clock.sleep(watchPause, this.#watch.signal).catch(() => undefined);
    } while (!this.#watch.signal.aborted);
  }

  #end(exit: ServiceExit): void {
    this.#exit ??= exit;
    this.#settleExit(this.#exit);
  }

  async #untilProven(): Promise<Readiness> {
    const { clock, signal, startTimeout, ready } = this.#options;
    const probes: Record<LoopbackAddress, Probe> = {
      '127.0.0.1': { kind: 'not-asked' },
      '::1': { kind: 'not-asked' },
    };
    const asking = new AbortController();
    const left = ns(Math.max(0, this.#spawnedAt + startTimeout - clock.now()));
    const outcome = await Promise.race([
      this.#askAndProve(probes, asking.signal).then((readiness) => ({ kind: 'ready', readiness }) as const),
      this.exited.then((exit) => ({ kind: 'exited', exit }) as const),
      clock.sleep(left, asking.signal).then(() => ({ kind: 'timed-out' }) as const),
      whenAborted(signal, asking.signal).then(() => ({ kind: 'cancelled' }) as const),
    ]).finally(() => asking.abort());
    switch (outcome.kind) {
      case 'ready':
        return outcome.readiness;
      case 'exited': {
        const after = ns(clock.now() - this.#spawnedAt);
        await this.#drained();
        throw exitedEarly(this.#subject(), outcome.exit, after);
      }
      case 'timed-out': {
        const members = findMembers(this.#group).map((member) => member.pid);
        const wanted = this.#options.transport?.socketPath ? null : this.port;
        const others = (portsOf(members) ?? []).filter((port) => port !== wanted);
        throw neverReady(this.#subject(), ready, probes, startTimeout, others);
      }
      case 'cancelled':
        throw cancelled(this.#subject());
      default:
        return assertNever(outcome);
    }
  }

  async #askAndProve(probes: Record<LoopbackAddress, Probe>, signal: AbortSignal): Promise<Readiness> {
    const { clock, httpGet, ready } = this.#options;
    for (let doubts = 0; ; ) {
      const readiness = await untilReady({
        place: this.#options,
        rule: ready,
        httpGet,
        clock,
        signal,
        onProbe: (address, probe) => {
          probes[address] = probe;
        },
      });
      if (!this.#options.listenerCheck) return readiness;
      const members = findMembers(this.#group).map((member) => member.pid);
      const ownership = ownerAt(readiness.address, this.#options, members);
      switch (ownership.kind) {
        case 'ours':
        case 'unknown':
          return readiness;
        case 'foreign':
          // Once more: a server may be handing its socket to a process that was forked since the listing.
          if (doubts++ > 0) throw foreignListener(this.#subject(), readiness.address, ownership.owner);
          break;
        case 'nobody':
          break;
        default:
          return assertNever(ownership);
      }
      await clock.sleep(watchPause, signal);
    }
  }

  async #stop(): Promise<StopReport> {
    const { clock, stop, listenerCheck, ledger } = this.#options;
    this.#watch.abort();
    this.#end({ kind: 'stopped' });
    if (this.#child === null || this.pid === 0) return neverStarted;
    const { leaderStart, mark } = this.#group;
    const ended = await endGroup(this.pid, { ...stop, clock, leaderStart, mark, known: this.#known });
    await settle(this.#child, this.#closed);
    if (ended.left.length > 0) {
      throw notEnded(this.#subject(), `processes ${ended.left.join(', ')} are still alive`);
    }
    if (this.#entry !== null) ledger?.remove(this.#entry);
    removeSocket(this.#options);
    const patience = this.#readiness === null ? ns(0) : listenerPatience;
    const holder = await holderAfter(this.port, patience, clock);
    // Held by a stranger when the service never got as far as to listen: reported at the start, not here.
    if (holder !== null && listenerCheck && this.#readiness !== null) {
      throw notEnded(this.#subject(), `port ${this.port} is still held ${byWhom(holder.owner)}`);
    }
    return { ...ended, listener: holder === null ? 'gone' : 'left' };
  }

  /** The last words of a process arrive after its exit. */
  async #drained(): Promise<void> {
    await Promise.race([this.#closed, this.#options.clock.sleep(msToNs(300))]);
  }

  #ready(): Readiness & { readonly startTime: Nanoseconds } {
    if (this.#readiness === null) throw new Error(`${this.side}: asked for its origin before it was ready`);
    return this.#readiness;
  }

  #subject(): Subject {
    return { side: this.side, port: this.port, transport: this.#options.transport, tail: this.tail() };
  }
}

const neverStarted: StopReport = {
  how: 'already-gone',
  killed: [],
  left: [],
  duration: ns(0),
  listener: 'gone',
};

function isAlive(entry: ProcessEntry): boolean {
  const now = readProcess(entry.pid);
  return now !== null && now.start === entry.start && !now.zombie;
}

/** Resolves when `signal` fires; never when `over` fires first. */
function whenAborted(signal: AbortSignal | undefined, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve();
    signal?.addEventListener('abort', () => resolve(), { once: true, signal: over });
  });
}
