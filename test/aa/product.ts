/** What the series takes from the product and from its own pure parts, as one bundle: Node 20 runs no TypeScript. */
import { readConfig } from '../../src/config/read.ts';
import type { JudgeSettings } from '../../src/config/settings.ts';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { parse } from '../../src/evidence/store.ts';
import type { Evidence, Trial } from '../../src/evidence/trial.ts';
import { percentileShare } from '../../src/kernel/words.ts';
import { exitCodeOf } from '../../src/verdict/outcome.ts';
import type { View } from '../../src/verdict/slices.ts';
import type { JobChoices, SliceReader, Tried } from './round-values.ts';
import { choicesOf } from './round-values.ts';
import { type JobLine, jobRows } from './summary.ts';
import { verdictOf, withJudged, withTolerances } from './what-if.ts';

export { renderPage, renderSeries } from './page.ts';
export { choiceRows } from './round-values.ts';
export { summarise } from './summary.ts';
export { whatIf } from './what-if.ts';

/** What every job is judged with unless a configuration of one's own was given. */
export function judgeOf(config: string): JudgeSettings {
  return readConfig(config, { source: 'the tailgate.yml of the series', overrides: {}, environment: {} })
    .config.judge;
}

/** What a job's evidence adds to its line. @throws TailgateError when it is not evidence. */
export function lineFromEvidence(
  source: string,
  settings: JudgeSettings,
): Pick<
  JobLine,
  'outcome' | 'exitCode' | 'reason' | 'rounds' | 'slices' | 'seed' | 'onTime' | 'steal' | 'pressure' | 'rows'
> {
  const evidence = parse(source);
  const measured = verdictOf(evidence);
  const told = verdictOf(withTolerances(evidence, settings));
  const trials = evidence.rounds.flatMap((round) => round.trials);
  const mean = (pick: (trial: Trial) => number | null): number | null => {
    const values = trials.map(pick).filter((value) => value !== null);
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return {
    outcome: told.outcome,
    exitCode: exitCodeOf(told, {
      failOn: ['regression', 'invalid', 'service-failed'],
      onBaselineFailure: 'fail',
    }),
    reason: told.reason,
    rounds: {
      decided: told.rounds.measured,
      confirming: told.rounds.confirming,
      run: evidence.rounds.length,
    },
    slices: told.slices,
    seed: evidence.plan.seed,
    onTime:
      measured.onTimeShare === null
        ? null
        : (measured.onTimeShare.baseline + measured.onTimeShare.candidate) / 2,
    steal: mean((trial) => trial.machine.steal),
    pressure: mean((trial) => trial.machine.pressure),
    rows: jobRows(told.findings, measured.findings),
  };
}

/** One job for the open choices: its round values under every rule, and its verdict with p95 judged or not. */
export function openChoices(job: number, source: string, settings: JudgeSettings) {
  const evidence = withTolerances(parse(source), settings);
  return {
    environment: evidence.environment,
    plan: planSentence(evidence),
    planned: evidence.plan.rounds,
    choices: choicesOf(job, evidence, histogramReader()) as readonly JobChoices[],
    before: verdictOf(evidence),
    after: verdictOf(withJudged(evidence, 'p95')),
  };
}

function planSentence({ plan }: Evidence): string {
  const scenarios = plan.scenarios.map(
    ({ name, rate, slices, sliceRequests }) =>
      `\`${name}\` ${rate}/s, ${slices} slices of ${sliceRequests} requests a side and round`,
  );
  return `At most ${plan.rounds} rounds (looks at ${plan.looks.join(', ')}) and ${plan.confirmationRounds} to confirm; ${scenarios.join('; ')}.`;
}

/** Decodes every histogram of a job once. */
function histogramReader(): SliceReader {
  const decoded = new Map<string, LatencyHistogram>();
  const histogramOf = (trial: Trial, view: View): LatencyHistogram => {
    const text = view === 'on-time' ? trial.load.histograms.onTime : trial.load.histograms.response;
    const known = decoded.get(text) ?? LatencyHistogram.decode(text);
    decoded.set(text, known);
    return known;
  };
  const read = new Map<string, number | null>();
  return {
    slice(trial, view, percentile: Tried) {
      const text = view === 'on-time' ? trial.load.histograms.onTime : trial.load.histograms.response;
      const key = `${percentile} ${text}`;
      const known = read.get(key) ?? histogramOf(trial, view).percentile(percentileShare[percentile]);
      read.set(key, known);
      return known;
    },
    merged(trials, view, percentile: Tried) {
      return LatencyHistogram.merged(trials.map((trial) => histogramOf(trial, view))).percentile(
        percentileShare[percentile],
      );
    },
  };
}
