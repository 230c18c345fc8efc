/** Entry point of the generator process: takes orders from its parent, one at a time, and ends when the parent does. */
import { LatencyHistogram } from '../evidence/histogram.ts';
import { assertNever, messageOf } from '../kernel/errors.ts';
import { runClosedLoop } from './closed-driver.ts';
import { openSockets, runSlice } from './driver.ts';
import { Metronome } from './metronome.ts';
import type { GeneratorOrder, GeneratorReply, StopOrder, Target } from './protocol.ts';
import { SocketPool } from './sockets.ts';

const pools = new Map<string, SocketPool>();
const metronome = await Metronome.start();
let queue: Promise<void> = Promise.resolve();
let stopping = new AbortController();

function poolOf({ origin, transport }: Target): SocketPool {
  const known = pools.get(origin);
  if (known !== undefined) return known;
  const pool = new SocketPool(origin, transport);
  pools.set(origin, pool);
  return pool;
}

async function carryOut(order: GeneratorOrder): Promise<GeneratorReply> {
  stopping = new AbortController();
  const tools = { metronome, newHistogram: () => new LatencyHistogram(), stop: stopping.signal };
  switch (order.kind) {
    case 'slice': {
      const result = await runSlice(order.order, { ...tools, pool: poolOf(order.order.target) });
      return { kind: 'slice', id: order.id, result };
    }
    case 'closed-loop': {
      const result = await runClosedLoop(order.order, { ...tools, pool: poolOf(order.order.target) });
      return { kind: 'closed-loop', id: order.id, result };
    }
    case 'open': {
      const opened = await openSockets(order.order, poolOf(order.order.target));
      return { kind: 'opened', id: order.id, ...opened };
    }
    case 'close': {
      await pools.get(order.origin)?.close();
      pools.delete(order.origin);
      return { kind: 'closed', id: order.id };
    }
    default:
      return assertNever(order);
  }
}

function say(reply: GeneratorReply): void {
  process.send?.(reply);
}

process.on('message', (order: GeneratorOrder | StopOrder) => {
  if (order.kind === 'stop') {
    stopping.abort();
    return;
  }
  queue = queue.then(async () => {
    try {
      say(await carryOut(order));
    } catch (thrown) {
      say({ kind: 'failed', id: order.id, message: messageOf(thrown) });
    }
  });
});
process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole foreground group: the parent decides, and this process ends with it.
process.on('SIGINT', () => {});

say({ kind: 'ready' });
