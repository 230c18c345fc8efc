/** Conductor of the generator processes: one or several that send a slice together, seen as one generator. */
import type { GateConfig } from './config/settings.ts';
import { LatencyHistogram } from './evidence/histogram.ts';
import type { Warning } from './kernel/errors.ts';
import { formatCount, type Nanoseconds, ns } from './kernel/units.ts';
import { deal, gather, sendersFor, soundRate } from './load/dealing.ts';
import { monotonicNow } from './load/metronome.ts';
import type { Generator, SliceOrder, SliceResult } from './load/protocol.ts';
import { type GeneratorOptions, startGenerator } from './load/remote.ts';
import { usableCpus } from './service/machine.ts';
import { type Placement, placementWarnings, planPlacement } from './service/placement.ts';

/** Several generator processes. What is no open-loop slice is the first one's alone. */
export interface Senders extends Generator {
  readonly pids: readonly number[];
}

/** For an order to arrive and be made ready everywhere before the common start: 100 ms, and 2 µs a shot. */
const notice = (shots: number): Nanoseconds => ns(100e6 + 2e3 * shots);

/**
 * Starts generator processes. With one, it is that one.
 * @throws TailgateError as `startGenerator`; nothing is left running then.
 */
export async function startSenders(options: GeneratorOptions, count: number): Promise<Senders> {
  const attempts = await Promise.allSettled(Array.from({ length: count }, () => startGenerator(options)));
  const started = attempts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = attempts.find((one) => one.status === 'rejected');
  if (failed === undefined) return new Together(started);
  await Promise.all(started.map((one) => one[Symbol.asyncDispose]()));
  throw failed.reason;
}

class Together implements Senders {
  readonly #generators: readonly Generator[];

  constructor(generators: readonly Generator[]) {
    this.#generators = generators;
  }

  get pid(): number {
    return this.#generators[0]!.pid;
  }

  get pids(): readonly number[] {
    return this.#generators.map((one) => one.pid);
  }

  async open(order: Parameters<Generator['open']>[0]): Promise<{ opened: number; problem: string | null }> {
    const sockets = Math.ceil(order.sockets / this.#generators.length);
    const parts = await Promise.all(this.#generators.map((one) => one.open({ ...order, sockets })));
    return {
      opened: parts.reduce((sum, part) => sum + part.opened, 0),
      problem: parts.find((part) => part.problem !== null)?.problem ?? null,
    };
  }

  async slice(order: SliceOrder): Promise<SliceResult> {
    const hands = deal(order, this.#generators.length);
    if (hands.length === 1) return await this.#generators[0]!.slice(order);
    const startAt = ns(monotonicNow() + notice(order.schedule.due.length));
    const results = await Promise.all(
      hands.map((hand, index) => this.#generators[index]!.slice({ ...hand.order, startAt })),
    );
    return gather(hands, results, (encoded) =>
      LatencyHistogram.merged(encoded.map((one) => LatencyHistogram.decode(one))),
    );
  }

  closedLoop(order: Parameters<Generator['closedLoop']>[0]): ReturnType<Generator['closedLoop']> {
    return this.#generators[0]!.closedLoop(order);
  }

  async close(origin: string): Promise<void> {
    await Promise.all(this.#generators.map((one) => one.close(origin)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#generators.map((one) => one[Symbol.asyncDispose]()));
  }
}

/** Where generator and services of a job run. */
export function placementOf(config: Pick<GateConfig, 'senders' | 'scenarios'>): Placement {
  return planPlacement(usableCpus(), sendersOf(config).count);
}

/** What a reader of a job's figures should know of the machine and of who sends. */
export function machineWarnings(config: Pick<GateConfig, 'senders' | 'scenarios'>): readonly Warning[] {
  return [...placementWarnings(usableCpus()), ...sendersOf(config).warnings];
}

/** The senders of a job on this machine. */
export function sendersOf({ senders, scenarios }: Pick<GateConfig, 'senders' | 'scenarios'>): SendersPlan {
  return planSenders(senders, Math.max(...scenarios.map(({ rate }) => rate)), usableCpus());
}

export interface SendersPlan {
  readonly count: number;
  /** What a reader should know of it. */
  readonly warnings: readonly Warning[];
}

/**
 * How many senders a job gets, and whether they can be trusted with its rate on this machine.
 * @param rate requests a second of the fastest scenario.
 */
export function planSenders(wanted: number | 'auto', rate: number, cpus: number): SendersPlan {
  const count = sendersFor(wanted, rate, cpus);
  const each = `${formatCount(soundRate)} requests a second`;
  const warnings: Warning[] = [];
  if (count > 1) {
    warnings.push({
      code: 'several-senders',
      message: `${formatCount(rate)} requests a second are sent by ${count} generator processes in turns`,
    });
  }
  if (rate > count * soundRate) {
    warnings.push({
      code: 'rate-beyond-senders',
      message: `${formatCount(rate)} requests a second are more than ${count === 1 ? 'one sender keeps' : `${count} senders keep`} sound (${each} each), and this machine has ${formatCount(Math.floor(cpus))} CPUs for senders and services`,
      hint:
        count < Math.floor(cpus) - 1
          ? 'give `senders: auto`'
          : `slices may be unsound: lower the rate to ${formatCount(count * soundRate)}, or use a larger machine`,
    });
  }
  if (count > Math.max(1, Math.floor(cpus) - 1)) {
    warnings.push({
      code: 'more-senders-than-cpus',
      message: `${count} senders have ${formatCount(Math.floor(cpus))} CPUs, and what they send to needs one as well`,
      hint: 'give `senders: auto`, which leaves one CPU to the service',
    });
  }
  return { count, warnings };
}
