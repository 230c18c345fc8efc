/** The words by which a result format is asked for: its own, and those that users of other tools know. */
import { benchFormats, type Format } from './words.ts';

/** The `tool:` words of github-action-benchmark, for people who migrate, and two short ones; upper case is set aside. */
const others = {
  go: 'go-bench',
  cargo: 'libtest',
  benchmarkjs: 'benchmark-js',
  pytest: 'pytest-benchmark',
  googlecpp: 'google-benchmark',
  customSmallerIsBetter: 'custom-smaller-is-better',
  customBiggerIsBetter: 'custom-bigger-is-better',
  bmf: 'bencher',
  hlog: 'hdr-histogram-log',
} as const satisfies Readonly<Record<string, Format>>;

/** Those words, as their users write them. */
export const otherFormatWords: readonly string[] = Object.keys(others);

const known = new Map<string, Format>([
  ...Object.entries(others).map(([word, format]) => [word.toLowerCase(), format] as const),
  ...benchFormats.map((format) => [format, format] as const),
]);

/** The format that a word of the configuration means; null when there is none. */
export function parseFormat(word: string): Format | 'auto' | null {
  const lower = word.trim().toLowerCase();
  return lower === 'auto' ? 'auto' : (known.get(lower) ?? null);
}
