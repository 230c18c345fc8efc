/** A defect of the tool itself, while it measures: never the exit code of a regression, and nothing stays behind. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { Desk } from './terminal.ts';

test('an exception that nobody caught ends with 70, its text, and without worktrees, folders or processes', async () => {
  using desk = new Desk();
  const repository = join(desk.directory, 'repository');
  const temporary = join(desk.directory, 'tmp');
  for (const folder of [repository, temporary]) mkdirSync(folder);
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Rig', '-c', 'user.email=rig@example.invalid', ...args], {
      cwd: repository,
      encoding: 'utf8',
    });
  git('init', '--quiet', '--initial-branch=main');
  git('commit', '--quiet', '--allow-empty', '--message', 'Start');
  const bundle = join(desk.directory, 'cli.mjs');
  await build({
    entryPoints: [new URL('../../src/terminal.ts', import.meta.url).pathname],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    external: ['*/artifact.ts'],
    banner: {
      js: "import { createRequire as __own } from 'node:module'; const require = __own(import.meta.url);",
    },
  });
  // As a defect would: out of a callback, once the command runs.
  const defect = `
    import { existsSync } from 'node:fs';
    const looks = setInterval(() => {
      if (!existsSync(${JSON.stringify(join(desk.directory, 'runs'))})) return;
      clearInterval(looks);
      throw new Error('boom');
    }, 20);`;
  const command = `echo $$ > '${join(desk.directory, 'runs')}'; sleep 60`;
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      ...['--import', `data:text/javascript,${encodeURIComponent(defect)}`, bundle],
      ...['bench', '--baseline', 'HEAD', '--command', command],
    ],
    { cwd: repository, encoding: 'utf8', env: { ...process.env, TMPDIR: temporary }, timeout: 60_000 },
  );
  expect(stderr).toMatch(/this is a defect: Error: boom/);
  expect(status).toBe(70);
  expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
  expect(readdirSync(temporary).filter((name) => name.startsWith('tailgate'))).toEqual([]);
}, 90_000);
