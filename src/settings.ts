/** Conductor of the settings of a job: which folder, which file, and whose word counts. */
import { existsSync, realpathSync } from 'node:fs';
import { basename, isAbsolute, join, relative, resolve } from 'node:path';
import { readFileAt } from './builds/changes.ts';
import type { Git } from './builds/git.ts';
import type { Revisions } from './builds/revision.ts';
import type { Overrides } from './config/overrides.ts';
import { loadConfig, readConfig } from './config/read.ts';
import type { GateConfig } from './config/settings.ts';
import { trustedConfig } from './config/trust.ts';
import type { Warning } from './kernel/errors.ts';

export interface JobSettings {
  /** Where the job starts: `working-directory` of the configuration is relative to it. */
  readonly directory: string;
  readonly config: GateConfig;
  readonly warnings: readonly Warning[];
  /** What a reader should look for; the file need not exist. */
  readonly configFile: string;
  readonly trusted: (config: GateConfig, git: Git, revisions: Revisions) => Promise<GateConfig>;
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
  return {
    directory,
    config: loaded.config,
    warnings: loaded.warnings,
    configFile: loaded.file === null ? 'tailgate.yml' : basename(loaded.file),
    trusted: async (config, git, revisions) => {
      // By the names a job looks for, not by what the candidate has there: it may have removed or linked its file.
      const names = file === undefined ? ['tailgate.yml', 'tailgate.yaml'] : [file];
      for (const name of names) {
        const path = relative(realpathSync(git.directory), resolve(realpathSync(directory), name));
        const text = path.startsWith('..') ? null : await readFileAt(git, revisions.baseline.sha, path);
        if (text === null) continue;
        // A baseline that nobody asks to trust may be one that this release cannot read.
        if (config.trustConfig !== 'baseline' && !text.includes('trust-config')) return config;
        const source = `${path} of the baseline`;
        return trustedConfig(config, readConfig(text, { source, overrides, environment }).config);
      }
      return config;
    },
  };
}

/** The project's folder as seen from the root of the repository. */
export function projectIn(root: string, directory: string, workingDirectory: string): string {
  const project = relative(realpathSync(root), join(realpathSync(directory), workingDirectory));
  return project === '' ? '.' : project;
}

function hasConfig(directory: string): boolean {
  return ['tailgate.yml', 'tailgate.yaml'].some((name) => existsSync(join(directory, name)));
}
