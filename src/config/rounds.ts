/** Who runs when within a round, and what everyone is called: everything ordered is drawn by coin from the seed. */
import { type Side, sides } from '../kernel/words.ts';
import { type Random, seededRandom } from '../kernel/world.ts';
import type { JobPlan, RoundPlan, ScenarioPlan, SlicePlan } from './plan.ts';

/**
 * The order of one round, the same for the same seed and index. Each scenario has its slices in quads, equally many
 * ABBA and BAAB; the quads of all scenarios are shuffled together, and each of the other orders has a coin of its
 * own (docs/method.md, Design of a job).
 * @param index counts all rounds of a job, confirmation included, so that no two share their draws.
 * @param scenarios names to be measured; all of the plan when left out.
 */
export function planRound(plan: JobPlan, index: number, scenarios?: readonly string[]): RoundPlan {
  const random = seededRandom(plan.seed).fork(`round-${index}`);
  const measured = plan.scenarios.filter((one) => scenarios === undefined || scenarios.includes(one.name));
  return {
    index,
    spawnFirst: drawSide(random),
    probeFirst: drawSide(random),
    warmFirst: drawSide(random),
    lowerPort: drawSide(random),
    slices: inPairs(random.shuffle(measured.flatMap(quadsOf))),
  };
}

/** Names of the worktrees, of equal length and without a hint of the side; who gets which is drawn for each job. */
export function worktreeNames(seed: number): Readonly<Record<Side, string>> {
  const first = drawSide(seededRandom(seed).fork('trees'));
  return first === 'baseline'
    ? { baseline: 'tree-1', candidate: 'tree-2' }
    : { baseline: 'tree-2', candidate: 'tree-1' };
}

/**
 * Chance for the schedule and the requests of a pair of slices. It does not know the side: both replay the same
 * arrivals and requests (docs/method.md, Design of a job).
 */
export function sliceRandom(seed: number, round: number, scenario: string, pair: number): Random {
  return seededRandom(sliceSeed(seed, round, scenario, pair));
}

export function sliceSeed(seed: number, round: number, scenario: string, pair: number): string {
  // The scenario's name comes last: nothing in it can look like another round or pair.
  return `${seed}/round-${round}/pair-${pair}/${scenario}`;
}

interface Quad {
  readonly scenario: string;
  readonly order: readonly Side[];
}

const abba: readonly Side[] = ['baseline', 'candidate', 'candidate', 'baseline'];
const baab: readonly Side[] = ['candidate', 'baseline', 'baseline', 'candidate'];

/** A quad holds two slices of each side; slices are a multiple of 4, so both orders come equally often. */
function quadsOf(scenario: ScenarioPlan): readonly Quad[] {
  return Array.from({ length: scenario.slices / 2 }, (_, index) => ({
    scenario: scenario.name,
    order: index % 2 === 0 ? abba : baab,
  }));
}

function inPairs(quads: readonly Quad[]): readonly SlicePlan[] {
  const counts = new Map<string, Record<Side, number>>();
  return quads.flatMap(({ scenario, order }) =>
    order.map((side) => {
      const count = counts.get(scenario) ?? { baseline: 0, candidate: 0 };
      counts.set(scenario, count);
      return { scenario, side, pair: count[side]++ };
    }),
  );
}

const drawSide = (random: Random): Side => sides[random.coin() ? 0 : 1]!;
