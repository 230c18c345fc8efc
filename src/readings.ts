/** Conductor of what a side has used: read at a moment, and while nothing is asked of either side. */
import { type CostReading, costOfReading, freeReading, type ReadingCost } from './evidence/cost-windows.ts';
import type { BothServices, RoundJob } from './job.ts';
import { secondsToNs } from './kernel/units.ts';
import { type Side, sides } from './kernel/words.ts';
import type { SideMeter } from './service/side-meter.ts';

/** How long nothing is asked of either side while the idle rate is read. */
const idleStretch = secondsToNs(0.2);
/** Readings in a row that tell what one of them costs, and how long they may take. */
const repeats = 16;
const repeatsWithin = secondsToNs(0.5);
/** Of a counter in ticks of 10 ms: less than five of them are told from chance by no stretch as short as ours. */
const leastTold = 50e6;

/** What a side uses by itself. */
export interface AtRest {
  /** CPU nanoseconds a nanosecond. */
  readonly idleRate: number;
  readonly reading: ReadingCost;
}

/** Reads one side now. */
export async function readSide(job: Pick<RoundJob, 'clock'>, meter: SideMeter): Promise<CostReading> {
  const { cpu, counters } = await meter.read();
  return {
    at: job.clock.now(),
    cpu: cpu.kind === 'read' ? { kind: 'known', value: cpu.cpu } : { kind: 'unknown', reason: cpu.reason },
    counters: Object.fromEntries(
      Object.entries(counters).map(([name, reading]) => [
        name,
        reading.kind === 'value'
          ? { kind: 'known' as const, value: reading.value }
          : { kind: 'unknown' as const, reason: reading.reason },
      ]),
    ),
  };
}

/** CPU time between two readings, less what the later one cost; null where one of them has none. */
export function spentBetween(
  before: CostReading,
  after: CostReading,
  reading: ReadingCost = freeReading,
): number | null {
  if (before.cpu.kind === 'unknown' || after.cpu.kind === 'unknown') return null;
  const spent = after.cpu.value - before.cpu.value;
  return spent < 0 ? null : Math.max(0, spent - reading.cpu);
}

/** What both sides use while nothing is asked of either, and what being read costs them. */
export async function readAtRest(
  job: RoundJob,
  meters: BothServices['meters'],
): Promise<Record<Side, AtRest>> {
  const reading = {
    baseline: await readingCost(job, meters.baseline),
    candidate: await readingCost(job, meters.candidate),
  };
  const before = {
    baseline: await readSide(job, meters.baseline),
    candidate: await readSide(job, meters.candidate),
  };
  await job.clock.sleep(idleStretch, job.signal);
  const rates = { baseline: 0, candidate: 0 };
  for (const side of sides) {
    const after = await readSide(job, meters[side]);
    const spent = spentBetween(before[side], after, reading[side]) ?? 0;
    rates[side] = meters[side].precise() || spent >= leastTold ? spent / (after.at - before[side].at) : 0;
  }
  return {
    baseline: { idleRate: rates.baseline, reading: reading.baseline },
    candidate: { idleRate: rates.candidate, reading: reading.candidate },
  };
}

async function readingCost(job: RoundJob, meter: SideMeter): Promise<ReadingCost> {
  if (!meter.disturbs) return freeReading;
  const began = job.clock.now();
  const readings: CostReading[] = [];
  while (readings.length < repeats && job.clock.now() - began < repeatsWithin) {
    job.signal.throwIfAborted();
    readings.push(await readSide(job, meter));
  }
  return costOfReading(readings);
}
