/** Conductor of the settings of a job: which folder, which file, and whose word counts. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { readFileAt, readThroughLinks } from './builds/changes.ts';
import type { Git } from './builds/git.ts';
import type { Revisions } from './builds/revision.ts';
import { type Measured, measuredBy } from './config/measured.ts';
import type { Overrides } from './config/overrides.ts';
import { loadConfig, readConfig } from './config/read.ts';
import type { GateConfig } from './config/settings.ts';
import { trustedConfig } from './config/trust.ts';
import { messageOf, TailgateError, type Warning } from './kernel/errors.ts';

export interface JobSettings {
  /** Where the job starts: `working-directory` of the configuration is relative to it. */
  readonly directory: string;
  readonly config: GateConfig;
  readonly warnings: readonly Warning[];
  /** What a reader should look for; the file need not exist. */
  readonly configFile: string;
  readonly trusted: (config: GateConfig, git: Git, revisions: Revisions) => Promise<GateConfig>;
  /** What the baseline's file measures; null when it has none that can be read. */
  readonly measuredBefore: (git: Git, revisions: Revisions) => Promise<Measured | null>;
}

export interface SettingsRequest {
  /** Of the checkout, or the terminal's. */
  readonly directory: string;
  readonly file: string | undefined;
  readonly overrides: Overrides;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Reads the settings of a job. A `working-directory` given beside the file (input or flag) that holds a
 * tailgate.yml of its own, or is absolute, is where the job starts.
 * @throws TailgateError `usage` with every problem in one message.
 */
export function readJobSettings(request: SettingsRequest): JobSettings {
  const { file, environment } = request;
  const wanted = request.overrides['working-directory'] ?? '';
  const inside = resolve(request.directory, wanted);
  const starts = wanted !== '' && (isAbsolute(wanted) || (file === undefined && hasConfig(inside)));
  const directory = starts ? inside : request.directory;
  const overrides = starts ? { ...request.overrides, 'working-directory': '' } : request.overrides;
  const loaded = loadConfig({ directory, file, overrides, environment });
  const fileBefore = (git: Git, { baseline }: Revisions, read: Read = readFileAt) =>
    fileAt(git, baseline.sha, directory, file, read);
  return {
    directory,
    config: loaded.config,
    warnings: loaded.warnings,
    configFile: loaded.file === null ? 'tailgate.yml' : basename(loaded.file),
    trusted: async (config, git, revisions) => {
      const found = await fileBefore(git, revisions).catch(async (thrown: unknown) => {
        unlessUnreadable(thrown);
        const behind = await fileBefore(git, revisions, readThroughLinks);
        const asked =
          behind?.text.includes('trust-config') === true &&
          readConfig(behind.text, { source: behind.path, overrides, environment }).config.trustConfig;
        if (config.trustConfig === 'baseline' || asked === 'baseline') throw untrusted(thrown);
        return null;
      });
      // A baseline that nobody asks to trust may be one that this release cannot read.
      if (found === null || (config.trustConfig !== 'baseline' && !found.text.includes('trust-config')))
        return config;
      const source = `${found.path} of the baseline`;
      return trustedConfig(config, readConfig(found.text, { source, overrides, environment }).config);
    },
    measuredBefore: async (git, revisions) => {
      const found = await fileBefore(git, revisions).catch(unlessUnreadable);
      return found === null ? null : measuredBy(found.text, found.path, overrides);
    },
  };
}

type Read = (git: Git, sha: string, path: string) => Promise<string | null>;

/** Whoever trusts the baseline gets its word or no verdict at all. */
const untrusted = (thrown: unknown): TailgateError =>
  new TailgateError({
    code: 'usage',
    message: `\`trust-config: baseline\` needs the baseline's settings: ${messageOf(thrown)}`,
    hint: 'Merge the plain file first, in a change of its own, or name the file itself with `--config` (input `config`).',
    cause: thrown,
  });

/** By the names a job looks for, not by what the candidate has there: it may have removed or linked its file. */
async function fileAt(
  git: Git,
  sha: string,
  directory: string,
  file: string | undefined,
  read: Read,
): Promise<{ readonly path: string; readonly text: string } | null> {
  for (const name of file === undefined ? ['tailgate.yml', 'tailgate.yaml'] : [file]) {
    const path = relative(realpathSync(git.directory), resolve(realpathSync(directory), name));
    const text = path.startsWith('..') ? null : await read(git, sha, path);
    if (text !== null) return { path, text };
  }
  return null;
}

/** A link, or a file as large as none should be. */
function unlessUnreadable(thrown: unknown): null {
  if (thrown instanceof TailgateError && thrown.code === 'usage') return null;
  throw thrown;
}

/** The project's folder as seen from the root of the repository. */
export function projectIn(root: string, directory: string, workingDirectory: string): string {
  const project = relative(realpathSync(root), join(realpathSync(directory), workingDirectory));
  return project === '' ? '.' : project;
}

function hasConfig(directory: string): boolean {
  return ['tailgate.yml', 'tailgate.yaml'].some((name) => existsSync(join(directory, name)));
}
