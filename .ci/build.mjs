/** Builds dist/: one bundle an entry point, fixed file names, nothing left over from an earlier build. */
import { readFileSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

rmSync(`${root}dist`, { recursive: true, force: true });

await build({
  absWorkingDir: root,
  entryPoints: {
    action: 'src/main.ts',
    post: 'src/post.ts',
    cli: 'src/terminal.ts',
    generator: 'src/load/generator.ts',
    responder: 'src/load/responder.ts',
    front: 'src/service/front.ts',
    'microbench-child': 'src/microbench/child.ts',
    artifact: 'src/github/artifact.ts',
  },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  legalComments: 'none',
  plugins: [
    {
      // The artifact client is large and only loaded when there is something to upload: a bundle of its own.
      name: 'artifact-stays-apart',
      setup(bundler) {
        bundler.onResolve({ filter: /\/artifact\.ts$/ }, (args) =>
          args.kind === 'dynamic-import' ? { path: './artifact.js', external: true } : undefined,
        );
      },
    },
  ],
  define: { 'process.env["TAILGATE_VERSION"]': JSON.stringify(version) },
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
