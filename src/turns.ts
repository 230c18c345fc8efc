/** Conductor of the slices of one round: who is under load when, at what cost, and what is run again. */
import type { RoundPlan, SlicePlan } from './config/plan.ts';
import { sliceRandom } from './config/rounds.ts';
import { attributeCost, type CostReading, type WindowGrowth } from './evidence/cost-windows.ts';
import { isSaturated, unsoundReasons } from './evidence/soundness.ts';
import type { Trial } from './evidence/trial.ts';
import type { BothServices, RoundJob } from './job.ts';
import { ns } from './kernel/units.ts';
import { otherSide, type Side, sides } from './kernel/words.ts';
import type { SliceResult } from './load/protocol.ts';
import { type AtRest, readSide } from './readings.ts';
import { type Noise, noiseBetween, readMachine } from './service/machine.ts';
import { drawShots, sendShots } from './shots.ts';

/** A slice as it was run; its cost is known only when the same side's next one starts. */
interface RunSlice {
  readonly slice: SlicePlan;
  readonly replacement: boolean;
  readonly start: CostReading;
  readonly load: SliceResult;
  readonly machine: Noise;
}

/**
 * Runs the slices of a round in the drawn order, then again the pairs that were unsound.
 * @param atRest what a reading costs each side.
 * @param replaceable how many unsound pairs may be run again.
 */
export async function measureInTurns(
  job: RoundJob,
  both: BothServices,
  round: RoundPlan,
  atRest: Readonly<Record<Side, AtRest>>,
  replaceable: number,
): Promise<readonly Trial[]> {
  const run: RunSlice[] = [];
  for (const slice of round.slices) run.push(await runSlice(job, both, round, slice, false));
  for (const slice of replacements(job, run).slice(0, 2 * replaceable)) {
    run.push(await runSlice(job, both, round, slice, true));
  }
  return await withCost(job, both, atRest, run);
}

async function runSlice(
  job: RoundJob,
  both: BothServices,
  round: RoundPlan,
  slice: SlicePlan,
  replacement: boolean,
): Promise<RunSlice> {
  job.signal.throwIfAborted();
  const plan = job.plan.scenarios.find((one) => one.name === slice.scenario)!;
  const service = both.services[slice.side];
  service.throwIfExited();
  // Drawn before anything is read off: making requests is no part of the slice.
  const drawn = drawShots(job, {
    scenario: slice.scenario,
    side: slice.side,
    slot: `round-${round.index}/pair-${slice.pair}${replacement ? '/again' : ''}`,
    purpose: 'measured',
    shape: {
      rate: plan.rate,
      extent: { kind: 'count', shots: plan.sliceRequests },
      arrivals: job.config.arrivals,
      leadIn: job.plan.leadIn,
    },
    random: sliceRandom(job.plan.seed, round.index, slice.scenario, slice.pair),
  });
  const start = await readSide(job, both.meters[slice.side]);
  const before = readMachine();
  const load = await sendShots(job, service, drawn);
  // A companion first: a service ends when its database does.
  both.throwIfExited();
  service.throwIfExited();
  return { slice, replacement, start, load, machine: noiseBetween(before, readMachine()) };
}

/** Every pair of which one slice was unsound, once more and in an order drawn anew. */
function replacements(job: RoundJob, run: readonly RunSlice[]): SlicePlan[] {
  const spoilt = new Map<string, SlicePlan>();
  for (const { slice, load } of run) {
    if (unsoundReasons(load, isSaturated(load)).length > 0) {
      spoilt.set(`${slice.scenario}/${slice.pair}`, slice);
    }
  }
  return [...spoilt.values()].flatMap(({ scenario, pair }) => {
    const first: Side = job.random.coin() ? 'baseline' : 'candidate';
    return [first, otherSide(first)].map((side) => ({ scenario, side, pair }));
  });
}

async function withCost(
  job: RoundJob,
  both: BothServices,
  atRest: Readonly<Record<Side, AtRest>>,
  run: readonly RunSlice[],
): Promise<readonly Trial[]> {
  const grown = new Map<RunSlice, WindowGrowth>();
  for (const side of sides) {
    const own = run.filter(({ slice }) => slice.side === side);
    const windows = attributeCost(
      own.map(({ start }) => start),
      own.map(({ load }) => load.elapsed),
      await readSide(job, both.meters[side]),
      atRest[side].reading,
    );
    own.forEach((slice, index) => {
      grown.set(slice, windows[index]!);
    });
  }
  return run.map((one) => {
    const saturated = isSaturated(one.load);
    const { cost, reason, counters } = grown.get(one)!;
    return {
      scenario: one.slice.scenario,
      side: one.slice.side,
      pair: one.slice.pair,
      replacement: one.replacement,
      startedAt: ns(one.start.at - job.startedAt),
      load: one.load,
      cost,
      ...(reason === null ? {} : { costUnknown: reason }),
      ...(Object.keys(counters).length === 0 ? {} : { counters }),
      machine: one.machine,
      saturated,
      unsound: unsoundReasons(one.load, saturated),
    };
  });
}
