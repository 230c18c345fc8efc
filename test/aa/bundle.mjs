// The TypeScript of the product and of this folder, bundled when a series starts: what is judged is what src/ says now.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, stop } from 'esbuild';

export async function loadProduct() {
  const folder = mkdtempSync(join(tmpdir(), 'tailgate-aa-bundle-'));
  try {
    const outfile = join(folder, 'product.mjs');
    await build({
      entryPoints: [new URL('product.ts', import.meta.url).pathname],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'warning',
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
      },
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    // Its service process would run beside every gate.
    await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
