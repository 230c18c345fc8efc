/** Entry point of a side's process: loads benchmark files, takes one sample at a time, and ends when its parent does. */
import { assertNever, messageOf } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { ns } from '../kernel/units.ts';
import { realClock } from '../kernel/world.ts';
import { digestOf } from './digest.ts';
import { calibrate, type Loop, loopOf, time } from './loop.ts';
import { type BenchModule, importBenchmarks } from './modules.ts';
import type { BenchOrder, BenchReply, Collection, FunctionName } from './protocol.ts';

const modules = new Map<string, BenchModule>();
const loops = new Map<() => unknown, Loop>();
const collectGarbage = (globalThis as { gc?: (options?: { type: 'minor' }) => void }).gc;
let queue: Promise<void> = Promise.resolve();

function functionOf({ file, name }: FunctionName): () => unknown {
  const found = modules.get(file)?.benchmarks.get(name);
  if (found === undefined) throw new Error(`${file} has no benchmark ${name}`);
  return found;
}

function readyLoop(benchmark: FunctionName): Loop {
  const loop = loops.get(functionOf(benchmark));
  if (loop === undefined) throw new Error(`${benchmark.name} was not begun`);
  return loop;
}

const isThenable = (value: unknown): boolean =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  typeof (value as { then?: unknown }).then === 'function';

/** Twice, because a result that differs from call to call cannot be compared between sides. */
async function begin(benchmark: FunctionName): Promise<{ isAsync: boolean; digest: string | null }> {
  const call = functionOf(benchmark);
  const first = call();
  const isAsync = isThenable(first);
  const digest = digestOf(await first);
  const again = digestOf(await call());
  loops.set(call, loopOf(call, isAsync));
  return { isAsync, digest: digest === again ? digest : null };
}

function collect(how: Collection): Nanoseconds {
  const begun = realClock.now();
  if (how === 'full') collectGarbage?.();
  if (how === 'minor') collectGarbage?.({ type: 'minor' });
  return ns(realClock.now() - begun);
}

async function carryOut(order: BenchOrder): Promise<BenchReply> {
  const { id } = order;
  switch (order.kind) {
    case 'load': {
      const module = await importBenchmarks(order.path);
      await module.setup?.();
      modules.set(order.file, module);
      return { kind: 'loaded', id, benchmarks: [...module.benchmarks.keys()] };
    }
    case 'begin':
      return { kind: 'begun', id, ...(await begin(order.benchmark)) };
    case 'calibrate': {
      const found = await calibrate(readyLoop(order.benchmark), order.target, realClock);
      collect('full');
      return { kind: 'calibrated', id, ...found, collection: collect('full') };
    }
    case 'sample': {
      const loop = readyLoop(order.benchmark);
      collect(order.collect);
      return { kind: 'sampled', id, ...(await time(loop, order.iterations, realClock)) };
    }
    case 'finish':
      await modules.get(order.file)?.teardown?.();
      return { kind: 'finished', id };
    default:
      return assertNever(order);
  }
}

function say(reply: BenchReply): void {
  process.send?.(reply);
}

process.on('message', (order: BenchOrder) => {
  queue = queue.then(async () => {
    try {
      say(await carryOut(order));
    } catch (thrown) {
      say({ kind: 'failed', id: order.id, message: messageOf(thrown) });
    }
  });
});
process.on('uncaughtException', (thrown, origin) => {
  // A project that watches for them itself knows what it does.
  if (process.listenerCount('uncaughtException') > 1) return;
  const what = origin === 'unhandledRejection' ? 'unhandled rejection' : 'uncaught exception';
  const message = messageOf(thrown);
  // Node wraps what is no error in a sentence of its own.
  const reason = /rejected with the reason "([\s\S]*)"\.$/.exec(message)?.[1] ?? message;
  const [first] = reason.trim().split('\n');
  // The last line is what the reader is told.
  process.stderr.write(`${thrown instanceof Error ? thrown.stack : ''}\n${what}: ${first}\n`);
  process.exit(1);
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole foreground group: the parent decides, and this process ends with it.
process.on('SIGINT', () => {});

say({ kind: 'ready' });
