/** The generator process as its owner sees it: started, given orders over IPC, ended with its owner. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { assertNever, TailgateError } from '../kernel/errors.ts';
import { OutputTail } from '../kernel/tail.ts';
import { msToNs, type Nanoseconds } from '../kernel/units.ts';
import { realClock } from '../kernel/world.ts';
import type {
  ClosedOrder,
  ClosedResult,
  Generator,
  GeneratorOrder,
  GeneratorReply,
  OpenOrder,
  SliceOrder,
  SliceResult,
  StopOrder,
} from './protocol.ts';

export interface GeneratorOptions {
  /** The bundled `generator.js`. */
  readonly entry: string | URL;
  /** Node options beside the generator's own. */
  readonly execArgv?: readonly string[];
  /** Ends the process and rejects what is pending. */
  readonly signal?: AbortSignal;
  /** When the signal fires, what is being measured is answered with what there is; `false` unless given. */
  readonly keepPartial?: boolean;
}

/**
 * A fixed heap with a young generation large from the start: what a shot leaves behind is collected cheaply, and by
 * one thread, since waking others costs more than the little that survives. Twice the size would save a pause of
 * half a millisecond now and then, and cost 24 MB.
 */
const heapOptions = [
  '--expose-gc',
  '--no-parallel-scavenge',
  '--min-semi-space-size=8',
  '--max-semi-space-size=8',
  '--max-old-space-size=512',
];

/** Between asking the process to end and ending it. */
const grace = msToNs(2000);
/** For what is stopped to be drained and answered. */
const stopGrace = msToNs(5000);

type Reply = Exclude<GeneratorReply, { kind: 'ready' } | { kind: 'failed' }>;
interface Pending {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (problem: TailgateError) => void;
}

/**
 * Starts the generator process and waits until it listens. Inspector flags and NODE_OPTIONS of this process are not
 * inherited.
 * @throws TailgateError `invalid` when the process ends before it listens, `cancelled` when the signal fires.
 */
export async function startGenerator(options: GeneratorOptions): Promise<Generator> {
  const entry = typeof options.entry === 'string' ? options.entry : fileURLToPath(options.entry);
  const { NODE_OPTIONS: _dropped, ...env } = process.env;
  const child = fork(entry, [], {
    serialization: 'advanced',
    execArgv: [...heapOptions, ...(options.execArgv ?? [])],
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const generator = new RemoteGenerator(child, options.signal, options.keepPartial ?? false);
  try {
    await generator.ready;
  } catch (thrown) {
    await generator[Symbol.asyncDispose]();
    throw thrown;
  }
  return generator;
}

class RemoteGenerator implements Generator {
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  readonly #signal: AbortSignal | undefined;
  readonly #tail = new OutputTail(60);
  readonly #pending = new Map<number, Pending>();
  readonly #gone: Promise<void>;
  #lastId = 0;
  /** Why no more orders can be carried out. */
  #over: TailgateError | null = null;
  readonly #keepPartial: boolean;
  #measuring = 0;
  readonly #onAbort = () => {
    if (this.#keepPartial && this.#measuring > 0) {
      this.#over ??= cancelled();
      this.#child.send({ kind: 'stop' } satisfies StopOrder, () => {});
      this.#killAfter(stopGrace);
      return;
    }
    this.#end(cancelled());
    this.#child.kill('SIGKILL');
  };

  constructor(child: ChildProcess, signal: AbortSignal | undefined, keepPartial: boolean) {
    this.#child = child;
    this.#signal = signal;
    this.#keepPartial = keepPartial;
    child.stderr?.on('data', (data: Buffer) => this.#tail.feed('stderr', data));
    this.ready = new Promise((resolve, reject) => {
      this.#pending.set(0, { resolve: () => resolve(), reject });
    });
    // Rejections are delivered through orders; nobody may be waiting for `ready` any longer.
    this.ready.catch(() => {});
    child.on('message', (reply: GeneratorReply) => this.#take(reply));
    this.#gone = new Promise((resolve) => {
      child.once('error', (problem) => {
        this.#end(this.#died(problem.message));
        resolve();
      });
      // Not `close`: it never comes once this side has disconnected.
      child.once('exit', (code, killedBy) => {
        const how = killedBy === null ? `it ended with exit code ${code}` : `it was ended by ${killedBy}`;
        const end = () => {
          this.#end(this.#died(how));
          resolve();
        };
        // Its last words may still be in the pipe.
        if (child.stderr === null || child.stderr.closed) end();
        else child.stderr.once('close', end);
      });
    });
    if (signal?.aborted === true) this.#onAbort();
    else signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async open(order: OpenOrder): Promise<{ opened: number; problem: string | null }> {
    const reply = await this.#ask((id) => ({ kind: 'open', id, order }));
    if (reply.kind !== 'opened') throw this.#mixedUp(reply);
    return { opened: reply.opened, problem: reply.problem };
  }

  async slice(order: SliceOrder): Promise<SliceResult> {
    const reply = await this.#measure((id) => ({ kind: 'slice', id, order }));
    if (reply.kind !== 'slice') throw this.#mixedUp(reply);
    return reply.result;
  }

  async closedLoop(order: ClosedOrder): Promise<ClosedResult> {
    const reply = await this.#measure((id) => ({ kind: 'closed-loop', id, order }));
    if (reply.kind !== 'closed-loop') throw this.#mixedUp(reply);
    return reply.result;
  }

  async close(origin: string): Promise<void> {
    const reply = await this.#ask((id) => ({ kind: 'close', id, origin }));
    if (reply.kind !== 'closed') throw this.#mixedUp(reply);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#over ??= new TailgateError({ code: 'invalid', message: 'the generator was closed' });
    if (this.#child.connected) this.#child.disconnect();
    this.#killAfter(grace);
    await this.#gone;
  }

  #killAfter(delay: Nanoseconds): void {
    const ended = new AbortController();
    realClock.sleep(delay, ended.signal).then(
      () => this.#child.kill('SIGKILL'),
      () => {},
    );
    void this.#gone.then(() => ended.abort());
  }

  async #measure(make: (id: number) => GeneratorOrder): Promise<Reply> {
    this.#measuring++;
    try {
      return await this.#ask(make);
    } finally {
      this.#measuring--;
    }
  }

  #ask(make: (id: number) => GeneratorOrder): Promise<Reply> {
    if (this.#over !== null) return Promise.reject(this.#over);
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#child.send(make(id), (problem) => {
        if (problem !== null) this.#end(this.#died(problem.message));
      });
    });
  }

  #take(reply: GeneratorReply): void {
    switch (reply.kind) {
      case 'ready':
        // Order 0 is the start itself; what it resolves to is not looked at.
        this.#settle(0)?.resolve({ kind: 'closed', id: 0 });
        return;
      case 'failed':
        this.#settle(reply.id)?.reject(new TailgateError({ code: 'invalid', message: reply.message }));
        return;
      case 'slice':
      case 'opened':
      case 'closed':
      case 'closed-loop':
        this.#settle(reply.id)?.resolve(reply);
        return;
      default:
        assertNever(reply);
    }
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #end(why: TailgateError): void {
    this.#over ??= why;
    for (const { reject } of this.#pending.values()) reject(this.#over);
    this.#pending.clear();
  }

  #died(how: string): TailgateError {
    return new TailgateError({
      code: 'invalid',
      message: `the load generator stopped working: ${how}`,
      hint: 'Run it again; if it was ended by SIGKILL or SIGABRT, memory ran out: that of the machine, or the generator’s own.',
      // What the runtime prints of its own frames hides the line that says why.
      tail: this.#tail
        .lines()
        .filter((line) => !/^\s*\d+: 0x[0-9a-f]+ /.test(line))
        .slice(-20),
    });
  }

  #mixedUp(reply: Reply): TailgateError {
    return new TailgateError({
      code: 'invalid',
      message: `the load generator answered "${reply.kind}" to another order`,
      hint: 'This is a fault of Tailgate; please report it.',
    });
  }
}

function cancelled(): TailgateError {
  return new TailgateError({ code: 'cancelled', message: 'cancelled while the load generator was at work' });
}
