// Figures and findings as text. Pure.

const digits = (value) => {
  const size = Math.abs(value);
  return value.toFixed(size >= 99.5 ? 0 : size >= 9.95 ? 1 : 2);
};

/** 0.05 → `+5.00 %`. */
export const percent = (ratio) => `${ratio >= 0 ? '+' : '−'}${digits(Math.abs(100 * ratio))} %`;

const unsigned = (ratio) => digits(100 * ratio);

const duration = (seconds) =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;

export { duration };

/** `regressed +134 % [120, 150] ±3.10 %`: the verdict, the estimate with its interval, and the spread. */
export function findingText(one) {
  if (one === undefined) return '–';
  if (one.kind !== 'ratio' || one.effect === null) return one.state;
  const interval = one.interval === null ? '' : ` [${one.interval.map((end) => percent(end)).join(', ')}]`;
  const spread = one.spread === null ? '' : ` ±${unsigned(Math.expm1(one.spread))} %`;
  return `${one.state} ${percent(one.effect)}${interval}${spread}`;
}
