/** What a job tells while it runs → one line each, for a terminal and for the log of an action. */
import type { Warning } from '../kernel/errors.ts';
import { assertNever } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { formatCount, formatDuration } from '../kernel/units.ts';
import type { PercentileName, Side } from '../kernel/words.ts';
import { visible } from './escape.ts';
import { durationText, none } from './figures.ts';
import { percentileLabel } from './latency.ts';
import { capital, sentence } from './phrase.ts';
import { plainPhrase } from './terminal.ts';

/** A first impression of a round; nothing is decided by it. */
export interface QuickFigures {
  readonly scenario: string;
  readonly percentile: PercentileName;
  readonly baseline: Nanoseconds | null;
  readonly candidate: Nanoseconds | null;
}

export type ProgressEvent =
  | { readonly kind: 'building'; readonly side: Side }
  | { readonly kind: 'built'; readonly side: Side; readonly duration: Nanoseconds }
  | {
      readonly kind: 'round-started';
      /** From 1. */
      readonly index: number;
      readonly of: number;
      readonly phase: 'measuring' | 'confirming';
      readonly timeLeft: Nanoseconds | null;
    }
  | {
      readonly kind: 'round-done';
      readonly index: number;
      readonly of: number;
      readonly phase: 'measuring' | 'confirming';
      /** Of the first scenario, or the worst; null when nothing could be read. */
      readonly figures: QuickFigures | null;
      readonly timeLeft: Nanoseconds | null;
    }
  /** `so far` in words, e.g. `not decided yet`. */
  | { readonly kind: 'looked'; readonly rounds: number; readonly soFar: string }
  | {
      /** Fresh rounds follow a look, because something was flagged or because nothing could be decided. */
      readonly kind: 'confirming' | 'settling';
      readonly scenarios: readonly string[];
      readonly rounds: number;
    }
  | { readonly kind: 'benchmarks-found'; readonly count: number; readonly node: string | null }
  | {
      readonly kind: 'bench-round';
      /** From 1. */
      readonly index: number;
      readonly of: number;
      readonly phase: 'measuring' | 'confirming';
      readonly benchmarks: number;
    }
  | {
      /** The first round of microbenchmarks is over. */
      readonly kind: 'bench-timed';
      readonly duration: Nanoseconds;
      /** Of all their rounds. */
      readonly budget: Nanoseconds;
      /** What it is expected to hold before a confirmation, of those planned. */
      readonly rounds: number;
      readonly of: number;
    }
  /** What the output of a command was taken for. */
  | { readonly kind: 'suite-read'; readonly name: string; readonly formats: string }
  /** A benchmark has not answered for a while; it is given up after `limit`. */
  | { readonly kind: 'waiting'; readonly what: string; readonly limit: Nanoseconds }
  | { readonly kind: 'warning'; readonly warning: Warning };

export interface ProgressLine {
  readonly text: string;
  /** False for what the next line replaces: a terminal may overwrite it, a log may leave it out. */
  readonly lasting: boolean;
  readonly tone: 'plain' | 'warning';
}

/** One line, printable, without colour. */
export function progressLine(event: ProgressEvent): ProgressLine {
  switch (event.kind) {
    case 'building':
      return passing(`building the ${event.side}`);
    case 'built':
      return lasting(`built the ${event.side} in ${durationText(event.duration)}`);
    case 'round-started':
      return passing(parts([roundName(event), left(event.timeLeft)]));
    case 'round-done':
      return lasting(parts([roundName(event), ...quick(event.figures), left(event.timeLeft)]));
    case 'looked':
      return lasting(`looked after ${counted(event.rounds, 'round')}: ${visible(event.soFar, 300)}`);
    case 'confirming':
      return lasting(
        `something got worse in ${names(event.scenarios)}: confirming with ${counted(event.rounds, 'fresh round')}`,
      );
    case 'settling':
      return lasting(
        `not decided in ${names(event.scenarios)}: ${counted(event.rounds, 'fresh round')} may settle it`,
      );
    case 'benchmarks-found': {
      const node = event.node === null ? '' : `, run by Node ${event.node}`;
      return lasting(`${counted(event.count, 'microbenchmark')} found${node}`);
    }
    case 'bench-round': {
      const phase = event.phase === 'measuring' ? 'round' : 'confirmation round';
      const of = `${formatCount(event.index)} of at most ${formatCount(event.of)}`;
      return lasting(`microbenchmarks: ${phase} ${of}, ${counted(event.benchmarks, 'open one')}`);
    }
    case 'bench-timed': {
      const held = `${formatCount(event.rounds)} of at most ${counted(event.of, 'round')}`;
      const budget = `${formatDuration(event.budget)} are kept for microbenchmarks`;
      return lasting(
        `microbenchmarks: a round takes about ${formatDuration(event.duration)}, and ${budget}: room for ${held} before a confirmation`,
      );
    }
    case 'suite-read':
      return lasting(`${visible(event.name, 200)}: read as ${event.formats}`);
    case 'waiting':
      return lasting(`waiting for ${visible(event.what, 200)}, at most ${formatDuration(event.limit)}`);
    case 'warning': {
      const { message, hint } = event.warning;
      const way = hint === undefined ? '' : ` ${plainPhrase(sentence(capital(hint)))}`;
      return { text: `warning: ${plainPhrase(sentence(message))}${way}`, lasting: true, tone: 'warning' };
    }
    default:
      return assertNever(event);
  }
}

const lasting = (text: string): ProgressLine => ({ text, lasting: true, tone: 'plain' });
const passing = (text: string): ProgressLine => ({ text, lasting: false, tone: 'plain' });
const parts = (all: readonly string[]): string => all.filter((part) => part !== '').join(' · ');
const counted = (count: number, word: string): string =>
  `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`;

function roundName(event: { index: number; of: number; phase: 'measuring' | 'confirming' }): string {
  const word = event.phase === 'confirming' ? 'fresh round' : 'round';
  return `${word} ${formatCount(event.index)} of ${formatCount(event.of)}`;
}

function quick(figures: QuickFigures | null): readonly string[] {
  if (figures === null) return [];
  const whose = figures.scenario === 'default' ? '' : `${visible(figures.scenario, 40)} `;
  const [baseline, candidate] = [durationText(figures.baseline), durationText(figures.candidate)];
  if (baseline === none && candidate === none) return [];
  return [`${whose}baseline ${percentileLabel(figures.percentile)} ${baseline}`, `candidate ${candidate}`];
}

function left(time: Nanoseconds | null): string {
  return time === null || !Number.isFinite(time) || time <= 0 ? '' : `${formatDuration(time)} left`;
}

function names(scenarios: readonly string[]): string {
  const shown = scenarios.slice(0, 3).map((scenario) => `\`${visible(scenario, 40)}\``);
  const more = scenarios.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
}
