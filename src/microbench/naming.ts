/** What somebody named as benchmarks against what is there. */
import { TailgateError, type Warning } from '../kernel/errors.ts';
import { type Side, sides } from '../kernel/words.ts';

type Named = { readonly name: string };

/** Rows are told apart by their names alone, and rows of a suite by the suite's. */
export function refuseTwice(named: readonly Named[]): void {
  const seen = new Set<string>();
  for (const { name } of named) {
    if (seen.has(name)) {
      throw new TailgateError({
        code: 'usage',
        message: `two benchmarks are called "${name}"`,
        hint: 'give the commands under microbenchmarks different names',
      });
    }
    seen.add(name);
  }
}

export function nothingFound(files: readonly string[], suites: readonly Named[]): TailgateError {
  const looked =
    files.length === 0 ? 'no globs were given' : `no file of either side matches ${files.join(' ')}`;
  return new TailgateError({
    code: 'usage',
    message: `there is no benchmark: ${looked}${suites.length === 0 ? '' : ', and the commands named none'}`,
    hint: 'every function that such a file exports is a benchmark; --files "GLOB …" names others, --command runs another tool',
  });
}

/**
 * A warning for each glob without a file: a benchmark that was renamed is easily lost beside others.
 * @param globs those that somebody gave; `!` takes back and may match nothing.
 * @param files the benchmark files of each side.
 */
export function unmatchedGlobs(
  globs: readonly string[],
  files: Readonly<Record<Side, readonly string[]>>,
  matches: (file: string, glob: string) => boolean,
): readonly Warning[] {
  const all = sides.flatMap((side) => files[side]);
  return globs
    .filter((glob) => !glob.startsWith('!') && !all.some((file) => matches(file, glob)))
    .map((glob) => ({
      code: 'benchmark-files',
      message: `no benchmark file of either side matches ${glob}`,
      hint: 'globs are relative to the working directory; take it out, or name the place the file has moved to',
    }));
}
