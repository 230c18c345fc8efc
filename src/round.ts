/** Conductor of one round: both sides started fresh, warmed, measured in turns, stopped. */
import type { RoundPlan } from './config/plan.ts';
import type { ScenarioSettings } from './config/settings.ts';
import type { Round, RoundSide } from './evidence/trial.ts';
import type { BothServices, RoundJob } from './job.ts';
import { TailgateError } from './kernel/errors.ts';
import { maskedError, maskValues } from './kernel/masking.ts';
import { ns, type PerSecond, perSecond } from './kernel/units.ts';
import { otherSide, type Side, sides } from './kernel/words.ts';
import { seededRandom } from './kernel/world.ts';
import { type BlockCost, blockRequests, fitsBeforeCap, isSettled, nextBlockRate } from './load/warm-up.ts';
import { readAtRest, readSide, spentBetween } from './readings.ts';
import { drawShots, openSessions, type ShotsOrder, sendShots } from './shots.ts';
import { measureInTurns } from './turns.ts';

type WarmUp = RoundSide['warmUp'];

/**
 * Runs one round.
 * @param replaceable how many unsound pairs may be run again in this round.
 */
export async function measureRound(
  ofAll: RoundJob,
  round: RoundPlan,
  phase: Round['phase'],
  replaceable: number,
): Promise<Round> {
  try {
    return await measureUnmasked(ofAll, round, phase, replaceable);
  } catch (error) {
    // A service may have printed what its session is.
    throw error instanceof TailgateError ? maskedError(error, maskValues(ofAll.secrets)) : error;
  }
}

async function measureUnmasked(
  ofAll: RoundJob,
  round: RoundPlan,
  phase: Round['phase'],
  replaceable: number,
): Promise<Round> {
  const startedAt = ofAll.clock.now();
  await using both = await ofAll.startBoth(round);
  const { services, meters } = both;
  const job = { ...ofAll, sessions: await openSessions(ofAll, round.index, services) };
  const scenarios = scenariosOf(job, round);
  await openSockets(job, services, scenarios[0]!.name, scenarios);
  const warmUp = await warmBoth(job, both, round, scenarios);
  const atRest = await readAtRest(job, meters);
  const trials = await measureInTurns(job, both, round, atRest, replaceable);
  const record = (side: Side): RoundSide => ({
    startTime: services[side].startTime,
    origin: services[side].origin,
    warmUp: warmUp[side],
    idleRate: atRest[side].idleRate,
    peakMemory: meters[side].peakMemory(),
    preciseCost: meters[side].precise(),
    ...(meters[side].disturbs ? { readingCost: atRest[side].reading.cpu } : {}),
  });
  const records = { baseline: record('baseline'), candidate: record('candidate') };
  for (const side of sides) await job.generator.close(services[side].origin);
  return {
    index: round.index,
    phase,
    startedAt: ns(startedAt - job.startedAt),
    duration: ns(job.clock.now() - startedAt),
    first: {
      spawn: round.spawnFirst,
      probe: round.probeFirst,
      warm: round.warmFirst,
      lowerPort: round.lowerPort,
    },
    sides: records,
    trials,
  };
}

/** The settings of the scenarios that this round measures, in the order of the config. */
function scenariosOf(job: RoundJob, round: RoundPlan): readonly ScenarioSettings[] {
  const wanted = new Set(round.slices.map((slice) => slice.scenario));
  return job.config.scenarios.filter((scenario) => wanted.has(scenario.name));
}

/** Sockets are opened before any clock starts, by as many concurrent requests; the first side is drawn by coin. */
async function openSockets(
  job: RoundJob,
  services: BothServices['services'],
  first: string,
  scenarios: readonly ScenarioSettings[],
): Promise<void> {
  const fastest = Math.max(...scenarios.map((scenario) => scenario.rate));
  for (const side of job.random.coin() ? sides : [...sides].reverse()) {
    const session = job.sessions.get(first)?.[side] ?? null;
    const request = job.prepared.get(first)!.opener(seededRandom('opener'), session);
    await job.generator.open({
      target: services[side].target,
      request,
      sockets: Math.min(job.config.maxSockets, Math.max(4, Math.ceil(fastest / 50))),
      timeout: job.config.timeout,
    });
  }
}

/** Load that is thrown away, block by block in turns, until a request's cost settles or the cap ends it. */
async function warmBoth(
  job: RoundJob,
  both: BothServices,
  round: RoundPlan,
  scenarios: readonly ScenarioSettings[],
): Promise<Record<Side, WarmUp>> {
  const { warmUp } = job.plan;
  const began = job.clock.now();
  const blocks: Record<Side, BlockCost[]> = { baseline: [], candidate: [] };
  const requests: Record<Side, number> = { baseline: 0, candidate: 0 };
  const testRate = perSecond(Math.max(...scenarios.map((scenario) => scenario.rate)));
  const order = [round.warmFirst, otherSide(round.warmFirst)];
  const enough = (): boolean => {
    if (warmUp.requests !== 'auto') return requests[round.warmFirst] >= warmUp.requests;
    const elapsed = ns(job.clock.now() - began);
    return isSettled(blocks) || !fitsBeforeCap(elapsed, warmUp.most, blocks.baseline.length);
  };
  while (!enough()) {
    job.signal.throwIfAborted();
    const rate = warmUp.rate === 'auto' ? nextBlockRate(testRate, blocks) : warmUp.rate;
    const left =
      warmUp.requests === 'auto' ? Number.POSITIVE_INFINITY : warmUp.requests - requests[round.warmFirst];
    const size = Math.min(blockRequests(rate), left);
    const scenario = scenarios[blocks.baseline.length % scenarios.length]!;
    // The same requests for both sides.
    const block = {
      scenario: scenario.name,
      slot: `round-${round.index}/block-${blocks.baseline.length}`,
      random: job.random.fork(`warm-up-${job.random.next()}`),
    };
    for (const side of order) {
      blocks[side].push(await warmBlock(job, both, side, block, rate, size));
      requests[side] += size;
    }
  }
  const settled = warmUp.requests !== 'auto' || isSettled(blocks);
  return {
    baseline: { requests: requests.baseline, blocks: blocks.baseline.length, settled },
    candidate: { requests: requests.candidate, blocks: blocks.candidate.length, settled },
  };
}

/** One block of warm-up load against one side. @returns CPU a successful request, in ns. */
async function warmBlock(
  job: RoundJob,
  { services, meters }: BothServices,
  side: Side,
  block: Pick<ShotsOrder, 'scenario' | 'slot' | 'random'>,
  rate: PerSecond,
  requests: number,
): Promise<BlockCost> {
  const before = await readSide(job, meters[side]);
  const { counts } = await sendShots(
    job,
    services[side],
    drawShots(job, {
      ...block,
      side,
      purpose: 'warm-up',
      shape: { rate, extent: { kind: 'count', shots: requests }, arrivals: 'constant', leadIn: 0 },
    }),
  );
  const spent = spentBetween(before, await readSide(job, meters[side]));
  return counts.ok === 0 || spent === null ? null : spent / counts.ok;
}
