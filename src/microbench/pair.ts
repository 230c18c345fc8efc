/** Both sides' processes, loaded together: what one round of functions is measured in. */
import { join } from 'node:path';
import type { Leftover } from '../kernel/leftovers.ts';
import type { Mask } from '../kernel/masking.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { otherSide, type Side, sides } from '../kernel/words.ts';
import type { Clock } from '../kernel/world.ts';
import type { TellWaiting } from './patience.ts';
import type { FunctionName } from './protocol.ts';
import { SideProcess } from './side-process.ts';

export interface FunctionJob {
  /** The bundled `microbench-child.js`. */
  readonly entry: string;
  /** The Node that runs the benchmarks, and options it needs beside our own. */
  readonly node: string;
  readonly nodeOptions: readonly string[];
  /** The project of each side. */
  readonly directories: Readonly<Record<Side, string>>;
  /** Benchmark files of each side, relative. */
  readonly files: Readonly<Record<Side, readonly string[]>>;
  /** The whole environment of the processes. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long one order may take. */
  readonly patience: Nanoseconds;
  /** How long finding all functions may take once one has not ended; null: as long as it takes. */
  readonly finding?: Nanoseconds | null;
  readonly onWait?: TellWaiting;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly ledger?: { add(entry: Leftover): void; remove(entry: Leftover): void };
  /** Takes secrets out of every name and every reason. */
  readonly mask: Mask;
}

/** What loading found on one side. */
export interface Loaded {
  readonly benchmarks: readonly FunctionName[];
  /** Files that cannot be used, and why. */
  readonly problems: ReadonlyMap<string, string>;
}

export interface Pair extends AsyncDisposable {
  readonly processes: Readonly<Record<Side, SideProcess>>;
  readonly loaded: Readonly<Record<Side, Loaded>>;
}

/** Each process ends the other's warmth soonest when nothing else of ours runs: one heap, collected only when told. */
const ownOptions = ['--expose-gc'];

/**
 * Starts a process a side in the drawn order and loads the files in turns.
 * @throws TailgateError `service-failed` when a process does not start, `cancelled`; nothing is left then.
 */
export async function openPair(
  job: FunctionJob,
  first: Side,
  files: Readonly<Record<Side, readonly string[]>> = job.files,
): Promise<Pair> {
  const started = new Map<Side, SideProcess>();
  const end = async (): Promise<void> => {
    await Promise.all([...started.values()].map((one) => one[Symbol.asyncDispose]()));
  };
  const spawn = async (side: Side): Promise<void> => {
    const process = new SideProcess({
      ...job,
      side,
      directory: job.directories[side],
      nodeOptions: [...ownOptions, ...job.nodeOptions],
    });
    started.set(side, process);
    await process.ready();
  };
  const respawn = async (side: Side): Promise<void> => {
    await started.get(side)?.[Symbol.asyncDispose]();
    await spawn(side);
  };
  try {
    const order = [first, otherSide(first)] as const;
    for (const side of order) await spawn(side);
    const loaded: Partial<Record<Side, Loaded>> = {};
    for (const side of order) {
      loaded[side] = await load(
        () => started.get(side)!,
        () => respawn(side),
        job.directories[side],
        files[side],
      );
    }
    return {
      processes: { baseline: started.get('baseline')!, candidate: started.get('candidate')! },
      loaded: { baseline: loaded.baseline!, candidate: loaded.candidate! },
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end().catch(() => undefined);
    throw error;
  }
}

/** A file that ends the process is left out of the next one; the others are loaded again. */
async function load(
  process: () => SideProcess,
  respawn: () => Promise<void>,
  directory: string,
  files: readonly string[],
): Promise<Loaded> {
  const problems = new Map<string, string>();
  for (;;) {
    const benchmarks: FunctionName[] = [];
    let crashed = false;
    for (const file of files.filter((one) => !problems.has(one))) {
      const answer = await process().ask({ kind: 'load', file, path: join(directory, file) });
      if (answer.kind === 'loaded') benchmarks.push(...answer.benchmarks.map((name) => ({ file, name })));
      if (answer.kind !== 'problem') continue;
      problems.set(file, `the file ${answer.reason.replace(/^threw: /, 'cannot be used: ')}`);
      if (!answer.gone) continue;
      crashed = true;
      break;
    }
    if (!crashed) return { benchmarks, problems };
    await respawn();
  }
}

export interface Finished {
  /** What went wrong in a `teardown`: told, and nothing fails by it. */
  readonly warnings: readonly string[];
  /** Files whose `teardown` never ended, and why their benchmarks are given up: it would be waited for every round. */
  readonly hung: ReadonlyMap<string, { readonly sides: readonly Side[]; readonly reason: string }>;
}

/** Runs every `teardown`. */
export async function finishPair(pair: Pair): Promise<Finished> {
  const warnings: string[] = [];
  const hung = new Map<string, { readonly sides: readonly Side[]; readonly reason: string }>();
  for (const side of sides) {
    for (const file of new Set(pair.loaded[side].benchmarks.map((one) => one.file))) {
      const answer = await pair.processes[side].ask({ kind: 'finish', file });
      if (answer.kind !== 'problem') continue;
      if (!answer.gone) warnings.push(`teardown of the ${side} ${answer.reason}`);
      if (answer.hung === true) {
        const known = hung.get(file)?.sides ?? [];
        hung.set(file, { sides: [...known, side], reason: `its teardown ${answer.reason}` });
      }
      if (answer.gone) break;
    }
  }
  return { warnings, hung };
}
