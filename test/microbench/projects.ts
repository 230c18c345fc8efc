/** Two folders with benchmark files and the real child, bundled as the build does it, for tests with real processes. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { secondsToNs } from '../../src/kernel/units.ts';
import { type Side, sides } from '../../src/kernel/words.ts';
import { realClock } from '../../src/kernel/world.ts';
import { benchFiles } from '../../src/microbench/files.ts';
import type { FunctionJob } from '../../src/microbench/pair.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

export class Projects implements Disposable {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'projects-')));

  write(side: Side, files: Files): void {
    for (const [name, content] of Object.entries(files)) {
      const path = join(this.folder, side, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }

  /** The same files on both sides, but for those given for one. */
  both(files: Files, candidate: Files = {}): this {
    this.write('baseline', files);
    this.write('candidate', { ...files, ...candidate });
    return this;
  }

  async job(more: Partial<FunctionJob> = {}): Promise<FunctionJob> {
    const entry = join(this.folder, 'microbench-child.mjs');
    await build({
      entryPoints: [new URL('../../src/microbench/child.ts', import.meta.url).pathname],
      outfile: entry,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      logLevel: 'error',
    });
    const files = Object.fromEntries(
      sides.map((side) => {
        mkdirSync(join(this.folder, side), { recursive: true });
        return [side, benchFiles(join(this.folder, side), (file) => /\.bench\.(js|mjs|ts|mts)$/.test(file))];
      }),
    ) as unknown as FunctionJob['files'];
    return {
      entry,
      node: process.execPath,
      nodeOptions: [],
      directories: { baseline: join(this.folder, 'baseline'), candidate: join(this.folder, 'candidate') },
      files,
      env: { PATH: process.env['PATH'] },
      patience: secondsToNs(20),
      mask: (text) => text,
      clock: realClock,
      signal: new AbortController().signal,
      ...more,
    };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
