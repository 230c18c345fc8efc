import { describe, expect, it } from 'vitest';
import type { Evidence, Round } from '../../src/evidence/trial.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import type { Progress, Verdict } from '../../src/verdict/finding.ts';
import { judge } from '../../src/verdict/judge.ts';
import type { Where } from './evidence-builder.ts';
import { evidenceOf, readPlain } from './evidence-builder.ts';

const options = { readSlice: readPlain };

/** The loop of the gate: measure until the judge has decided. */
function run(job: Evidence): { verdict: Verdict; measured: Evidence } {
  const supply = (phase: Round['phase']): Round[] => job.rounds.filter((round) => round.phase === phase);
  const left = { measuring: supply('measuring'), confirming: supply('confirming') };
  let measured: Evidence = { ...job, rounds: [] };
  let progress: Progress = judge(measured, options);
  while (progress.kind === 'continue') {
    const { phase, untilRounds, scenarios } = progress;
    while (measured.rounds.filter((round) => round.phase === phase).length < untilRounds) {
      const round = left[phase].shift();
      if (round === undefined) throw new Error(`asked for round ${untilRounds} of ${phase}`);
      const trials = round.trials.filter((trial) => scenarios.includes(trial.scenario));
      measured = { ...measured, rounds: [...measured.rounds, { ...round, trials }] };
    }
    progress = judge(measured, options);
  }
  return { verdict: progress.verdict, measured };
}

/** A job on a machine of its own moods: processes differ, slices differ, stalls hit either side alike. */
function simulated(seed: number, effect: { readonly p99: number; readonly cpu: number }): Evidence {
  const random = seededRandom(`job ${seed}`);
  const normal = (label: string): number => {
    const source = random.fork(label);
    return Math.sqrt(-2 * Math.log(1 - source.next())) * Math.cos(2 * Math.PI * source.next());
  };
  return evidenceOf({
    measuring: 13,
    confirming: 7,
    slice: (where: Where) => {
      const name = `${where.side} ${where.round}`;
      const slice = `${name} ${where.pair}`;
      const moved = where.side === 'candidate' ? effect : { p99: 0, cpu: 0 };
      const stalled = random.fork(`stall ${slice}`).next() < 0.05 ? 4 : 1;
      const tail = 4e6 * Math.exp(0.05 * normal(name) + 0.06 * normal(slice) + moved.p99);
      return {
        p50: 1e6 * Math.exp(0.015 * normal(`p50 ${name}`) + 0.01 * normal(`p50 ${slice}`)),
        p99: tail * stalled,
        allP99: tail * stalled * Math.exp(0.1 * normal(`all ${slice}`)),
        cpu: 3e5 * Math.exp(0.012 * normal(`cpu ${name}`) + 0.01 * normal(`cpu ${slice}`) + moved.cpu),
        late: 20 + random.fork(`late ${slice}`).below(40),
        failed: random.fork(`failed ${slice}`).next() < 0.02 ? 1 : 0,
        checksum: `${slice}`,
      };
    },
  });
}

const jobs = 150;
const share = (verdicts: readonly Verdict[], is: (verdict: Verdict) => boolean): number =>
  verdicts.filter(is).length / verdicts.length;

describe('simulated jobs', () => {
  const unchanged = Array.from({ length: jobs }, (_, seed) => run(simulated(seed, { p99: 0, cpu: 0 })));

  it('hardly ever calls an unchanged build a regression, and mostly passes it', () => {
    const verdicts = unchanged.map((job) => job.verdict);
    expect(share(verdicts, (verdict) => verdict.outcome === 'regression')).toBeLessThanOrEqual(0.02);
    expect(share(verdicts, (verdict) => verdict.outcome === 'invalid')).toBe(0);
    expect(share(verdicts, (verdict) => verdict.outcome === 'pass')).toBeGreaterThan(0.8);
    expect(share(verdicts, (verdict) => verdict.rounds.measured === 6)).toBeGreaterThan(0.1);
  });

  it('decides a stored job as it decided the job in progress', () => {
    for (const { verdict, measured } of unchanged.slice(0, 30)) {
      expect(judge(measured, options)).toEqual({ kind: 'decided', verdict });
      expect(judge(measured, { ...options, final: true })).toEqual({ kind: 'decided', verdict });
    }
  });

  it.each([
    ['20 % of p99', { p99: Math.log(1.2), cpu: 0 }, 'p99'],
    ['6 % of CPU', { p99: 0, cpu: Math.log(1.06) }, 'cpu'],
  ] as const)('finds and confirms %s in most jobs', (_, effect, metric) => {
    const verdicts = Array.from({ length: 60 }, (__, seed) => run(simulated(1_000 + seed, effect)).verdict);
    expect(share(verdicts, (verdict) => verdict.outcome === 'regression')).toBeGreaterThan(0.8);
    expect(share(verdicts, (verdict) => verdict.outcome === 'pass')).toBeLessThan(0.1);
    const found = verdicts.filter((verdict) => verdict.outcome === 'regression');
    for (const verdict of found) {
      const red = verdict.findings.filter((finding) => finding.state === 'regressed');
      expect(red.some((finding) => finding.metric === metric || finding.metric === 'cpu-total')).toBe(true);
      for (const { change } of red) {
        // The text says that no red row's interval holds zero.
        if (change.kind === 'ratio') expect(change.interval![0]).toBeGreaterThan(0);
      }
    }
  });
});
