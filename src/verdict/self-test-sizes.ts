/** What a self-test plants: sizes that the gate must see and that say something about real changes. Pure. */
import type { JobPlan } from '../config/plan.ts';
import { formatRatio, msToNs, type Nanoseconds, ns, type Ratio, ratio } from '../kernel/units.ts';
import type { MetricName } from '../kernel/words.ts';
import { percentileShare } from '../kernel/words.ts';
import { widestUseful } from './calibration.ts';
import type { Finding, Verdict } from './finding.ts';
import { metricWords } from './reasons.ts';

export type Planting = 'nothing' | 'cpu' | 'latency';

/** What an unplanted job says about the sizes; null where it has no figures for one. */
export interface Sizes {
  readonly cpu: {
    readonly burnt: Nanoseconds;
    readonly rise: Ratio;
    /** What that is to each scenario: more where requests cost less. */
    readonly rises: readonly ScenarioRise[];
  } | null;
  readonly latency: {
    readonly delay: Nanoseconds;
    readonly delayed: Ratio;
    /** What the judged percentile rises by at least. */
    readonly rise: Ratio;
    readonly metric: MetricName;
    readonly rises: readonly ScenarioRise[];
  } | null;
  /** Scenarios in which nothing of a realistic size could have been seen. */
  readonly tooNoisy: readonly TooNoisy[];
}

export interface ScenarioRise {
  readonly scenario: string;
  readonly rise: Ratio;
  /** Larger than what real changes look like. */
  readonly unrealistic: boolean;
}

export interface TooNoisy {
  readonly planting: 'cpu' | 'latency';
  readonly scenario: string;
  readonly metric: MetricName;
  readonly detectable: Ratio;
}

/** A self-test is about the gate, not about its finest edge: nothing smaller than this is planted. */
const leastCpuRise = 0.15;
const leastLatencyRise = 0.3;
/** Times what a pass must exclude, and times what the unplanted job could have seen four times in five. */
const margin = 2;
/** What is larger than this proves nothing about real changes; only a tolerance that wide may ask for more. */
const largestRise = margin * widestUseful;
/** So many times the requests beyond the percentile are delayed, so that it lies well within them; fewer cost less. */
const delayedTimes = 2;
/** Timers keep whole milliseconds, and come up to one too early. */
const shortestDelay = msToNs(2);

/**
 * Sizes from the figures of a job in which nothing was planted.
 *
 * CPU: each request burns `rise` of what a request costs, in the scenario where it costs most. Latency: a share of
 * requests is held back for (1 + rise) times the judged percentile, so that more than 1 − q of all take at least that
 * long and the percentile cannot stay below it. Nothing above a doubling is planted because of noise: a scenario in
 * which even that could not be seen is too noisy, and has no part in the sizes.
 */
export function sizesFor(verdict: Verdict, plan: JobPlan): Sizes {
  const cpu = sizedBy(
    verdict.findings.filter((finding) => finding.metric === 'cpu'),
    leastCpuRise,
  );
  const tails = new Map(plan.scenarios.map((scenario) => [scenario.name, scenario.tailPercentile]));
  const latency = sizedBy(
    verdict.findings.filter((finding) => finding.metric === tails.get(finding.scenario)),
    leastLatencyRise,
  );
  const dearest = largest(cpu.filter(isQuiet), ({ value, rise }) => value * rise);
  const slowest = largest(latency.filter(isQuiet), ({ value, rise }) => value * (1 + rise));
  const burnt = dearest === null ? 0 : Math.ceil(dearest.value * dearest.rise);
  const delay = slowest === null ? ns(0) : wholeMilliseconds(slowest.value * (1 + slowest.rise));
  const shares = [...tails.values()].map((name) => Math.min(0.5, delayedTimes * (1 - percentileShare[name])));
  return {
    cpu:
      dearest === null
        ? null
        : {
            burnt: ns(burnt),
            rise: ratio(dearest.rise),
            rises: cpu.map(({ scenario, value }) => riseOf(scenario, burnt / value)),
          },
    latency:
      slowest === null
        ? null
        : {
            delay,
            delayed: ratio(Math.max(...shares)),
            rise: ratio(slowest.rise),
            metric: slowest.metric,
            rises: latency.map(({ scenario, value }) => riseOf(scenario, delay / value - 1)),
          },
    tooNoisy: [...tooNoisyOf('cpu', cpu), ...tooNoisyOf('latency', latency)],
  };
}

const riseOf = (scenario: string, rise: number): ScenarioRise => ({
  scenario,
  rise: ratio(rise),
  unrealistic: rise > largestRise,
});

interface Sized {
  readonly scenario: string;
  readonly metric: MetricName;
  readonly value: number;
  readonly rise: number;
  /** Of the unplanted job, four times in five. */
  readonly detectable: number;
}

function sizedBy(findings: readonly Finding[], least: number): readonly Sized[] {
  return findings.flatMap((finding) => {
    const { change, tolerance, metric, scenario, baseline, candidate } = finding;
    if (change.kind !== 'ratio' || baseline === null || candidate === null) return [];
    const value = Math.max(baseline, candidate);
    if (value <= 0) return [];
    const detectable = change.smallestDetectable ?? 0;
    const asked = Math.max(least, margin * Math.max(tolerance.detect ?? 0, tolerance.min));
    const rise = Math.max(asked, Math.min(margin * detectable, largestRise));
    return [{ scenario, metric, value, rise, detectable }];
  });
}

const isQuiet = ({ rise, detectable }: Sized): boolean => detectable <= rise;

const tooNoisyOf = (planting: TooNoisy['planting'], sized: readonly Sized[]): readonly TooNoisy[] =>
  sized
    .filter((one) => !isQuiet(one))
    .map(({ scenario, metric, detectable }) => ({
      ...{ planting, scenario, metric },
      detectable: ratio(detectable),
    }));

/** Why nothing was planted, or no answer is to be expected, of one scenario or of all; null where it is quiet enough. */
export function tooNoisyWords(planting: Planting, sizes: Sizes, scenario?: string): string | null {
  const rows = sizes.tooNoisy.filter(
    (row) => row.planting === planting && (scenario === undefined || row.scenario === scenario),
  );
  const [first] = rows;
  if (first === undefined) return null;
  const where = scenario === undefined && rows.length > 1 ? ` of ${first.scenario}` : '';
  return `too noisy to test a realistic size: the smallest change of ${metricWords(first.metric)}${where} that could be seen is ${formatRatio(first.detectable)}, and a slowdown of more than ${formatRatio(ratio(largestRise))} proves nothing about real ones`;
}

function largest<Item>(items: readonly Item[], size: (item: Item) => number): Item | null {
  return items.reduce<Item | null>(
    (best, item) => (best === null || size(item) > size(best) ? item : best),
    null,
  );
}

const wholeMilliseconds = (value: number): Nanoseconds =>
  ns(Math.max(shortestDelay, msToNs(Math.ceil(value / 1e6) + 1)));

/** Nothing is known yet. */
export const nothingSized: Sizes = { cpu: null, latency: null, tooNoisy: [] };
