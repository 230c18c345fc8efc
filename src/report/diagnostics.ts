/** What the reader needs to believe the figures: the load as it really was, the generator, the machine, the build. */
import type { Evidence, Floor, RevisionRecord, Round, Trial } from '../evidence/trial.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import {
  budgetText,
  bytes,
  formatBytes,
  formatCount,
  formatDuration,
  formatRate,
  formatRatio,
  ns,
  perSecond,
  ratio,
} from '../kernel/units.ts';
import type { Side } from '../kernel/words.ts';
import { sides } from '../kernel/words.ts';
import type { Verdict } from '../verdict/finding.ts';
import { checkFacts } from './checks.ts';
import type { ReportContext } from './context.ts';
import { durationText, none, sizeText } from './figures.ts';
import { merged } from './latency.ts';
import {
  eventLoop,
  generatorCpu,
  middle,
  pressure,
  sleeperLate,
  stolen,
  typicalAndWorst,
} from './machine-facts.ts';
import type { Phrase } from './phrase.ts';
import { joined, name, say, sentence } from './phrase.ts';

/** A line with a figure a side. */
export interface SideFact {
  readonly label: string;
  readonly baseline: string;
  readonly candidate: string;
}

/** A line with one answer, which may be foreign. */
export interface Fact {
  readonly label: string;
  readonly value: Phrase;
}

/** The load and the generator over all slices of the job, rejected ones included. */
export function loadFacts(evidence: Evidence, verdict: Verdict): readonly SideFact[] {
  const trials = evidence.rounds.flatMap((round) => round.trials);
  if (trials.length === 0) return [];
  const of = (side: Side): readonly Trial[] => trials.filter((trial) => trial.side === side);
  const both = (label: string, text: (trials: readonly Trial[], side: Side) => string): SideFact => ({
    label,
    baseline: text(of('baseline'), 'baseline'),
    candidate: text(of('candidate'), 'candidate'),
  });
  return [
    both('offered (scheduled requests)', offered),
    both('released (handed to the client)', (side) => share(side, (trial) => trial.load.released)),
    both('completed (answered in any way)', (side) => share(side, answered)),
    both('successful (answered rightly)', (side) => share(side, (trial) => trial.load.counts.ok)),
    both('failed / timed out / dropped / unfinished', failures),
    both('sent within 0.5 ms of the due time', (_, side) => onTime(verdict, of(side), side)),
    both('lateness (sent after the due time) p50 / p99', lateness),
    both('sends off their plan, typical / worst slice', sendsOff),
    both('event-loop delay of the generator p99, typical / worst slice', eventLoop),
    both('generator CPU (of one core)', generatorCpu),
    both('waited for a free socket', (side) =>
      formatCount(sum(side, (trial) => trial.load.generator.poolQueued)),
    ),
    both('CPU stolen by the hypervisor', stolen),
    both('time in which something waited for a CPU, typical / worst slice', pressure),
    both('lateness of a thread that only sleeps p99, typical / worst slice', sleeperLate),
    ...serviceFacts(evidence.rounds),
  ];
}

function serviceFacts(rounds: readonly Round[]): readonly SideFact[] {
  const both = (label: string, text: (side: Side) => string): SideFact => ({
    label,
    baseline: text('baseline'),
    candidate: text('candidate'),
  });
  const typical = (read: (round: Round) => number): number => middle(rounds.map(read));
  return [
    both('time until ready, typical', (side) =>
      durationText(ns(typical((round) => round.sides[side].startTime))),
    ),
    both('warm-up requests a round, typical', (side) =>
      formatCount(typical((round) => round.sides[side].warmUp.requests)),
    ),
    both('CPU used while idle (of one core)', (side) =>
      sizeText(ratio(typical((round) => round.sides[side].idleRate))),
    ),
    both('peak memory', (side) => {
      const peaks = rounds.map((round) => round.sides[side].peakMemory).filter((peak) => peak !== null);
      return peaks.length === 0 ? none : formatBytes(bytes(Math.max(...peaks)));
    }),
  ];
}

const sum = (trials: readonly Trial[], read: (trial: Trial) => number): number =>
  trials.reduce((total, trial) => total + read(trial), 0);

function offered(trials: readonly Trial[]): string {
  const scheduled = sum(trials, (trial) => trial.load.counts.scheduled);
  const span = sum(trials, (trial) => trial.load.span);
  // Of n shots only n − 1 gaps lie between the first due time and the last.
  const gaps = sum(trials, (trial) => Math.max(0, trial.load.counts.scheduled - 1));
  const rate = span > 0 ? ` (${formatRate(perSecond((gaps * 1e9) / span))})` : '';
  return `${formatCount(scheduled)}${rate}`;
}

function share(trials: readonly Trial[], read: (trial: Trial) => number): string {
  const scheduled = sum(trials, (trial) => trial.load.counts.scheduled);
  const part = sum(trials, read);
  if (scheduled === 0) return none;
  // 99.996 % must not read as all of them.
  const percent = part < scheduled ? Math.min(99.99, (100 * part) / scheduled) : 100;
  return `${formatCount(part)} (${percent === 100 ? '100' : percent.toFixed(2)} %)`;
}

const answered = (trial: Trial): number =>
  Object.values(trial.load.statuses).reduce((total, count) => total + count, 0);

function failures(trials: readonly Trial[]): string {
  const counts = (['failed', 'timedOut', 'dropped', 'unfinished'] as const).map((kind) =>
    formatCount(sum(trials, (trial) => trial.load.counts[kind])),
  );
  return counts.join(' / ');
}

function onTime(verdict: Verdict, trials: readonly Trial[], side: Side): string {
  if (verdict.onTimeShare !== null) return sizeText(verdict.onTimeShare[side]);
  const scheduled = sum(trials, (trial) => trial.load.counts.scheduled);
  return scheduled === 0 ? none : formatRatio(ratio(sum(trials, (trial) => trial.load.onTime) / scheduled));
}

/** Shares of shots that were not out when they should have been, or came in bunches. */
const sendsOff = (trials: readonly Trial[]): string =>
  typicalAndWorst(
    trials.map((trial) => trial.load.fit.distance),
    (value) => sizeText(ratio(value)),
  );

function lateness(trials: readonly Trial[], side: Side): string {
  try {
    const histogram = merged(trials, side, 'lateness');
    return `${durationText(histogram.percentile(0.5))} / ${durationText(histogram.percentile(0.99))}`;
  } catch (thrown) {
    return `unreadable: ${messageOf(thrown).slice(0, 60)}`;
  }
}

/** How the job went as a whole. */
export function jobFacts(
  verdict: Verdict,
  evidence: Evidence | null,
  context: ReportContext,
): readonly Fact[] {
  const { rounds, slices } = verdict;
  const facts: Fact[] = [];
  const fresh = rounds.confirming > 0 ? ` and ${formatCount(rounds.confirming)} fresh ones` : '';
  if (rounds.planned > 0) {
    facts.push({
      label: 'rounds',
      value: say`${formatCount(rounds.measured)} of at most ${formatCount(rounds.planned)}${fresh}`,
    });
  }
  if (slices.measured > 0) {
    const lost = formatRatio(ratio(slices.rejected / slices.measured));
    facts.push({
      label: 'slices rejected as unsound',
      value: say`${formatCount(slices.rejected)} of ${formatCount(slices.measured)} (${lost})`,
    });
  }
  const measuring =
    evidence === null ? 0 : evidence.rounds.reduce((total, round) => total + round.duration, 0);
  if (measuring > 0)
    facts.push({ label: 'time for measuring', value: say`${formatDuration(ns(measuring))}` });
  if (context.elapsed !== null)
    facts.push({ label: 'time in all', value: say`${formatDuration(context.elapsed)}` });
  if (evidence !== null && evidence.rounds.length > 0) {
    facts.push({
      label: 'response time',
      value: say`measured from the intended send time, so that a stall counts in full`,
    });
    facts.push(...evidence.floor.map(floorFact), ...checkFacts(evidence));
    facts.push({
      label: 'CPUs',
      value:
        evidence.placement === 'apart'
          ? say`the generator has one of its own, the services have the others`
          : say`shared by generator and services: fit for comparing, not as absolute figures`,
    });
    const capped = evidence.rounds.filter((round) => sides.some((side) => !round.sides[side].warmUp.settled));
    if (capped.length > 0) {
      facts.push({
        label: 'warm-up',
        value: say`ended by its cap, before a request's cost had settled, in ${formatCount(capped.length)} of ${formatCount(evidence.rounds.length)} rounds; ${longerWarmUp(evidence.plan)} would let it settle`,
      });
    }
    if (evidence.rounds.some((round) => sides.some((side) => !round.sides[side].preciseCost))) {
      facts.push({
        label: 'CPU time',
        value: say`read from coarse tick counters: this system tells nothing finer`,
      });
    }
  }
  return facts;
}

/** The next share of a round that lets warm-up go on, as a setting to paste. */
function longerWarmUp({ warmUp, roundTime, totalTime }: Evidence['plan']): Phrase {
  const budget = say`a longer ${name('time-budget')}`;
  // Of a round as planned, a cap of 25 % takes 0.28, one of 50 % 0.63 and one of 75 % 1.07: warm-up mostly ends before it.
  const taken = warmUp.most / roundTime;
  const next = taken < 0.45 ? 0.5 : taken < 0.85 ? 0.75 : null;
  // A round with twice the cap takes a third longer, one with three quarters after half three quarters longer.
  const longer = next === 0.5 ? 4 / 3 : 7 / 4;
  return next === null
    ? budget
    : say`${name(`warm-up: { most: ${formatRatio(ratio(next)).replace(' ', '')} }`)} with ${name(`time-budget: ${budgetText(ns(totalTime * longer))}`)}, or ${budget} alone,`;
}

/** What the same load reads against nothing: a service cannot be faster than this. */
function floorFact(floor: Floor): Fact {
  return {
    label: 'generator against nothing',
    value: say`${name(floor.scenario)} p50 ${formatDuration(floor.p50)}, p99 ${formatDuration(floor.p99)}`,
  };
}

/** Where and of what it was measured. */
export function environmentFacts(evidence: Evidence | null, context: ReportContext): readonly Fact[] {
  const facts: Fact[] = sides.flatMap((side) => {
    const revision = evidence?.revisions[side] ?? context.revisions[side];
    return revision === null || revision === undefined
      ? []
      : [{ label: side, value: revisionPhrase(revision) }];
  });
  if (evidence === null) return facts;
  const { environment, plan } = evidence;
  return [
    ...facts,
    { label: 'seed', value: say`${name(String(plan.seed))}` },
    {
      label: 'scenarios',
      value: joined(
        plan.scenarios
          .slice(0, 20)
          .map(
            (scenario) =>
              say`${name(scenario.name)} at ${formatRate(scenario.rate)}, ${String(scenario.slices)} slices of ${formatCount(scenario.sliceRequests)} requests a side and round`,
          ),
        '; ',
      ),
    },
    {
      label: 'CPU',
      value: say`${sentence(environment.cpuModel, '')}, ${formatCount(environment.cpus)} cores`,
    },
    { label: 'memory', value: say`${formatBytes(environment.memory)}` },
    {
      label: 'system',
      value: joined([sentence(environment.platform, ''), sentence(environment.kernel, '')]),
    },
    ...(environment.runner === null
      ? []
      : [{ label: 'runner image', value: sentence(environment.runner, '') }]),
    {
      label: 'versions',
      value: say`Tailgate ${sentence(environment.tailgate, '')}, Node ${sentence(environment.node, '')}`,
    },
    { label: 'measured', value: sentence(evidence.createdAt, '') },
  ];
}

function revisionPhrase(revision: RevisionRecord): Phrase {
  const ref = revision.ref === '' || revision.ref === revision.sha ? [] : say` (${name(revision.ref)})`;
  return say`${name(shortSha(revision.sha))}${ref}${revision.how === '' ? '' : say`: ${sentence(revision.how, '')}`}`;
}

/** Twelve digits: git finds them, people can compare them. */
export const shortSha = (sha: string): string => (/^[0-9a-f]{12,}$/.test(sha) ? sha.slice(0, 12) : sha);

export function measuringTime(evidence: Evidence | null): Nanoseconds | null {
  const total = evidence?.rounds.reduce((sum, round) => sum + round.duration, 0) ?? 0;
  return total > 0 ? ns(total) : null;
}
