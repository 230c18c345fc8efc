/** Something that the sides need and that we start: spawned in a group of its own, waited for, watched, ended with all it started. */
import type { ChildProcess } from 'node:child_process';
import type { CompanionSettings } from '../config/settings-services.ts';
import { explain, settle, start } from '../kernel/command.ts';
import { assertNever, TailgateError } from '../kernel/errors.ts';
import type { Ledger, Leftover } from '../kernel/leftovers.ts';
import type { GroupIdentity, ProcessEntry } from '../kernel/processes.ts';
import { endGroup, findMembers, markedEnvironment, readProcess } from '../kernel/processes.ts';
import { OutputTail } from '../kernel/tail.ts';
import type { Bytes, Nanoseconds } from '../kernel/units.ts';
import { formatDuration, msToNs, ns } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import type { Clock } from '../kernel/world.ts';
import type { CompanionProbe } from './companion-ready.ts';
import { probeCompanion } from './companion-ready.ts';
import { type CostMeter, type CostSample, meterFor } from './cost.ts';
import { byWhom, whoHolds } from './ports.ts';
import type { HttpGet } from './ready.ts';

export interface CompanionOptions
  extends Pick<CompanionSettings, 'name' | 'ready' | 'startTimeout' | 'stop'> {
  /** Whose it is; null for one that both sides share. */
  readonly side: Side | null;
  /** Run by the shell. */
  readonly command: string;
  readonly cwd: string;
  /** All of it: what is secret was taken out. */
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
  readonly clock: Clock;
  readonly httpGet: HttpGet;
  readonly signal?: AbortSignal;
  readonly ledger?: Ledger;
}

const firstPause = msToNs(20);
const longestPause = msToNs(200);

/**
 * Starts a companion and waits until it is ready.
 * @throws TailgateError `service-failed` naming it and its last lines, `cancelled` when the signal fired; nothing of it
 * is left then.
 */
export async function startCompanion(options: CompanionOptions): Promise<Companion> {
  const holder = await whoHolds(options.port);
  if (holder !== null) {
    throw failure(
      options,
      [],
      `cannot have port ${options.port}, which is held ${byWhom(holder.owner)}`,
      'Run again: another port is drawn.',
    );
  }
  const companion = new Companion(options);
  try {
    await companion.untilReady();
    return companion;
  } catch (error) {
    // The first failure is the one to tell; what cannot be ended stays in the ledger.
    await companion.stop().catch(() => undefined);
    throw error;
  }
}

export class Companion implements AsyncDisposable {
  readonly name: string;
  readonly port: number;
  /** 0 when it could not be started. */
  readonly pid: number;
  readonly #options: CompanionOptions;
  readonly #spawnedAt: Nanoseconds;
  readonly #child: ChildProcess | null = null;
  readonly #closed: Promise<void> = Promise.resolve();
  readonly #group: GroupIdentity = { group: 0, leaderStart: null, mark: null };
  readonly #entry: Leftover | null = null;
  readonly #tail = new OutputTail(50);
  readonly #meter: CostMeter;
  /** How the first process ended, as the end of a sentence; one that ended well may have left its server running. */
  #ended: { readonly words: string; readonly well: boolean } | null = null;
  #known: readonly ProcessEntry[] = [];
  #stopped: Promise<void> | null = null;

  constructor(options: CompanionOptions) {
    this.#options = options;
    this.name = options.name;
    this.port = options.port;
    this.#spawnedAt = options.clock.now();
    const { command, cwd, ledger } = options;
    const { env, mark } = markedEnvironment({ ...options.env, PORT: String(options.port) });
    const started = start(command, cwd, env);
    this.pid = started.kind === 'child' ? (started.child.pid ?? 0) : 0;
    if (started.kind === 'refused') {
      this.#ended = { words: `could not be started: ${started.message}`, well: false };
    } else {
      const { child } = started;
      this.#child = child;
      if (child.pid !== undefined) {
        this.#group = { group: child.pid, leaderStart: readProcess(child.pid)?.start ?? null, mark };
        this.#entry = { kind: 'group', ...this.#group };
        ledger?.add(this.#entry);
      }
      this.#closed = new Promise((resolve) => child.once('close', () => resolve()));
      this.#listen(child);
    }
    this.#meter = meterFor(this.#group, options.clock);
  }

  tail(): readonly string[] {
    return this.#tail.lines();
  }

  /** CPU time and memory of its process tree. */
  cost(): CostSample | null {
    return this.#meter.sample();
  }

  peakMemory(): Bytes | null {
    return this.#meter.peakMemory();
  }

  /** @throws TailgateError `service-failed` when it ended by itself. */
  throwIfExited(): void {
    const ended = this.#endedAll();
    if (ended === null || this.#stopped !== null) return;
    throw failure(this.#options, this.tail(), `${ended} while it was needed`, 'Its last lines are below.');
  }

  async untilReady(): Promise<void> {
    const { clock, startTimeout, signal, ready } = this.#options;
    let pause = firstPause;
    let last: CompanionProbe = { kind: 'unready', words: 'it was not asked' };
    for (;;) {
      if (signal?.aborted === true) throw this.#cancelled();
      const ended = this.#endedAll();
      const after = ns(clock.now() - this.#spawnedAt);
      if (ended !== null) {
        await this.#drained();
        throw failure(
          this.#options,
          this.tail(),
          `${ended}, ${formatDuration(after)} after its start, before it was ready`,
          'Its last lines are below. Run its `start` by hand, with PORT set.',
        );
      }
      if (after > startTimeout) {
        throw failure(
          this.#options,
          this.tail(),
          `was not ready ${formatDuration(startTimeout)} after its start: ${last.words}`,
          `Ready is: ${readyWords(ready, this.port)}. See whether it listens on PORT ({port} in the command), or give it a longer \`start-timeout\`.`,
        );
      }
      last = await probeCompanion(this.#options);
      // What answers must be this one: it may have ended while somebody else took the port.
      if (last.kind === 'ready' && this.#endedAll() === null) break;
      await clock.sleep(pause, signal).catch(() => undefined);
      pause = ns(Math.min(pause * 1.4, longestPause));
    }
    this.#known = findMembers(this.#group);
  }

  /** Signal, grace, KILL, until nothing of it is left. May be called again. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #listen(child: ChildProcess): void {
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream]?.on('data', (data: Buffer) => this.#tail.feed(stream, data));
      child[stream]?.on('error', () => undefined);
    }
    child.on('error', (error) => {
      if (child.pid === undefined) this.#ended = { words: explain(error, this.#options), well: false };
    });
    child.once('exit', (code, signal) => {
      this.#ended =
        signal === null
          ? { words: `exited with code ${code}`, well: code === 0 }
          : { words: `was ended by ${signal}`, well: false };
    });
  }

  /** How it ended as a whole; null while something of it runs. */
  #endedAll(): string | null {
    if (this.#ended === null) return null;
    if (this.#ended.well && findMembers(this.#group, this.#known).length > 0) return null;
    return this.#ended.words;
  }

  async #stop(): Promise<void> {
    const { clock, stop, ledger } = this.#options;
    if (this.#child === null || this.pid === 0) return;
    const { leaderStart, mark } = this.#group;
    const ended = await endGroup(this.pid, { ...stop, clock, leaderStart, mark, known: this.#known });
    await settle(this.#child, this.#closed);
    if (ended.left.length > 0) {
      throw failure(
        this.#options,
        this.tail(),
        `could not be ended: processes ${ended.left.join(', ')} are still alive`,
        'Look for what starts it again, or for a daemon that clears its environment.',
      );
    }
    if (this.#entry !== null) ledger?.remove(this.#entry);
  }

  /** The last words of a process arrive after its exit. */
  async #drained(): Promise<void> {
    await Promise.race([this.#closed, this.#options.clock.sleep(msToNs(300))]);
  }

  #cancelled(): TailgateError {
    return new TailgateError({
      code: 'cancelled',
      message: `${who(this.#options)}: cancelled while it was starting`,
      tail: this.tail(),
    });
  }
}

function readyWords(ready: CompanionSettings['ready'], port: number): string {
  switch (ready.kind) {
    case 'port':
      return `port ${port} takes connections`;
    case 'path':
      return `GET ${ready.path} on port ${port} is answered with a wanted status`;
    case 'command':
      return `\`${ready.command}\` ends with 0`;
    default:
      return assertNever(ready);
  }
}

const who = ({ name, side }: Pick<CompanionOptions, 'name' | 'side'>): string =>
  `${side === null ? '' : `${side}: `}\`${name}\` of \`services\``;

function failure(
  options: Pick<CompanionOptions, 'name' | 'side'>,
  tail: readonly string[],
  what: string,
  hint: string,
): TailgateError {
  return new TailgateError({ code: 'service-failed', message: `${who(options)} ${what}`, hint, tail });
}
