/** The timed region of a microbenchmark: a loop of its own for every function, and nothing else. */
import type { Nanoseconds } from '../kernel/units.ts';
import { ns } from '../kernel/units.ts';
import type { Clock } from '../kernel/world.ts';

export type Loop =
  | { readonly isAsync: false; readonly run: (iterations: number) => void }
  | { readonly isAsync: true; readonly run: (iterations: number) => Promise<void> };

export interface Timed {
  readonly wall: Nanoseconds;
  /** User and system time of the whole process: threads that work for it are part of its cost. */
  readonly cpu: Nanoseconds;
}

/** The last result of every loop, where any code could still read it: the engine may not drop the work. */
const kept: { value: unknown } = { value: undefined };

/**
 * A loop that calls `benchmark`, awaiting each call when it is async. Compiled from text for each benchmark: closures
 * of one piece of code share what the engine learns about its call, and the second benchmark would slow the first.
 */
export function loopOf(benchmark: () => unknown, isAsync: boolean): Loop {
  const call = isAsync ? 'await benchmark()' : 'benchmark()';
  const text = `return ${isAsync ? 'async ' : ''}function loop(iterations) {
    for (let index = 0; index < iterations; index++) kept.value = ${call};
  };`;
  const run = new Function('benchmark', 'kept', text)(benchmark, kept) as Loop['run'];
  return { isAsync, run } as Loop;
}

export async function time(loop: Loop, iterations: number, clock: Clock): Promise<Timed> {
  const cpuBefore = process.cpuUsage();
  const begun = clock.now();
  const done = loop.run(iterations);
  // Not awaited when it is sync: a turn of the event loop is no part of the work.
  if (loop.isAsync) await done;
  const ended = clock.now();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wall: ns(ended - begun), cpu: ns((user + system) * 1e3) };
}

/** A count that grows past this is a function that the engine has removed. */
const mostIterations = 1e9;
const mostAttempts = 40;
/** Two estimates this close are of a loop that is compiled. */
const settled = 0.1;

/**
 * How many iterations fill `target`, once two estimates in a row agree: the first ones are of code that is not
 * compiled yet.
 */
export async function calibrate(
  loop: Loop,
  target: Nanoseconds,
  clock: Clock,
): Promise<{ readonly iterations: number; readonly elapsed: Nanoseconds }> {
  let iterations = 1;
  let previous = Number.NaN;
  let elapsed = ns(0);
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    elapsed = (await time(loop, iterations, clock)).wall;
    const each = elapsed / iterations;
    const filled = elapsed >= target;
    if (filled && (iterations === 1 || Math.abs(each / previous - 1) <= settled)) break;
    previous = filled ? each : Number.NaN;
    const wanted = each > 0 ? Math.ceil((target / each) * 1.05) : iterations * 10;
    iterations = Math.min(mostIterations, Math.max(1, Math.min(wanted, iterations * 10)));
    if (iterations === mostIterations) break;
  }
  return { iterations, elapsed };
}
