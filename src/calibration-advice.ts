/** Conductor of what a calibration advises: rounds and minutes for a wanted change, a rate, tolerances that fit. */
import type { Calibration, ScenarioCapacity } from './calibrate.ts';
import { planAdvised, settingText, slicesOf, type Wish } from './calibration-budget.ts';
import type { JobPlan } from './config/plan.ts';
import type { GateConfig, Tolerance } from './config/settings.ts';
import type { Evidence } from './evidence/trial.ts';
import { type Nanoseconds, ns, type PerSecond, perSecond, type Ratio, ratio } from './kernel/units.ts';
import { advisedRates, type Capacity } from './load/ramp.ts';
import type { Advice, Asked, JudgedKey, RateAdvice, Settings, WantedRow } from './report/calibration-text.ts';
import {
  detectableAt,
  falseAlarmsOf,
  leastRoundsOf,
  niceAbove,
  roundsFor,
  type Stray,
  straysOf,
  widestUseful,
} from './verdict/calibration.ts';
import { saturatedSlices } from './verdict/compare.ts';
import { rateInstead } from './verdict/same-work.ts';
import { scopeOf } from './verdict/scope.ts';

/** What a table shows when nothing was asked for. */
const usual: readonly Ratio[] = [0.03, 0.05, 0.1, 0.2].map(ratio);
/** One calibration sees one mood of a machine: a tolerance that just fits it would not fit the next. */
const reserve = 1.25;

/**
 * What follows from a calibration. Of an invalid job only rates: neither rounds nor tolerances follow from what cannot
 * be trusted.
 * @returns null when the job measured nothing to advise from.
 */
export function adviseFrom(calibration: Calibration, config: GateConfig, asked: Asked): Advice | null {
  const { evidence, verdict } = calibration;
  if (evidence === null) return null;
  const { plan } = evidence;
  const { benchmarks } = calibration;
  const trusted = verdict.outcome !== 'invalid';
  const rates = calibration.capacities.map((one) => rateAdviceOf(one, evidence, trusted));
  const overrun = rates.some((one) => one.overrun !== null);
  // Of a service that did not keep up with the load, queues decide how far it strays.
  const strays = overrun ? [] : straysOf(verdict);
  const counters = config.metrics.filter(({ judge }) => judge !== null).length;
  const least = leastRoundsOf(plan, counters);
  const spent = evidence.rounds.reduce((sum, round) => sum + round.duration, 0);
  // A budget below what the planner expects of a round would give fewer slices than were measured.
  const round = Math.max(plan.roundTime, spent / Math.max(1, evidence.rounds.length));
  const timeOf = (rounds: number): Nanoseconds =>
    ns(((rounds + plan.confirmationRounds) * round) / (1 - benchmarks));
  const row = (stray: Stray, wanted: Ratio): WantedRow['cells'][number] => {
    const rounds = roundsFor(stray, wanted, least);
    return { wanted, rounds, time: rounds === null ? null : timeOf(rounds) };
  };
  const wanted: readonly WantedRow[] = (trusted ? strays : []).flatMap((stray) => {
    const key = keyOf(stray);
    const one = key === null ? undefined : asked.get(key);
    if (asked.size > 0 && one === undefined) return [];
    const cells = (one === undefined ? usual : [one]).map((change) => row(stray, change));
    return [{ scenario: stray.scenario, metric: stray.metric, cells }];
  });
  const asConfigured = asked.size === 0 || overrun;
  const needed = asConfigured
    ? []
    : wanted.flatMap(({ cells }) => cells.map(({ rounds }) => rounds ?? plan.rounds));
  const aim = asConfigured ? plan.rounds : Math.max(least, config.rounds.least, ...needed);
  const unreached = wanted.flatMap((one) => {
    const key = keyOf(one);
    return asked.size > 0 && key !== null && one.cells.some(({ rounds }) => rounds === null) ? [key] : [];
  });
  const settings = settingsFor(config, plan, {
    rates,
    rounds: { aim, least: Math.min(config.rounds.least, aim), most: Math.max(config.rounds.most, aim) },
    timeBudget: asConfigured ? config.timeBudget : timeOf(aim),
    benchmarks,
  });
  return {
    strays,
    wanted,
    unreached: [...new Set(unreached)],
    slices: slicesOf(plan),
    benchmarks,
    ...settings,
    // They are kept for the spread, and there is none.
    keptSlices: overrun ? null : settings.keptSlices,
    ...tolerancesFor(trusted ? strays : [], aim, config, asked),
    falseAlarms: falseAlarmsOf(plan, counters),
    rates,
  };
}

/** Rounds, slices and a time budget that holds them, by the planner's own reckoning. */
function settingsFor(
  config: GateConfig,
  plan: JobPlan,
  { rates, ...wish }: Omit<Wish, 'rates'> & { readonly rates: readonly RateAdvice[] },
): Settings {
  const others = new Map<string, PerSecond>();
  for (const { scenario, advised, fits } of rates)
    if (!fits && advised !== null) others.set(scenario, advised.aim);
  // Rates of several scenarios are only named: the settings are for those of the configuration.
  const own = config.scenarios.length === 1 ? others : new Map<string, PerSecond>();
  const here = planAdvised(config, plan, { ...wish, rates: own });
  const there = own === others ? here : planAdvised(config, plan, { ...wish, rates: others });
  const { aim, least, most } = wish.rounds;
  return {
    ...{ rounds: aim, least, most },
    timeBudget: settingText(here.timeBudget),
    raisedFrom: here.raised ? settingText(wish.timeBudget) : null,
    withRates: there.timeBudget > here.timeBudget ? settingText(there.timeBudget) : null,
    keptSlices: own.size === 0 && slicesOf(plan) !== config.slices ? slicesOf(plan) : null,
    notes: here.plan.notes,
  };
}

function rateAdviceOf(
  { scenario, rate, capacity }: ScenarioCapacity,
  { plan, rounds }: Evidence,
  trusted: boolean,
): RateAdvice {
  const advised = advisedRates(capacity);
  const fits = advised !== null && rate >= advised.least && rate <= advised.most;
  const usable = scopeOf(plan, rounds).scenarios.find((one) => one.plan.name === scenario)?.usable ?? [];
  const again = trusted ? null : againAt(rate, capacity, fits, rateInstead(usable));
  const overrun = trusted ? overrunOf(rate, capacity, usable) : null;
  return {
    ...{ scenario, rate, capacity, advised, fits, overrun },
    ...(again ?? { instead: null, contradicted: false }),
  };
}

/** Of what was held: from here on a rate lies at the limit, as far as the climb can tell. */
const limitShare = 0.9;
/** Slices of a side in which it did not keep up, of all; a single disturbed round of twelve stays below. */
const tooManySaturated = 0.1;

/** Whether the service did not keep up with the rounds, by the climb after them or by their own slices. */
function overrunOf(
  rate: PerSecond,
  { held, failed }: Capacity,
  rounds: Parameters<typeof saturatedSlices>[0],
): RateAdvice['overrun'] {
  const beyond = failed !== null && (held === null ? rate >= failed : rate > limitShare * held);
  if (beyond) return { kind: 'beyond-capacity' };
  const slices = saturatedSlices(rounds);
  const sum = (key: 'baseline' | 'candidate' | 'of'): number =>
    slices.reduce((all, round) => all + round[key], 0);
  const share = ratio(Math.max(sum('baseline'), sum('candidate')) / Math.max(1, sum('of')));
  return share > tooManySaturated ? { kind: 'saturated', share } : null;
}

/** After an invalid job: the lower of what its rounds and what the climb would bear, and whether the two agree. */
function againAt(
  rate: PerSecond,
  capacity: Capacity,
  fits: boolean,
  offered: ReturnType<typeof rateInstead>,
): Pick<RateAdvice, 'instead' | 'contradicted'> {
  const climbed = fits ? null : (advisedRates(capacity)?.aim ?? null);
  const rates = [climbed, offered === 'none' ? null : offered].filter((one) => one !== null);
  const held = capacity.held !== null && capacity.held >= rate;
  return {
    instead: rates.length === 0 ? null : perSecond(Math.min(...rates)),
    contradicted: offered !== null && held,
  };
}

/** `p95` and `p90` take the tolerance of `p99` when they are judged in its place; a counter has its own. */
function keyOf({ metric }: Pick<Stray, 'metric'>): JudgedKey | null {
  if (metric === 'p50' || metric === 'cpu' || metric === 'cpu-total') return metric;
  return metric === 'counter' ? null : 'p99';
}

function tolerancesFor(
  strays: readonly Stray[],
  rounds: number,
  config: GateConfig,
  asked: Asked,
): Pick<Advice, 'tolerances' | 'tooWide'> {
  const own: Readonly<Record<JudgedKey, Tolerance>> = {
    p50: config.judge.p50,
    p99: config.judge.p99,
    cpu: config.judge.cpu,
    'cpu-total': config.judge.cpuTotal,
  };
  const keys = Object.keys(own) as JudgedKey[];
  const tooWide: JudgedKey[] = [];
  const tolerances = keys.flatMap((key) => {
    const rows = strays.filter((stray) => keyOf(stray) === key);
    if (rows.length === 0) return [];
    const widest = Math.max(...rows.map((stray) => detectableAt(stray, rounds)));
    const wish = asked.get(key);
    const detect = wish !== undefined && widest <= wish ? wish : niceAbove(widest * reserve);
    // A tolerance that only keeps the gate quiet is none to paste, unless somebody asked for it.
    if (detect === null || (detect > widestUseful && detect !== wish)) {
      tooWide.push(key);
      return [];
    }
    return [{ key, min: ratio(Math.min(own[key].min, detect / 2)), detect }];
  });
  return { tolerances, tooWide };
}
