/** Builds the generator's entry point into one file of a temporary folder, as the build does for dist/. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface BundledGenerator extends AsyncDisposable {
  readonly entry: string;
}

const banner =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

export async function bundleGenerator(): Promise<BundledGenerator> {
  const folder = await mkdtemp(join(tmpdir(), 'tailgate-generator-'));
  const entry = join(folder, 'generator.mjs');
  await build({
    entryPoints: [new URL('../../src/load/generator.ts', import.meta.url).pathname],
    outfile: entry,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: banner },
    logLevel: 'error',
  });
  return {
    entry,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
