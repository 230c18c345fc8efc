/** A side's benchmark process as its owner sees it: started in a group of its own, asked, and ended with its owner. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { TailgateError } from '../kernel/errors.ts';
import type { Leftover } from '../kernel/leftovers.ts';
import type { Mask } from '../kernel/masking.ts';
import { endGroup, markedEnvironment, readProcess } from '../kernel/processes.ts';
import { OutputTail } from '../kernel/tail.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { formatDuration, msToNs, ns } from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import type { Clock } from '../kernel/world.ts';
import { quietTime, type TellWaiting } from './patience.ts';
import type { BenchOrder, BenchReply } from './protocol.ts';
import { replyTo } from './replies.ts';

export interface SideProcessOptions {
  readonly side: Side;
  /** The bundled `microbench-child.js`. */
  readonly entry: string;
  /** The Node that runs it, and its own options. */
  readonly node: string;
  readonly nodeOptions: readonly string[];
  /** The project of this side. */
  readonly directory: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long one order may take. */
  readonly patience: Nanoseconds;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ledger?: { add(entry: Leftover): void; remove(entry: Leftover): void };
  readonly onWait?: TellWaiting;
  /** Takes secrets out of what the process says of itself. */
  readonly mask: Mask;
}

/** An order's answer, without the two that every order may have besides. */
export type Answer =
  | Exclude<BenchReply, { kind: 'ready' } | { kind: 'failed' }>
  /** The benchmark's own fault: it threw, it never ended, or it ended the process, which is gone then. */
  | {
      readonly kind: 'problem';
      readonly reason: string;
      readonly gone: boolean;
      /** It was ended because it did not end within the patience. */
      readonly hung?: boolean;
    };

/** An order without its number. */
export type Order = BenchOrder extends infer One ? (One extends unknown ? Omit<One, 'id'> : never) : never;

/** What the process was told last. */
type Waiting = { readonly kind: 'start' | BenchOrder['kind']; readonly id: number; readonly what: string };

/** Between asking the process to end and ending it. */
const grace = msToNs(1000);
const lastWords = msToNs(200);

export class SideProcess implements AsyncDisposable {
  readonly side: Side;
  readonly #options: SideProcessOptions;
  readonly #child: ChildProcess;
  readonly #tail = new OutputTail(20);
  readonly #mark: string;
  readonly #leaderStart: number | null;
  readonly #entry: Leftover | null = null;
  readonly #exited: Promise<void>;
  #pending: (Waiting & { readonly resolve: (answer: Answer) => void }) | null = null;
  #lastId = 0;
  #gone: string | null = null;

  constructor(options: SideProcessOptions) {
    this.side = options.side;
    this.#options = options;
    const { env, mark } = markedEnvironment(options.env);
    this.#mark = mark;
    this.#child = fork(options.entry, [], {
      cwd: options.directory,
      env,
      execPath: options.node,
      execArgv: [...options.nodeOptions],
      serialization: 'advanced',
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const { pid } = this.#child;
    this.#leaderStart = pid === undefined ? null : (readProcess(pid)?.start ?? null);
    if (pid !== undefined) {
      this.#entry = { kind: 'group', group: pid, leaderStart: this.#leaderStart, mark };
      options.ledger?.add(this.#entry);
    }
    this.#child.stderr?.on('data', (data: Buffer) => this.#tail.feed('stderr', data));
    this.#child.on('message', (message: unknown) => this.#take(message));
    this.#exited = new Promise((resolve) => {
      this.#child.once('error', (error) => {
        if (pid === undefined) this.#end(`could not be started: ${error.message}`);
        if (pid === undefined) resolve();
      });
      this.#child.once('exit', (code, signal) => {
        const end = (): void => {
          this.#end(signal === null ? `ended its process with exit code ${code}` : `was ended by ${signal}`);
          resolve();
        };
        const { stderr } = this.#child;
        if (stderr === null || stderr.closed) return end();
        // Its last words may still be in the pipe; what it left running may hold that open for ever.
        stderr.once('close', end);
        options.clock.sleep(lastWords).then(end, end);
      });
    });
  }

  /**
   * Waits until the process listens.
   * @throws TailgateError `service-failed` with the side when it does not come so far, `cancelled`.
   */
  async ready(): Promise<void> {
    const answer = await this.#wait({ kind: 'start', id: 0, what: 'the start of the process' });
    if (answer.kind === 'problem') {
      throw new TailgateError({
        code: 'service-failed',
        message: `the benchmark process of the ${this.side} did not start: it ${answer.reason}`,
        tail: this.tail(),
      });
    }
  }

  /** It has ended, or was ended because an order took too long: every further order is refused. */
  get isGone(): boolean {
    return this.#gone !== null;
  }

  /** The last lines of its standard error. */
  tail(): readonly string[] {
    return this.#tail.lines().map(this.#options.mask);
  }

  /** @throws TailgateError `cancelled` when the signal fired; everything else is an answer. */
  async ask(order: Order): Promise<Answer> {
    if (this.#gone !== null) return { kind: 'problem', reason: this.#gone, gone: true };
    const id = ++this.#lastId;
    const answer = this.#wait({ kind: order.kind, id, what: wordsOf(order) });
    this.#child.send({ ...order, id } as BenchOrder, () => {
      // A process that is gone is told by its exit.
    });
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const { pid } = this.#child;
    if (pid === undefined) return;
    await endGroup(pid, {
      signal: 'SIGTERM',
      grace,
      clock: this.#options.clock,
      leaderStart: this.#leaderStart,
      mark: this.#mark,
    });
    this.#child.stderr?.destroy();
    await this.#exited;
    if (this.#entry !== null) this.#options.ledger?.remove(this.#entry);
  }

  async #wait(waiting: Waiting): Promise<Answer> {
    const { clock, patience, signal, mask, onWait } = this.#options;
    signal.throwIfAborted();
    const waits = new AbortController();
    const onAbort = (): void => waits.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    const answered = new Promise<Answer>((resolve) => {
      this.#pending = { ...waiting, resolve };
      if (this.#gone !== null) resolve({ kind: 'problem', reason: this.#gone, gone: true });
    });
    const quiet = ns(Math.min(quietTime, patience / 2));
    const tooLong = clock
      .sleep(quiet, waits.signal)
      .then(() => {
        onWait?.(`${mask(waiting.what)} on the ${this.side}`, patience);
        return clock.sleep(ns(patience - quiet), waits.signal);
      })
      .then(
        (): Answer => {
          this.#gone = `did not end within ${formatDuration(patience)}`;
          this.#child.kill('SIGKILL');
          return { kind: 'problem', reason: this.#gone, gone: true, hung: true };
        },
        (): Answer => ({ kind: 'problem', reason: 'was stopped', gone: true }),
      );
    const answer = await Promise.race([answered, tooLong]);
    signal.removeEventListener('abort', onAbort);
    waits.abort();
    this.#pending = null;
    signal.throwIfAborted();
    return answer;
  }

  #take(message: unknown): void {
    if (this.#pending === null) return;
    const { resolve } = this.#pending;
    const reply = replyTo(this.#pending, message);
    if (reply === null) return;
    if (reply.kind === 'ready') resolve({ kind: 'finished', id: 0 });
    else if (reply.kind === 'failed')
      resolve({ kind: 'problem', reason: `threw: ${this.#options.mask(reply.message)}`, gone: false });
    else resolve(reply);
  }

  #end(how: string): void {
    const last = this.tail().findLast((line) => /\S/.test(line));
    this.#gone ??= last === undefined ? how : `${how}: ${last.slice(0, 300)}`;
    this.#pending?.resolve({ kind: 'problem', reason: this.#gone, gone: true });
  }
}

function wordsOf(order: Order): string {
  switch (order.kind) {
    case 'load':
      return order.file;
    case 'finish':
      return `teardown of ${order.file}`;
    default:
      return `${order.benchmark.file} > ${order.benchmark.name}`;
  }
}
