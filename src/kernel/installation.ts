/** Where this copy of Tailgate lies on disk, whether it runs from dist/ or from its sources. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TailgateError } from './errors.ts';

/** The folder that holds `action.yml`, found upwards from the running file. */
export function installationRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'action.yml'))) {
    const parent = dirname(folder);
    if (parent === folder) {
      throw new TailgateError({
        code: 'usage',
        message: 'this copy of Tailgate is not whole: there is no action.yml above its own file',
        hint: 'check out the repository again; dist/ does not run alone',
      });
    }
    folder = parent;
  }
  return folder;
}

/** A process entry point of its own, e.g. `generator.js`. */
export function builtFile(name: string): string {
  const path = join(installationRoot(), 'dist', name);
  if (!existsSync(path)) {
    throw new TailgateError({
      code: 'usage',
      message: `dist/${name} is missing`,
      hint: 'npm run build makes it',
    });
  }
  return path;
}
