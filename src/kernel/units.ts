/** Numbers that carry their unit in the type, the conversions between them, and the one formatter. */

declare const unit: unique symbol;
type Branded<Unit extends string> = number & { readonly [unit]: Unit };

/** Durations and points on the monotonic clock. Whole or fractional; exact up to 104 days. */
export type Nanoseconds = Branded<'ns'>;
export type Milliseconds = Branded<'ms'>;
/** A share or a relative change: 0.05 is 5 %. */
export type Ratio = Branded<'ratio'>;
/** ln(candidate / baseline). */
export type LogRatio = Branded<'log-ratio'>;
export type PerSecond = Branded<'per-second'>;
export type Bytes = Branded<'bytes'>;

export const ns = (value: number): Nanoseconds => value as Nanoseconds;
export const ms = (value: number): Milliseconds => value as Milliseconds;
export const ratio = (value: number): Ratio => value as Ratio;
export const logRatio = (value: number): LogRatio => value as LogRatio;
export const perSecond = (value: number): PerSecond => value as PerSecond;
export const bytes = (value: number): Bytes => value as Bytes;

export const msToNs = (value: number): Nanoseconds => ns(value * 1e6);
export const secondsToNs = (value: number): Nanoseconds => ns(value * 1e9);
export const nsToMs = (value: Nanoseconds): Milliseconds => ms(value / 1e6);
export const nsToSeconds = (value: Nanoseconds): number => value / 1e9;
/** exp(x) − 1: what a log-ratio means as a relative change. */
export const toChange = (value: LogRatio): Ratio => ratio(Math.expm1(value));

const durationUnits = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 } as const;

/**
 * Reads `250ms`, `5s`, `4m`, `1h`, `1m30s`; null when the text has another form. A bare number has no unit
 * and is refused, except 0.
 */
export function parseDuration(text: string): Nanoseconds | null {
  const compact = text.trim();
  if (compact === '0') return ns(0);
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(compact)) return null;
  let total = 0;
  for (const [, amount, name] of compact.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    total += Number(amount) * durationUnits[name as keyof typeof durationUnits];
  }
  return ns(total);
}

/** Reads `5%` or `5 %` as 0.05 and `0.1 points` as 0.001; null when the text has another form. */
export function parseRatio(text: string): Ratio | null {
  const match = /^([+-]?\d+(?:\.\d+)?)\s*(%|points?)$/.exec(text.trim());
  return match === null ? null : ratio(Number(match[1]) / 100);
}

/** `1.23 ms`, `45 µs`, `12.3 s`, `4 min 10 s`: three significant digits, the unit chosen by size. */
export function formatDuration(value: Nanoseconds): string {
  const size = Math.abs(value);
  if (size < 1e3) return `${significant(value)} ns`;
  if (size < 1e6) return `${significant(value / 1e3)} µs`;
  if (size < 1e9) return `${significant(value / 1e6)} ms`;
  if (size < 120e9) return `${significant(value / 1e9)} s`;
  const seconds = Math.round(value / 1e9);
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** A duration as one would write it in a setting, never shorter: tens of seconds up to two minutes, then minutes. */
export function budgetText(duration: Nanoseconds): string {
  const seconds = duration / 1e9;
  if (seconds <= 120) return `${Math.ceil(seconds / 10) * 10}s`;
  return `${Math.ceil(seconds / 60)}m`;
}

/** `12 %`, `1.2 %`, `0.12 %`: a size without a sign. */
export function formatRatio(value: Ratio): string {
  return `${percentDigits(Math.abs(value) * 100)} %`;
}

/** `+12 %`, `−1.2 %`, `±0 %`: a change always carries its sign. */
export function formatChange(value: Ratio): string {
  const digits = percentDigits(Math.abs(value) * 100);
  if (Number(digits) === 0) return '±0 %';
  return `${value < 0 ? '−' : '+'}${digits} %`;
}

/** `±6 %` of a spread; above half, where a fall by as much would be another thing, `×÷2.1`: up or down by that factor. */
export function formatSpread(value: LogRatio): string {
  const change = toChange(value);
  return change <= 0.5 ? `±${formatRatio(change)}` : `×÷${significant(Math.exp(value))}`;
}

export function formatRate(value: PerSecond): string {
  return `${significant(value)}/s`;
}

export function formatBytes(value: Bytes): string {
  if (value < 1024) return `${Math.round(value)} B`;
  if (value < 1024 ** 2) return `${significant(value / 1024)} KiB`;
  if (value < 1024 ** 3) return `${significant(value / 1024 ** 2)} MiB`;
  return `${significant(value / 1024 ** 3)} GiB`;
}

/** `12,345`: whole numbers with separators. */
export function formatCount(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function percentDigits(percent: number): string {
  if (percent >= 100) return formatCount(percent);
  if (percent >= 10) return percent.toFixed(0);
  if (percent >= 1) return trimZeros(percent.toFixed(1));
  return trimZeros(percent.toFixed(2));
}

function significant(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000) return formatCount(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return trimZeros(value.toFixed(digits));
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
