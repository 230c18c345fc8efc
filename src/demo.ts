/** Conductor of the demonstration: a temporary repository with a small real service, and the whole gate run on it. */
import { appendFileSync, cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from './kernel/command.ts';
import { TailgateError } from './kernel/errors.ts';
import { installationRoot } from './kernel/installation.ts';
import { secondsToNs } from './kernel/units.ts';

export interface DemoRepository {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Whether the candidate leaves the service's code as it is. */
  readonly same: boolean;
}

/** A fresh machine has no identity for commits, and a user's own hooks and signing must not take part. */
const ownIdentity = [
  ['user.name', 'Tailgate demo'],
  ['user.email', 'demo@example.invalid'],
  ['commit.gpgsign', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['init.defaultBranch', 'main'],
].flatMap(([key, value]) => ['-c', `${key}=${value}`]);

/**
 * Makes the repository: `main` holds the service, `candidate` (checked out) a planted slowdown or a harmless change.
 * @throws TailgateError `usage` when the folder is not empty or git is missing.
 */
export async function makeDemoRepository(demo: DemoRepository): Promise<void> {
  mkdirSync(demo.directory, { recursive: true });
  if (readdirSync(demo.directory).length > 0) {
    throw new TailgateError({
      code: 'usage',
      message: `${demo.directory} is not empty; the demo repository wants a folder of its own`,
      hint: 'name a folder that does not exist yet',
    });
  }
  const source = join(installationRoot(), 'examples', 'demo-service');
  cpSync(source, demo.directory, { recursive: true });
  const slower = join(demo.directory, 'catalogue.slower.mjs');
  const git = (...argv: string[]): Promise<void> => runGit(demo, argv);
  rmSync(slower);
  await git('init', '--quiet');
  await git('symbolic-ref', 'HEAD', 'refs/heads/main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Add the catalogue service');
  await git('checkout', '--quiet', '-b', 'candidate');
  if (demo.same) {
    appendFileSync(join(demo.directory, 'tailgate.yml'), '\n# A change that touches no code.\n');
  } else {
    cpSync(join(source, 'catalogue.slower.mjs'), join(demo.directory, 'catalogue.mjs'));
  }
  await git('add', '--all');
  const message = demo.same ? 'Comment the plan' : 'Copy the catalogue before sorting it';
  await git('commit', '--quiet', '--message', message);
}

async function runGit(demo: DemoRepository, argv: readonly string[]): Promise<void> {
  const result = await runCommand({
    command: ['git', ...ownIdentity, ...argv],
    cwd: demo.directory,
    env: withoutOuterRepository(demo.environment),
    timeout: secondsToNs(60),
    signal: demo.signal,
  });
  if (result.exit.kind === 'exited' && result.exit.code === 0) return;
  throw new TailgateError({
    code: 'usage',
    message:
      result.exit.kind === 'not-found'
        ? 'git is not installed'
        : `git ${argv[0]} failed in ${demo.directory}`,
    hint: 'the demo needs git 2.20 or later on the PATH',
    tail: result.tail,
  });
}

/** Inside a git hook these variables would point every command at the outer repository. */
function withoutOuterRepository(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('GIT_')));
}
