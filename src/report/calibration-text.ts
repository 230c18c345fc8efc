/** The result of a calibration as text for a terminal. */
import type { Warning } from '../kernel/errors.ts';
import {
  formatCount,
  formatDuration,
  formatRate,
  formatRatio,
  type Nanoseconds,
  type PerSecond,
  type Ratio,
  ratio,
  toChange,
} from '../kernel/units.ts';
import type { MetricName } from '../kernel/words.ts';
import type { Capacity } from '../load/ramp.ts';
import type { FalseAlarms, Seen, Stray } from '../verdict/calibration.ts';
import { fragment } from './calibration-fragment.ts';
import { isOverrun, overrunText } from './calibration-overrun.ts';
import { type Column, tableLines, wrapped } from './columns.ts';
import { visible } from './escape.ts';
import { metricLabel } from './figures.ts';
import { sentence } from './phrase.ts';
import { plainPhrase } from './terminal.ts';

export const judgedKeys = ['p50', 'p99', 'cpu', 'cpu-total'] as const;
export type JudgedKey = (typeof judgedKeys)[number];
/** Changes that the user wants to be detectable. */
export type Asked = ReadonlyMap<JudgedKey, Ratio>;

export interface WantedRow {
  readonly scenario: string;
  readonly metric: MetricName;
  /** Rounds and the time they take with confirmation; null where no sensible number of rounds is enough. */
  readonly cells: readonly {
    readonly wanted: Ratio;
    readonly rounds: number | null;
    readonly time: Nanoseconds | null;
  }[];
}

export interface RateAdvice {
  readonly scenario: string;
  readonly rate: PerSecond;
  readonly capacity: Capacity;
  readonly advised: { readonly least: PerSecond; readonly aim: PerSecond; readonly most: PerSecond } | null;
  /** Whether the configured rate is one of them. */
  readonly fits: boolean;
  /** After an invalid job: the rate to calibrate again at; null where another would not help. */
  readonly instead: PerSecond | null;
  /** Neither side held the configured rate in the rounds, and the climb did. */
  readonly contradicted: boolean;
  /**
   * Of a valid job: the service did not keep up with the configured rate, by the climb or, in this share of a side's
   * slices, by the rounds themselves. Null where it did.
   */
  readonly overrun:
    | { readonly kind: 'beyond-capacity' }
    | { readonly kind: 'saturated'; readonly share: Ratio }
    | null;
}

/** What a gate would be asked to do; tolerances and rates aside. */
export interface Settings {
  readonly rounds: number;
  readonly least: number;
  readonly most: number;
  readonly timeBudget: string;
  /** The time budget that was wished for; null where it holds these rounds. */
  readonly raisedFrom: string | null;
  /** The time budget with the advised rates of several scenarios; null where it is the same. */
  readonly withRates: string | null;
  /** Slices a side and round that the spread was measured with; null where the settings need not name them. */
  readonly keptSlices: number | null;
  /** What the planner has to say about a gate with these settings. */
  readonly notes: readonly Warning[];
}

export interface Advice extends Settings {
  readonly strays: readonly Stray[];
  readonly wanted: readonly WantedRow[];
  /** Of what was asked for: not detectable within a sensible number of rounds. */
  readonly unreached: readonly JudgedKey[];
  /** A side and round, in the rounds of this calibration. */
  readonly slices: number;
  /** Share of the time budget that the gate keeps for microbenchmarks. */
  readonly benchmarks: Ratio;
  readonly tolerances: readonly { readonly key: JudgedKey; readonly min: Ratio; readonly detect: Ratio }[];
  /** No tolerance of use fits these: they strayed too far. */
  readonly tooWide: readonly JudgedKey[];
  readonly falseAlarms: FalseAlarms;
  readonly rates: readonly RateAdvice[];
}

const width = 110;

/** @param outcome of the job by the tolerances of the configuration. */
export function calibrationText(
  advice: Advice,
  outcome: string,
  reason: string | null,
  cores: number,
): string {
  const why = reason === null ? '' : `: ${visible(reason, 300)}`;
  const pasted = settingsText(advice, outcome);
  const rateLines = advice.rates.flatMap((one) =>
    wrapped(rateSentence(one, cores, pasted !== null), width, '  '),
  );
  if (isOverrun(advice)) return overrunText(advice, rateLines, pasted, width);
  const begin = [
    'Spread of this commit against itself',
    ...spreadTable(advice),
    ...wrapped(`By the tolerances of the configuration this job is: ${outcome}${why}`, width, '  '),
    '',
  ];
  const rates = ['Rate', ...rateLines, ''];
  if (pasted === null) return [...begin, ...rates, ...wrapped(noSettings(advice, outcome), width)].join('\n');
  return [
    ...begin,
    ...wrapped(wantedTitle(advice), width),
    ...wantedTable(advice),
    '',
    ...rates,
    'False alarms',
    ...wrapped(falseAlarmSentence(advice.falseAlarms), width, '  '),
    '',
    'For tailgate.yml:',
    ...wrapped(usefulSentence(advice), width, '  '),
    ...advice.notes.flatMap((note) => wrapped(noteSentence(note), width, '  ')),
    '',
    pasted,
  ].join('\n');
}

/**
 * The fragment to paste; null where no settings follow: of an invalid job, and of one without any spread. Where the
 * service did not keep up it holds the rate and what that needs, and no tolerances.
 */
export function settingsText(advice: Advice, outcome: string): string | null {
  if (isOverrun(advice))
    return advice.rates.some(({ advised }) => advised !== null) ? fragment(advice) : null;
  return outcome === 'invalid' || advice.strays.length === 0 ? null : fragment(advice);
}

function noSettings({ rates }: Advice, outcome: string): string {
  const why = outcome === 'invalid' ? 'the job was invalid' : 'the job gave no spread';
  const other = rates.filter(({ instead }) => instead !== null);
  const at = other.map(({ scenario, instead }) => {
    const of = rates.length === 1 ? '' : ` for ${visible(scenario)}`;
    return `\`rate: ${instead}\`${of}`;
  });
  const quieter = rates.some(({ contradicted }) => contradicted) ? ', and on a quieter machine' : '';
  const again = at.length === 0 ? ' on a quieter machine' : ` at ${at.join(' and ')}${quieter}`;
  return `No settings: ${why}; calibrate again${again}.`;
}

function spreadTable({ strays }: Advice): readonly string[] {
  if (strays.length === 0) return ['  nothing could be measured'];
  const columns: readonly Column[] = [
    { title: '  scenario', align: 'left', flexible: true },
    { title: 'metric', align: 'left' },
    { title: 'spread', align: 'right' },
    { title: 'one run against one run', align: 'right' },
    { title: 'smallest detectable', align: 'right' },
    { title: 'rounds', align: 'right' },
  ];
  const rows = strays.map((stray) => [
    `  ${visible(stray.scenario)}`,
    metricLabel(stray.metric),
    `±${formatRatio(toChange(stray.spread))}`,
    `±${formatRatio(toChange(stray.singleRun))}`,
    formatRatio(stray.detectable),
    String(stray.rounds),
  ]);
  return tableLines(columns, rows, width);
}

function wantedTitle({ slices, benchmarks }: Advice): string {
  const others = benchmarks > 0 ? ` and the ${formatRatio(benchmarks)} for microbenchmarks` : '';
  return `Rounds of ${slices} slices a side, and the time budget for them (confirmation${others} included), until a change is detectable, four times in five`;
}

/** Of the plan that a gate with the settings would have. */
const noteSentence = ({ message, hint }: Warning): string =>
  `With these settings: ${plainPhrase(sentence(message))}${hint === undefined ? '' : ` ${plainPhrase(sentence(hint))}`}`;

function wantedTable({ wanted }: Advice): readonly string[] {
  const first = wanted[0];
  if (first === undefined) return ['  nothing could be measured'];
  const columns: readonly Column[] = [
    { title: '  scenario', align: 'left', flexible: true },
    { title: 'metric', align: 'left' },
    ...new Array<Column>(first.cells.length).fill({ title: 'change: rounds, time', align: 'right' }),
  ];
  const rows = wanted.map(({ scenario, metric, cells }) => [
    `  ${visible(scenario)}`,
    metricLabel(metric),
    ...cells.map(({ wanted: change, rounds, time }) =>
      rounds === null || time === null
        ? `${formatRatio(change)}: over 60`
        : `${formatRatio(change)}: ${rounds}, ${formatDuration(time)}`,
    ),
  ]);
  return tableLines(columns, rows, width);
}

function rateSentence(one: RateAdvice, cores: number, trusted: boolean): string {
  const { scenario, rate, capacity, advised, fits, contradicted } = one;
  const name = `${visible(scenario)}: `;
  const { held, failed, busy } = capacity;
  if (held === null || advised === null) return `${name}no rate was held, not even ${formatRate(failed!)}`;
  const upTo = failed === null ? '' : `, ${formatRate(failed)} was not`;
  if (contradicted) {
    return `${name}${formatRate(held)} was held${upTo} in the climb, but the rounds before it could not hold ${formatRate(rate)}: the machine was disturbed in one of them, so neither shows a capacity.`;
  }
  if (!trusted) {
    return `${name}${formatRate(held)} was held${upTo}. ${boundSentence(capacity.bound, busy, cores)}`;
  }
  const share = `40 to 50 % of it is ${formatRate(advised.least)} to ${formatRate(advised.most)}`;
  const part = `${formatRatio(ratio(rate / held))} of it`;
  const configured = `the configured ${formatRate(rate)} is ${part}${fits ? ' and fits' : ''}`;
  return `${name}${formatRate(held)} was held${upTo}. ${boundSentence(capacity.bound, busy, cores)} ${share}; ${configured}.`;
}

function boundSentence(bound: Capacity['bound'], busy: number | null, cores: number): string {
  const used = busy === null ? '' : `${busy.toFixed(1)} of ${cores} CPUs`;
  switch (bound) {
    case 'cpu':
      return `It is bound by CPU: it kept ${used} busy at the limit, on which the generator runs too.`;
    case 'not-cpu':
      return `It is not bound by CPU: it kept only ${used} busy at the limit and waits for something else (a lock, a pool, another service), so CPU per request says little about its capacity.`;
    case 'not-reached':
      return 'More could not be offered here, so its capacity is that or above.';
    case 'crowded':
      return `It kept only ${used} busy at the limit, but something on this machine was waiting for a CPU most of the time: what it could take on a quiet one is not known.`;
    case 'ended':
      return 'There the service ended by itself.';
    case 'unknown':
      return 'Whether CPU is what it lacks cannot be read on this system.';
  }
}

function falseAlarmSentence({ judged, flagged, looks, red }: FalseAlarms): string {
  const levels = looks.map(({ rounds, level }) => `${formatRatio(level)} after ${rounds} rounds`).join(', ');
  const by = `By design, and on any machine: at most ${formatRatio(flagged)} of jobs without a change have one of their ${judged} judged rows flagged (${levels}; Holm over all rows).`;
  if (red === null) return `${by} Without \`confirm\` such a job is red. ${unmeasured}`;
  const { confirmed, settled, simulated, onMachine } = red;
  const ways = `There are two ways to red: six fresh rounds confirm a flagged row, by a pooled test at ${formatRatio(confirmed)}; or a last look flags nothing and leaves the job open, and six further rounds show a row beyond doubt, by a pooled test at ${formatRatio(settled)}.`;
  const seen = `Red among jobs without a change: ${seenWords(simulated)} in simulation (docs/method.md), ${seenWords(onMachine)} on a real machine (docs/aa.md).`;
  const others = `Microbenchmarks are a family of their own with a chance of their own, flagged by the same levels and confirmed at ${formatRatio(confirmed)}; they are in none of these figures.`;
  return `${by} ${ways} ${seen} ${others} ${unmeasured}`;
}

const unmeasured = 'This one job measures none of that.';

/** `11 of 2,100 (0.52 %; at most 0.9 %, with 95 % confidence)`. */
function seenWords({ jobs, red, atMost }: Seen): string {
  const share = formatRatio(ratio(red / jobs));
  return `${formatCount(red)} of ${formatCount(jobs)} (${share}; at most ${formatRatio(atMost)}, with 95 % confidence)`;
}

function usefulSentence({ tolerances, tooWide, unreached }: Advice): string {
  const sentences = [
    tolerances.length === 0
      ? 'Rounds and minutes as configured, without tolerances.'
      : 'Tolerances that this spread allows, with a quarter in reserve.',
  ];
  if (tooWide.length > 0) {
    sentences.push(
      `${tooWide.join(', ')} strayed too far for a tolerance of use, so none is given: it would only keep the gate quiet. Calibrate again on a quieter machine, or at another rate.`,
    );
  }
  if (unreached.length > 0) {
    sentences.push(
      `What was asked for of ${unreached.join(', ')} is not detectable here within 60 rounds: the rounds below do not reach it.`,
    );
  }
  return sentences.join(' ');
}
