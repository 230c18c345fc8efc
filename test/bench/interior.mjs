// Parts of the TypeScript, bundled when a bench starts: what is measured is what the sources say now.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, stop } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @param {string} exports TypeScript with paths from the root of the project
 * @param {Record<string, string>} entries file names of processes of their own → their sources
 * @returns the exports, as `inside`, and the `folder` where the entries are until `end`
 */
export async function interior(exports, entries = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tailgate-bench-'));
  const bundle = (entry, name) =>
    build({
      ...entry,
      outfile: join(folder, name),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
    });
  await bundle({ stdin: { contents: exports, resolveDir: root, loader: 'ts' } }, 'inside.mjs');
  for (const [name, source] of Object.entries(entries))
    await bundle({ entryPoints: [join(root, source)] }, name);
  // Its service process would run beside what is measured.
  await stop();
  const inside = await import(pathToFileURL(join(folder, 'inside.mjs')).href);
  return { inside, folder, end: () => rmSync(folder, { recursive: true, force: true }) };
}
