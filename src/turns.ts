/** Conductor of the slices of one round: who is under load when, at what cost, and what is run again. */
import type { RoundPlan, SlicePlan } from './config/plan.ts';
import { sliceRandom } from './config/rounds.ts';
import { attributeCost, type CostReading } from './evidence/cost-windows.ts';
import { isSaturated, unsoundReasons } from './evidence/soundness.ts';
import type { Trial } from './evidence/trial.ts';
import type { BothServices, RoundJob } from './job.ts';
import { ns } from './kernel/units.ts';
import { otherSide, type Side, sides } from './kernel/words.ts';
import type { SliceResult } from './load/protocol.ts';
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
 * @param replaceable how many unsound pairs may be run again.
 */
export async function measureInTurns(
  job: RoundJob,
  services: BothServices['services'],
  round: RoundPlan,
  replaceable: number,
): Promise<readonly Trial[]> {
  const run: RunSlice[] = [];
  for (const slice of round.slices) run.push(await runSlice(job, services, round, slice, false));
  for (const slice of replacements(job, run).slice(0, 2 * replaceable)) {
    run.push(await runSlice(job, services, round, slice, true));
  }
  return withCost(job, services, run);
}

async function runSlice(
  job: RoundJob,
  services: BothServices['services'],
  round: RoundPlan,
  slice: SlicePlan,
  replacement: boolean,
): Promise<RunSlice> {
  job.signal.throwIfAborted();
  const plan = job.plan.scenarios.find((one) => one.name === slice.scenario)!;
  const service = services[slice.side];
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
  const before = readMachine();
  const start = readCost(job, services, slice.side);
  const load = await sendShots(job, service, drawn);
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

function withCost(
  job: RoundJob,
  services: BothServices['services'],
  run: readonly RunSlice[],
): readonly Trial[] {
  const costs = new Map<RunSlice, Trial['cost']>();
  for (const side of sides) {
    const own = run.filter(({ slice }) => slice.side === side);
    const windows = attributeCost(
      own.map(({ start }) => start),
      own.map(({ load }) => load.elapsed),
      readCost(job, services, side),
    );
    own.forEach((slice, index) => {
      costs.set(slice, windows[index] ?? null);
    });
  }
  return run.map((one) => {
    const saturated = isSaturated(one.load);
    return {
      scenario: one.slice.scenario,
      side: one.slice.side,
      pair: one.slice.pair,
      replacement: one.replacement,
      startedAt: ns(one.start.at - job.startedAt),
      load: one.load,
      cost: costs.get(one) ?? null,
      machine: one.machine,
      saturated,
      unsound: unsoundReasons(one.load, saturated),
    };
  });
}

function readCost(job: RoundJob, services: BothServices['services'], side: Side): CostReading {
  const sample = services[side].cost();
  return { at: job.clock.now(), cpu: sample === null ? null : sample.cpu };
}
