/** Conductor of where a workflow's job starts: in its checkout, in a repository below it, or in one of its own. */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';

export interface Start {
  /** Absolute; the repository is found from here, and so is the configuration file. */
  readonly directory: string;
  /** The project as seen from `directory`; empty for `directory` itself. */
  readonly workingDirectory: string;
  /** False for a repository outside of the workspace, where no checkout step can put one: no event is about it. */
  readonly ofEvent: boolean;
}

/**
 * A checkout step with `path:` puts the repository below the workspace, and `working-directory` then begins with that
 * path: the job starts in the innermost repository on the way from the project up to the workspace.
 * @param workspace GITHUB_WORKSPACE.
 * @param wanted the input `working-directory`; empty when it was not given.
 */
export function startIn(workspace: string, wanted: string): Start {
  const project = resolve(workspace, wanted);
  if (leaves(workspace, project)) {
    // Out of it by `..` is a slip, which the settings refuse; a whole path is meant.
    if (!isAbsolute(wanted)) return { directory: workspace, workingDirectory: wanted, ofEvent: true };
    return { directory: project, workingDirectory: '', ofEvent: false };
  }
  for (let place = project; place !== resolve(workspace); place = dirname(place)) {
    if (existsSync(join(place, '.git'))) {
      return { directory: place, workingDirectory: relative(place, project), ofEvent: true };
    }
  }
  return { directory: workspace, workingDirectory: relative(workspace, project), ofEvent: true };
}

function leaves(outer: string, inner: string): boolean {
  const way = relative(outer, inner);
  return way === '..' || way.startsWith('../') || isAbsolute(way);
}
