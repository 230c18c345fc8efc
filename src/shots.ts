/** Conductor of what is sent: scenarios made ready, sessions opened, and each slice's requests drawn and sent. */
import { resolve } from 'node:path';
import type { JobPlan } from './config/plan.ts';
import { requestSecrets } from './config/secrets.ts';
import { bodyLimit, type GateConfig, pathLimit } from './config/settings.ts';
import type { BothServices, RoundJob } from './job.ts';
import { TailgateError } from './kernel/errors.ts';
import { maskValues, secretValues } from './kernel/masking.ts';
import { type Side, sides } from './kernel/words.ts';
import type { Random } from './kernel/world.ts';
import type { SliceResult } from './load/protocol.ts';
import type { Purpose } from './load/rows-taken.ts';
import { ScenarioShots } from './load/scenario-shots.ts';
import { planSchedule, type ScheduleShape } from './load/schedule.ts';
import { openSession } from './load/session.ts';
import type { RunningService } from './service/service.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the files of every scenario and makes each request once.
 * @param directory of the repository or of the job: `workingDirectory` is relative to it.
 * @param shotsOf counted shots a side, at most, of a scenario in the whole job.
 * @throws TailgateError `usage` naming what cannot be read or sent.
 */
export function prepareShots(
  config: GateConfig,
  directory: string,
  environment: Variables,
  shotsOf: (scenario: string) => number,
): ReadonlyMap<string, ScenarioShots> {
  const options = {
    directory: resolve(directory, config.workingDirectory),
    variables: { ...environment, ...config.env },
    limits: { path: pathLimit, body: bodyLimit },
  };
  return new Map(
    config.scenarios.map((one) => [
      one.name,
      new ScenarioShots(one, { ...options, shots: shotsOf(one.name) }),
    ]),
  );
}

/** Counted shots a side, lead-in and confirmation included; a quarter of a plan's pairs may be run again. */
export function mostShotsOf(plan: JobPlan, scenario: string): number {
  const { slices, sliceRequests } = plan.scenarios.find((one) => one.name === scenario)!;
  const rounds = plan.rounds + (plan.confirm ? plan.confirmationRounds : 0);
  const replaced = Math.floor(0.25 * plan.rounds * plan.scenarios.reduce((sum, one) => sum + one.slices, 0));
  return (rounds * slices + replaced) * (sliceRequests + plan.leadIn);
}

/** What the job's variables and its requests carry of secrets. */
export function secretsOf(environment: Variables, config: GateConfig): readonly string[] {
  return [
    ...secretValues(environment, config.env),
    ...requestSecrets(config, { ...environment, ...config.env }),
  ];
}

/** What `${session}` is on each side; scenarios without a session are left out. */
export type Sessions = ReadonlyMap<string, Readonly<Record<Side, string>>>;

/**
 * One set-up request a side and scenario, before any load of the round, the same for both sides.
 * @param round its index in the job.
 * @throws TailgateError `service-failed` naming side, scenario and what was wrong with the answer.
 */
export async function openSessions(
  job: RoundJob,
  round: number,
  services: BothServices['services'],
): Promise<Sessions> {
  const sessions = new Map<string, Record<Side, string>>();
  for (const [scenario, shots] of job.prepared) {
    if (shots.session === null) continue;
    const values = { baseline: '', candidate: '' };
    for (const side of job.random.coin() ? sides : [...sides].reverse()) {
      values[side] = await openOne(job, services[side], shots, round);
    }
    sessions.set(scenario, values);
  }
  return sessions;
}

/**
 * Opens the session of one side. What its templates draw depends on the job's seed and the round: a sign-up of an
 * earlier round is not repeated.
 * @param round index of the round; 0 where there is one only.
 * @returns what the session is; it joins the secrets of the job.
 * @throws TailgateError `service-failed` as for both.
 */
export async function openOne(
  job: Pick<RoundJob, 'config' | 'random' | 'secrets'>,
  service: Pick<RunningService, 'target' | 'side'>,
  shots: ScenarioShots,
  round: number,
): Promise<string> {
  const { request, take } = shots.setUp(job.random.fork(`session/${shots.name}/${round}`));
  const session = await openSession(service.target, request, take, job.config.timeout);
  if (session.kind === 'opened') {
    job.secrets.add(session.value);
    return session.value;
  }
  throw new TailgateError({
    code: 'service-failed',
    message: `the session of scenario "${shots.name}" could not be opened on the ${service.side}: ${session.problem}`,
    hint: 'see whether the request under `session` is what signs in, and `token` or `cookie` where its answer has the value',
  });
}

/** A slice to be drawn and sent. */
export interface ShotsOrder {
  readonly scenario: string;
  readonly side: Side;
  /** The same for both sides of a pair. */
  readonly slot: string;
  readonly purpose: Purpose;
  readonly shape: Omit<ScheduleShape, 'weights'>;
  readonly random: Random;
}

/** Draws one slice: both sides get the same schedule and, but for their session, the same requests. */
export function drawShots(job: RoundJob, order: ShotsOrder): ReturnType<ScenarioShots['draw']> {
  const shots = job.prepared.get(order.scenario)!;
  return shots.draw({
    schedule: planSchedule({ ...order.shape, weights: shots.weights }, order.random),
    random: order.random,
    slot: `${order.purpose}/${order.slot}`,
    purpose: order.purpose,
    session: job.sessions.get(order.scenario)?.[order.side] ?? null,
  });
}

/** Sends what was drawn. What failed checks show of answers is masked: it is kept and printed. */
export async function sendShots(
  job: RoundJob,
  service: RunningService,
  drawn: ReturnType<typeof drawShots>,
): Promise<SliceResult> {
  const result = await job.generator.slice({
    target: service.target,
    ...drawn,
    timeout: job.config.timeout,
    maxSockets: job.config.maxSockets,
    maxInFlight: job.config.maxInFlight,
  });
  if (result.checks === undefined) return result;
  const mask = maskValues(job.secrets);
  const samples = result.checks.samples.map(({ check, got }) => ({ check: mask(check), got: mask(got) }));
  const errors = Object.fromEntries(
    Object.entries(result.errors).map(([name, count]) => [mask(name), count]),
  );
  return { ...result, errors, checks: { ...result.checks, samples } };
}
