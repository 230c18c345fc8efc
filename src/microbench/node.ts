/** Which Node runs the benchmarks: the project's own, found on its PATH, with what it needs to run TypeScript. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runCommand } from '../kernel/command.ts';
import { TailgateError } from '../kernel/errors.ts';
import { secondsToNs } from '../kernel/units.ts';

export interface BenchNode {
  readonly path: string;
  /** `v24.4.1` */
  readonly version: string;
  readonly options: readonly string[];
}

/**
 * The `node` of the environment's PATH: a runner's action has a Node of its own, and native modules are built for the
 * project's. Our own where there is none.
 * @throws TailgateError `usage` when it does not run, or is too old to load benchmark files.
 */
export async function findNode(
  env: Readonly<Record<string, string | undefined>>,
  directory: string,
): Promise<BenchNode> {
  const path = onPath('node', env['PATH']) ?? process.execPath;
  const { exit, stdout, tail } = await runCommand({
    command: [path, '--print', 'process.version'],
    cwd: directory,
    env,
    timeout: secondsToNs(30),
  });
  const version = /^v(\d+)\.(\d+)\.\d+/m.exec(stdout);
  if (exit.kind !== 'exited' || exit.code !== 0 || version === null) {
    throw new TailgateError({
      code: 'usage',
      message: `${path} does not tell its version`,
      hint: 'benchmark files are run by the node of PATH; set up Node before this step',
      tail,
    });
  }
  const [major, minor] = [Number(version[1]), Number(version[2])];
  if (major < 18) {
    throw new TailgateError({
      code: 'usage',
      message: `${path} is Node ${version[0]}; benchmark files want Node 18 or later`,
    });
  }
  return { path, version: version[0], options: typeOptions(major, minor) };
}

/** Node removes types by itself from 22.18 and 23.6 on, and when told from 22.6 on. */
export function typeOptions(major: number, minor: number): readonly string[] {
  const told = (major === 22 && minor >= 6 && minor < 18) || (major === 23 && minor < 6);
  return told ? ['--experimental-strip-types'] : [];
}

function onPath(name: string, path: string | undefined): string | null {
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  for (const folder of (path ?? '').split(delimiter)) {
    if (folder === '') continue;
    try {
      accessSync(join(folder, file), constants.X_OK);
      return join(folder, file);
    } catch {
      // Not here.
    }
  }
  return null;
}
