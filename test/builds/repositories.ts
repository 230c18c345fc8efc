/** Real git repositories for tests: an origin as a server keeps it, and clones of it as people and workflows make them. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Nothing of this machine's git settings reaches a test. */
export const environment: Readonly<Record<string, string | undefined>> = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

const identity = [
  'user.name=Tester',
  'user.email=tester@example.com',
  'init.defaultBranch=main',
  'commit.gpgsign=false',
  'tag.gpgsign=false',
  'core.autocrlf=false',
].flatMap((setting) => ['-c', setting]);

export class Playground {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'builds-')));

  path(...parts: readonly string[]): string {
    return join(this.root, ...parts);
  }

  /** Everything again in a folder of its own, so that a test may change it. */
  copy(): Playground {
    const copy = new Playground();
    cpSync(this.root, copy.root, { recursive: true });
    return copy;
  }

  /** Runs git and gives its output, trimmed. */
  git(directory: string, ...args: readonly string[]): string {
    return execFileSync('git', [...identity, ...args], {
      cwd: directory,
      env: { ...environment },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }

  folder(name: string): string {
    const folder = this.path(name);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  repository(name: string): string {
    const folder = this.folder(name);
    this.git(folder, 'init', '--quiet');
    return folder;
  }

  /** Writes files, commits them, gives the hash. */
  commit(directory: string, message: string, files: Readonly<Record<string, string>> = {}): string {
    for (const [name, text] of Object.entries({ [`${message}.txt`]: message, ...files })) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), text);
    }
    this.git(directory, 'add', '--all');
    this.git(directory, 'commit', '--quiet', '-m', message);
    return this.git(directory, 'rev-parse', 'HEAD');
  }

  /** A bare copy that gives any commit by its hash, as GitHub does. */
  serve(source: string, name: string): string {
    const bare = this.path(name);
    this.git(this.root, 'clone', '--quiet', '--mirror', source, bare);
    this.git(bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    return bare;
  }

  /** What the default checkout of a workflow makes: one commit, detached, of a ref that is no branch. */
  checkout(bare: string, reference: string, name: string, depth = 1): string {
    const folder = this.repository(name);
    this.git(folder, 'remote', 'add', 'origin', `file://${bare}`);
    const here = reference
      .replace('refs/pull/', 'refs/remotes/pull/')
      .replace('refs/heads/', 'refs/remotes/origin/');
    const deep = depth === 0 ? [] : [`--depth=${depth}`];
    const all = depth === 0 ? ['+refs/heads/*:refs/remotes/origin/*'] : [];
    this.git(folder, 'fetch', '--quiet', '--no-tags', ...deep, 'origin', ...all, `+${reference}:${here}`);
    this.git(folder, 'checkout', '--quiet', '--detach', here);
    return folder;
  }

  shallow(directory: string): boolean {
    return this.git(directory, 'rev-parse', '--is-shallow-repository') === 'true';
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export interface Story {
  readonly work: string;
  readonly bare: string;
  /** Where the pull request left main. */
  readonly fork: string;
  /** The tip of main, with a commit of somebody else since. */
  readonly tip: string;
  /** The head of the pull request, two commits after `fork`. */
  readonly head: string;
  /** The trial merge of both: refs/pull/7/merge. */
  readonly merge: string;
}

/**
 * ```
 * first ── fork ─────────── tip     main
 *             \                \
 *              one ── head ──── merge   refs/pull/7/merge
 * ```
 */
export function tellStory(playground: Playground): Story {
  const work = playground.repository('work');
  playground.commit(work, 'first');
  const fork = playground.commit(work, 'fork', { 'server.js': 'slow' });
  playground.git(work, 'tag', '-a', '-m', 'release', 'v1.0.0');
  playground.git(work, 'checkout', '--quiet', '-b', 'feature');
  playground.commit(work, 'one');
  const head = playground.commit(work, 'head', { 'server.js': 'fast' });
  playground.git(work, 'checkout', '--quiet', 'main');
  const tip = playground.commit(work, 'tip');
  playground.git(work, 'checkout', '--quiet', '--detach');
  playground.git(work, 'merge', '--quiet', '--no-ff', '-m', 'trial', head);
  const merge = playground.git(work, 'rev-parse', 'HEAD');
  playground.git(work, 'update-ref', 'refs/pull/7/merge', merge);
  playground.git(work, 'update-ref', 'refs/pull/7/head', head);
  playground.git(work, 'checkout', '--quiet', 'feature');
  return { work, bare: playground.serve(work, 'origin.git'), fork, tip, head, merge };
}
