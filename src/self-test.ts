/** Conductor of the self-test: one service against itself, with nothing, with CPU and with latency planted on one side. */
import type { GateConfig } from './config/settings.ts';
import type { Evidence } from './evidence/trial.ts';
import { runGate } from './gate.ts';
import type { GateJob } from './gate-job.ts';
import { assertNever } from './kernel/errors.ts';
import type { Side } from './kernel/words.ts';
import { assertPlannable } from './own-plan.ts';
import { nothingPlanted, type Planted, refuseFront } from './service/front-order.ts';
import type { Verdict } from './verdict/finding.ts';
import { type Check, checkOf, notRun, selfTestExitCode } from './verdict/self-test.ts';
import {
  nothingSized,
  type Planting,
  type Sizes,
  sizesFor,
  tooNoisyWords,
} from './verdict/self-test-sizes.ts';

export interface SelfTestJob extends Omit<GateJob, 'front' | 'afterwards' | 'trusted' | 'mergeBaseByApi'> {
  /** Told before each of the three jobs. */
  readonly next: (planting: Planting, sizes: Sizes) => void;
}

export interface SelfTestResult {
  readonly checks: readonly Check[];
  readonly sizes: Sizes;
  /** What each job measured, for `tailgate judge`. */
  readonly evidence: Readonly<Partial<Record<Planting, Evidence>>>;
  readonly exitCode: number;
}

/** The settings of a job whose two sides are the commit that is checked out: its service alone, no microbenchmarks. */
export function againstItself(config: GateConfig): GateConfig {
  return {
    ...config,
    baseline: 'HEAD',
    paths: [],
    waivers: [],
    microbenchmarks: { ...config.microbenchmarks, files: [], suites: [] },
  };
}

/**
 * Runs three jobs of the gate on the same two builds of the same commit, both sides behind the same front. The first
 * has nothing planted; its figures give the sizes of the other two.
 * @throws TailgateError `usage` for what only the user can mend, before anything is built where it can be known then;
 *   `cancelled` when the signal fired.
 */
export async function runSelfTest(job: SelfTestJob): Promise<SelfTestResult> {
  const own = againstItself(job.config);
  refuseFront(own.transport);
  assertPlannable(
    own,
    'self-test runs three whole gates with these settings, and not one is possible',
    'self-test takes up to three times as long',
  );
  const checks: Check[] = [];
  const evidence: Partial<Record<Planting, Evidence>> = {};
  let sizes = nothingSized;
  job.next('nothing', sizes);
  const first = await runGate({
    ...job,
    config: own,
    trusted: async (config) => config,
    front: () => nothingPlanted,
    afterwards: async (built) => {
      checks.push(checkOf('nothing', built.verdict));
      evidence.nothing = built.evidence;
      if (!hasFigures(built.verdict)) return;
      const { plan } = built.evidence;
      sizes = sizesFor(built.verdict, plan);
      for (const [index, planting] of (['cpu', 'latency'] as const).entries()) {
        const planted = plantedFor(planting, sizes);
        if (planted === null) {
          checks.push(notPlanted(planting, sizes));
          continue;
        }
        job.next(planting, sizes);
        const front = (side: Side): Planted =>
          side === 'candidate' ? planted : { ...planted, cpu: nothingPlanted.cpu, held: false };
        // Only the flagged scenarios go on to confirmation: with several, an early look at one would leave the others
        // unseen, and every one of them has to be caught.
        const looks = plan.scenarios.length > 1 ? [plan.rounds] : plan.looks;
        const again = await built.again({ seed: plan.seed + index + 1, looks, front });
        checks.push(checkOf(planting, again.verdict, sizes));
        evidence[planting] = again.evidence;
      }
    },
  });
  // A side that did not start ends the job before there is anything to go on with.
  if (checks.length === 0) checks.push(checkOf('nothing', first.verdict));
  if (checks.length === 1) {
    const why = 'not run, because the job with nothing planted gave no figures to size it by';
    checks.push(notRun('cpu', why, null), notRun('latency', why, null));
  }
  return { checks, sizes, evidence, exitCode: selfTestExitCode(checks) };
}

const hasFigures = ({ outcome }: Verdict): boolean =>
  outcome === 'pass' || outcome === 'inconclusive' || outcome === 'regression';

function plantedFor(planting: 'cpu' | 'latency', sizes: Sizes): Planted | null {
  switch (planting) {
    case 'cpu':
      return sizes.cpu === null ? null : { ...nothingPlanted, cpu: sizes.cpu.burnt };
    case 'latency': {
      if (sizes.latency === null) return null;
      const { delay, delayed } = sizes.latency;
      return { ...nothingPlanted, delay, delayed };
    }
    default:
      return assertNever(planting);
  }
}

function notPlanted(planting: 'cpu' | 'latency', sizes: Sizes): Check {
  const noisy = tooNoisyWords(planting, sizes);
  if (noisy !== null) {
    return notRun(planting, noisy, 'use a quieter runner, or more rounds by a longer `time-budget`');
  }
  return planting === 'cpu'
    ? notRun(
        'cpu',
        'not run: the CPU time of a process tree cannot be read here, so the gate cannot judge it either',
        'run it on Linux',
      )
    : notRun(
        'latency',
        'not run: the job with nothing planted could not tell how long requests take',
        'use a quieter runner, or a lower `rate`',
      );
}
