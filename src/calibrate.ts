/** Conductor of the calibration: one commit against itself for the spread, then a short climb of rates for the capacity. */
import { openRepository } from './builds/git.ts';
import { planRound } from './config/rounds.ts';
import type { GateConfig, JudgeSettings } from './config/settings.ts';
import { isSaturated, unsoundReasons } from './evidence/soundness.ts';
import type { Evidence } from './evidence/trial.ts';
import { runGate } from './gate.ts';
import type { GateJob, StillBuilt } from './gate-job.ts';
import { benchmarkShare } from './hot-paths.ts';
import { TailgateError } from './kernel/errors.ts';
import { builtFile } from './kernel/installation.ts';
import { maskingErrors } from './kernel/masking.ts';
import { msToNs, type PerSecond, perSecond, type Ratio, ratio } from './kernel/units.ts';
import { seededRandom } from './kernel/world.ts';
import type { Generator } from './load/protocol.ts';
import { type Capacity, capacityOf, nextRate, type RampStep } from './load/ramp.ts';
import { startGenerator } from './load/remote.ts';
import type { ScenarioShots } from './load/scenario-shots.ts';
import { planSchedule } from './load/schedule.ts';
import { assertPlannable } from './own-plan.ts';
import { againstItself } from './self-test.ts';
import { noiseBetween, readMachine, usableCpus } from './service/machine.ts';
import { pinGenerator } from './service/placement.ts';
import type { RunningService } from './service/service.ts';
import type { SideMeter } from './service/side-meter.ts';
import { openOne, secretsOf } from './shots.ts';
import { startBoth } from './sides.ts';
import type { Verdict } from './verdict/finding.ts';
import { judge } from './verdict/judge.ts';

export interface CalibrationJob extends Omit<GateJob, 'front' | 'afterwards' | 'trusted' | 'mergeBaseByApi'> {
  /** Told before each climb. */
  readonly climbing: (scenario: string) => void;
}

export interface ScenarioCapacity {
  readonly scenario: string;
  readonly rate: PerSecond;
  readonly steps: readonly RampStep[];
  readonly capacity: Capacity;
}

export interface Calibration {
  /** By the user's own tolerances, although the job did not stop at any of them. */
  readonly verdict: Verdict;
  readonly evidence: Evidence | null;
  readonly capacities: readonly ScenarioCapacity[];
  /** Share of the time budget that a gate keeps for microbenchmarks, of which a calibration has none. */
  readonly benchmarks: Ratio;
  readonly cores: number;
}

/** Tolerances by which nothing passes or fails early: every planned round is wanted for the spread. */
function neverDecided(settings: JudgeSettings): JudgeSettings {
  const never = { min: ratio(1e6), detect: ratio(-0.999) };
  const noPoints = { min: ratio(1) };
  return {
    ...settings,
    ...{ p50: never, p99: never, cpu: never, cpuTotal: never },
    ...{ tail: noPoints, errors: noPoints },
  };
}

/**
 * Measures all planned rounds of the commit that is checked out against itself, and then each scenario at rising rates
 * until the service does not keep up.
 * @throws TailgateError `usage` for what only the user can mend, `cancelled` when the signal fired.
 */
export async function calibrate(job: CalibrationJob): Promise<Calibration> {
  const config = againstItself(job.config);
  assertPlannable(
    config,
    'calibrate measures the rounds of a gate with these settings, and there is none',
    'calibrate itself leaves out the rounds to confirm',
  );
  let capacities: readonly ScenarioCapacity[] = [];
  let benchmarks = ratio(0);
  const result = await runGate({
    ...job,
    config: { ...config, judge: neverDecided(config.judge) },
    trusted: async (own) => own,
    // The plan that is told is the gate's; the tolerances are not the ones of this run.
    tell: (event) =>
      job.tell(
        event.kind === 'planned' ? { ...event, config: { ...event.config, judge: config.judge } } : event,
      ),
    afterwards: async (built) => {
      const { microbenchmarks } = job.config;
      const { revisions } = built.evidence;
      benchmarks = await benchmarkShare(await openRepository(job), revisions, {
        ...built.config,
        microbenchmarks,
      });
      const secrets = new Set(secretsOf(job.environment, built.config));
      capacities = await maskingErrors(
        () => secrets,
        () => climb(job, built, secrets),
      );
    },
  });
  const { evidence } = result;
  const measured = evidence === null ? null : { ...evidence, judge: config.judge };
  return {
    verdict: measured === null || result.verdict.failure !== null ? result.verdict : judged(measured),
    evidence: measured,
    capacities,
    benchmarks,
    cores: usableCpus(),
  };
}

function judged(evidence: Evidence): Verdict {
  const progress = judge(evidence, { final: true });
  if (progress.kind === 'continue') throw new Error('final evidence is always decided');
  return progress.verdict;
}

const limits = { most: perSecond(20_000), steps: 14 } as const;
/** Of what one thread could answer, by the CPU a request took: where the climb begins. */
const firstShare = 0.4;
const pause = msToNs(200);

async function climb(
  job: CalibrationJob,
  built: StillBuilt,
  secrets: Set<string>,
): Promise<readonly ScenarioCapacity[]> {
  const { config, directories } = built;
  const { plan } = built.evidence;
  const random = seededRandom(plan.seed).fork('climb');
  await using generator = await startGenerator({ entry: builtFile('generator.js'), signal: job.signal });
  await pinGenerator(generator.pid);
  const capacities: ScenarioCapacity[] = [];
  for (const [index, scenario] of config.scenarios.entries()) {
    job.climbing(scenario.name);
    // Fresh processes for each: what one scenario left behind is no matter of the next. The baseline idles beside.
    const round = planRound(plan, plan.rounds + index, [scenario.name]);
    await using both = await startBoth({ ...job, config, random, directories }, round);
    const service = both.services.candidate;
    const shots = built.shots.get(scenario.name)!;
    const session =
      shots.session === null ? null : await openOne({ config, random, secrets }, service, shots, 0);
    const cost = costOf(built, scenario.name);
    const first = perSecond(cost === null ? scenario.rate : Math.max(1, (firstShare * 1e9) / cost));
    const offer = (rate: PerSecond): Promise<RampStep> =>
      step(generator, service, config, { shots, session, meter: both.meters.candidate }, rate).catch(
        (error: unknown) => endedBy(error, rate),
      );
    // Load that is thrown away: a fresh process is several times slower at first.
    await offer(perSecond(Math.min(first, limits.most)));
    const steps: RampStep[] = [];
    for (let rate = nextRate(steps, { ...limits, first }); rate !== null; ) {
      job.signal.throwIfAborted();
      steps.push(await offer(rate));
      await job.clock.sleep(pause, job.signal);
      rate = nextRate(steps, { ...limits, first });
    }
    await generator.close(service.origin);
    const capacity = capacityOf(steps, usableCpus());
    capacities.push({ scenario: scenario.name, rate: scenario.rate, steps, capacity });
  }
  return capacities;
}

/** A service that ends under a rate did not hold it; that is an answer, and no reason to lose the others. */
function endedBy(error: unknown, rate: PerSecond): RampStep {
  if (!(error instanceof TailgateError) || error.code !== 'service-failed') throw error;
  return { rate, held: false, offered: true, ended: true, busy: null, crowded: 0, generator: 0 };
}

/** Nanoseconds of CPU a request took in the rounds; null where that is not known. */
function costOf(built: StillBuilt, scenario: string): number | null {
  const row = built.verdict.findings.find((one) => one.scenario === scenario && one.metric === 'cpu');
  return row?.baseline ?? null;
}

const stepTime = { usual: 1.5, longest: 6 };
const leastShots = 60;
const answered: Ratio = ratio(0.98);

interface StepSubject {
  readonly shots: ScenarioShots;
  readonly session: string | null;
  readonly meter: SideMeter;
}

/** One rate for a moment: long enough for a queue to grow, and for 60 shots even of a slow service. */
async function step(
  generator: Generator,
  service: RunningService,
  config: GateConfig,
  { shots, session, meter }: StepSubject,
  rate: PerSecond,
): Promise<RampStep> {
  const seconds = Math.min(stepTime.longest, Math.max(stepTime.usual, leastShots / rate));
  const { timeout, maxSockets, maxInFlight, arrivals } = config;
  service.throwIfExited();
  const random = seededRandom(`climb ${rate}`);
  const drawn = shots.draw({
    schedule: planSchedule(
      {
        rate,
        extent: { kind: 'count', shots: Math.max(10, Math.round(rate * seconds)) },
        arrivals,
        leadIn: 0,
        weights: shots.weights,
      },
      random,
    ),
    random,
    slot: `climb ${rate}`,
    // Like warm-up: rows that may come only once are the rounds'.
    purpose: 'warm-up',
    session,
  });
  const [before, machine] = [(await meter.read()).cpu, readMachine()];
  const result = await generator.slice({
    target: service.target,
    ...drawn,
    timeout,
    maxSockets,
    maxInFlight,
  });
  service.throwIfExited();
  const after = (await meter.read()).cpu;
  const { pressure } = noiseBetween(machine, readMachine());
  const saturated = isSaturated(result);
  const { ok, scheduled } = result.counts;
  return {
    rate,
    held: !saturated && ok >= answered * scheduled,
    // A service that is overrun makes the generator late too: then it is the service's step all the same.
    ended: false,
    offered: saturated || unsoundReasons(result, saturated).length === 0,
    busy:
      before.kind === 'unread' || after.kind === 'unread' ? null : (after.cpu - before.cpu) / result.elapsed,
    crowded: pressure ?? 0,
    generator: result.generator.cpu / result.generator.wall,
  };
}
