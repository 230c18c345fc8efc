/** What a ramp is shown as: its headline and findings as sentences, and the cells of its curve. Pure. */

import type { CurvePoint } from '../capacity/curve.ts';
import type { RampResult } from '../capacity/result.ts';
import type { Step } from '../capacity/step.ts';
import { assertNever } from '../kernel/errors.ts';
import {
  bytes,
  formatBytes,
  formatCount,
  formatDuration,
  formatRate,
  formatRatio,
  msToNs,
  perSecond,
  ratio,
  secondsToNs,
} from '../kernel/units.ts';
import type { Column } from './columns.ts';
import { none } from './figures.ts';

/** A result with its curve, as the conductor hands it over. */
export interface RampView {
  readonly result: RampResult;
  readonly curve: readonly CurvePoint[];
}

/** One sentence: the answer, or why there is none. */
export function rampHeadline({ result, curve }: RampView): string {
  const { end, capacity, atLeast } = result;
  const at = `p99 ≤ ${msText(result.objectiveMs)}`;
  switch (end.kind) {
    case 'bracketed':
      return `Capacity at ${at}: ${rateText(capacity.lastPass)} passes, ${rateText(capacity.firstFail)} does not${missText(result, curve)}.`;
    case 'at-least':
      return end.limit === 'generator'
        ? `At least ${rateText(atLeast)} at ${at}: the generator cannot send more on this machine, so this is a lower bound and no capacity.`
        : `At least ${rateText(atLeast)} at ${at}: that is the highest rate it was allowed to send, and it passes.`;
    case 'missed-at-start':
      return `The objective is missed from the start: at ${rateText(capacity.firstFail)} ${missed(pointAt(curve, capacity.firstFail), result)}.`;
    case 'unsound':
      return 'No answer: the generator could not do its part at any rate on this machine.';
    case 'died':
      return `The service died at ${rateText(result.death?.duringRate ?? null)}, after ${formatCount(result.death?.afterRequests ?? 0)} answered requests${howText(result)}; ${soFar(result, at)}.`;
    case 'did-not-recover':
      return `The service did not recover within ${secondsText(result.recovery?.withinSeconds ?? 0)} after ${rateText(result.recovery?.afterRate ?? null)}; ${soFar(result, at)}.`;
    case 'open':
      return `No capacity yet: ${result.stopped?.why ?? 'it did not end'} after ${formatCount(result.steps.length)} ${result.steps.length === 1 ? 'step' : 'steps'}; ${soFar(result, at)}.`;
    default:
      return assertNever(end);
  }
}

/** What else the curve says, one sentence a fact, most important first. */
export function rampFindings(view: RampView): readonly string[] {
  const { result } = view;
  return [
    ...(result.stopped === null
      ? []
      : [
          `Partial: ${result.stopped.why}. What was measured until then is here; what would have come after it is not known.`,
        ]),
    ...(result.end.kind !== 'bracketed' && result.death !== null && result.end.kind !== 'died'
      ? [deathText(result)]
      : []),
    ...kneeLines(result),
    ...collapseLines(result),
    ...errorLines(result),
    ...recoveryLines(result),
    ...(result.end.kind === 'bracketed' && result.death !== null ? [deathText(result)] : []),
    ...leakLines(result),
    ...(result.relative
      ? [
          'Generator and service share the CPUs of this machine: the figures are relative. They can be compared with others of this machine; they are no promise for another one.',
        ]
      : []),
    `Generator: it sent ${rateText(result.calibration.reachPerSecond)} to a responder that does nothing, and reads a p50 of ${msText(result.calibration.p50Ms)} and a p99 of ${msText(result.calibration.p99Ms)} there.`,
  ];
}

const curveColumns: readonly (Column & { readonly of: (point: CurvePoint, result: RampResult) => string })[] =
  [
    { title: 'offered', align: 'right', of: ({ step }) => formatRate(perSecond(step.rate)) },
    { title: 'completed', align: 'right', of: ({ step }) => formatRate(perSecond(step.completedPerSecond)) },
    {
      title: 'successful',
      align: 'right',
      of: ({ step }) => formatRate(perSecond(step.successfulPerSecond)),
    },
    { title: 'p50', align: 'right', of: ({ step }) => msText(step.responseTimeMs.p50) },
    { title: 'p90', align: 'right', of: ({ step }) => msText(step.responseTimeMs.p90) },
    { title: 'p99', align: 'right', of: ({ step }) => msText(step.responseTimeMs.p99) },
    { title: 'p99.9', align: 'right', of: ({ step }) => msText(step.responseTimeMs.p999) },
    { title: 'errors', align: 'right', of: ({ step }) => shareText(step.errorShare) },
    { title: 'CPU', align: 'right', of: ({ step }) => cpuText(step) },
    { title: 'late p99', align: 'right', of: ({ step }) => msText(step.latenessP99Ms) },
    { title: 'objective', align: 'left', of: (point, result) => stateText(point, result) },
  ];

/** Without the column of CPU where nothing is known of it. */
export function curveTable({ result, curve }: RampView): {
  readonly columns: readonly Column[];
  readonly cells: readonly (readonly string[])[];
} {
  const known = curve.some(({ step }) => step.cpu !== null);
  const columns = curveColumns.filter(({ title }) => title !== 'CPU' || known);
  return { columns, cells: curve.map((point) => columns.map(({ of }) => of(point, result))) };
}

/** One line a step, as soon as it is over; the same columns for the whole run. */
export function liveLine(step: Step, number: number): string {
  const cells = [
    `${number}`.padStart(3),
    step.phase.padEnd(8),
    formatRate(perSecond(step.rate)).padStart(9),
    formatRate(perSecond(step.successfulPerSecond)).padStart(10),
    msText(step.responseTimeMs.p50).padStart(9),
    msText(step.responseTimeMs.p99).padStart(9),
    shareText(step.errorShare).padStart(7),
    stateOf(step),
  ];
  return cells.join('  ');
}

export const liveHeader = [
  '  #',
  'why     ',
  '  offered',
  'successful',
  '      p50',
  '      p99',
  ' errors',
  'objective',
].join('  ');

export const rateText = (value: number | null): string =>
  value === null ? none : formatRate(perSecond(value));
export const msText = (value: number | null): string =>
  value === null ? none : formatDuration(msToNs(value));
export const secondsText = (value: number): string => formatDuration(secondsToNs(value));
export const shareText = (value: number): string => (value === 0 ? '0' : formatRatio(ratio(value)));

/** What was measured. */
export function subjectText({ result: { subject } }: RampView): string {
  return subject.kind === 'url'
    ? subject.url
    : `Scenario ${subject.scenario} of ${subject.file} at commit ${subject.commit.slice(0, 12)}`;
}

/** What it was measured on. */
export function environmentText({ result: { environment } }: RampView): string {
  return `${environment.cpuModel}, ${environment.cpus} CPUs, ${environment.platform}, Node ${environment.node}`;
}

function missText(result: RampResult, curve: readonly CurvePoint[]): string {
  const point = pointAt(curve, result.capacity.firstFail);
  return point === null ? '' : ` (${missed(point, result)})`;
}

function missed(point: CurvePoint | null, { criteria }: RampResult): string {
  if (point === null) return 'it is not met';
  const { step } = point;
  const [first] = step.misses;
  switch (first) {
    case undefined:
      return 'the majority of its runs do not meet it';
    case 'p99':
      return step.errorShare > criteria.errorBudget
        ? `${shareText(step.errorShare)} of the requests fail`
        : `p99 is ${msText(step.responseTimeMs.p99)}`;
    case 'successful':
      return `${rateText(step.successfulPerSecond)} of ${rateText(step.offeredPerSecond)} succeed`;
    case 'errors':
      return `${shareText(step.errorShare)} of the requests fail`;
    default:
      return assertNever(first);
  }
}

const pointAt = (curve: readonly CurvePoint[], rate: number | null): CurvePoint | null =>
  curve.find((point) => point.rate === rate) ?? null;

function soFar({ capacity }: RampResult, at: string): string {
  if (capacity.lastPass === null) return 'no rate had passed';
  return `${rateText(capacity.lastPass)} had passed at ${at}${capacity.firstFail === null ? '' : `, ${rateText(capacity.firstFail)} had not`}`;
}

/** `940/s`, or `940/s or higher` where nothing beyond it was measured. */
export const kneeText = ({ knee, kneeBeyond }: RampResult): string =>
  `${rateText(knee)}${kneeBeyond === null ? ' or higher' : ''}`;

function kneeLines(result: RampResult): readonly string[] {
  const { knee, kneeBeyond, plateauMs, ceiling } = result;
  if (knee === null) return [];
  const open = kneeBeyond === null ? ': nothing beyond it was measured' : '';
  const where =
    kneeBeyond === null ? '' : `; at ${rateText(kneeBeyond)} they no longer are, or not everything succeeds`;
  return [
    `Knee: ${kneeText(result)}${open}. Up to there half of the answers stay within twice the plateau of ${msText(plateauMs)}${where}.`,
    kneeBeyond === null
      ? `Ceiling: at least ${rateText(ceiling)}, the highest successful rate that was measured.`
      : `Ceiling: ${rateText(ceiling)} is the highest successful rate.`,
  ];
}

function collapseLines({ collapse, ceiling, end, knee }: RampResult): readonly string[] {
  // Of a service that never came back, its best rates are no comfort.
  if (collapse === null || end.kind === 'died' || end.kind === 'did-not-recover') return [];
  const reached = `at ${rateText(collapse.highestRate)} offered ${rateText(collapse.successfulAtHighest)} succeed`;
  // Without a knee nothing is beyond it.
  if (knee === null) return [];
  if (!collapse.collapses)
    return [`Beyond the knee: no collapse, ${reached} of a ceiling of ${rateText(ceiling)}.`];
  const how = collapse.shape === 'cliff' ? 'a cliff' : 'gradual';
  return [
    `Beyond the knee: it collapses from ${rateText(collapse.atRate)} on, ${how}; ${reached}, the least was ${formatRatio(ratio(collapse.leastShare))} of the ceiling.`,
  ];
}

function errorLines({ collapse, criteria }: RampResult): readonly string[] {
  if (collapse === null) return [];
  const { startAtRate, shareAtHighest, kinds } = collapse.errors;
  if (startAtRate === null) return ['Errors: none beyond the budget at any rate.'];
  const all = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  const named = Object.entries(kinds)
    .slice(0, 4)
    .map(([kind, count]) => `${kind} (${formatRatio(ratio(count / Math.max(1, all)))})`);
  return [
    `Errors: from ${rateText(startAtRate)} on more than ${formatRatio(ratio(criteria.errorBudget))} fail, ${shareText(shareAtHighest)} at ${rateText(collapse.highestRate)}${named.length === 0 ? '' : `: ${named.join(', ')}`}.`,
  ];
}

function recoveryLines({ recovery, end }: RampResult): readonly string[] {
  if (recovery === null || end.kind === 'did-not-recover') return [];
  const back = `back at ${rateText(recovery.rate)} after ${rateText(recovery.afterRate)}`;
  return recovery.recovered
    ? [`Recovery: ${back}, p99 was within the objective again after ${secondsText(recovery.seconds ?? 0)}.`]
    : [`Recovery: ${back}, it did not recover within ${secondsText(recovery.withinSeconds)}.`];
}

function deathText(result: RampResult): string {
  const { death } = result;
  return `The service died at ${rateText(death?.duringRate ?? null)}${howText(result)}.`;
}

function howText({ death }: RampResult): string {
  return death === null || death.how === null ? '' : `: ${death.how}`;
}

function leakLines({ leak }: RampResult): readonly string[] {
  if (leak === null) return [];
  return [
    `Memory grew in nearly every step, from ${formatBytes(bytes(leak.fromBytes))} to ${formatBytes(bytes(leak.toBytes))}, about ${formatBytes(bytes(leak.perRequestBytes))} a request: it looks like a leak.`,
  ];
}

function cpuText({ cpu }: Step): string {
  if (cpu === null) return none;
  return `${cpu.perRequestMs === null ? none : msText(cpu.perRequestMs)} · ${cpu.cores.toFixed(2)}`;
}

function stateText({ step, runs, passed }: CurvePoint, result: RampResult): string {
  const counted = runs === 1 ? '' : ` (${passed} of ${runs} passed)`;
  const knee = result.kneeBeyond === null ? ' · knee or higher' : ' · knee';
  return `${stateOf(step)}${counted}${result.knee === step.rate ? knee : ''}`;
}

function stateOf(step: Step): string {
  if (!step.sound) return `unsound: ${step.reasons.join(', ')}`;
  return step.passes ? 'met' : `missed: ${step.misses.join(', ')}`;
}
