/** Writes tailgate.schema.json from src/config/schema.ts, bundled in memory: Node 20 reads no TypeScript. */
import { writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;
const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ['src/config/schema.ts'],
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  target: 'node20',
});
const code = Buffer.from(outputFiles[0].contents).toString('base64');
const { configJsonSchema } = await import(`data:text/javascript;base64,${code}`);
writeFileSync(`${root}tailgate.schema.json`, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
