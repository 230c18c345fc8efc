/** The way out for files of other tools, tried with those tools. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readBenchmarks } from '../../src/microbench/adapters/read.ts';
import { wayOut } from '../../src/microbench/other-tools.ts';

const modules = new URL('../../node_modules', import.meta.url).pathname;

/** What a file prints, run as the way out says. */
function printed(file: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), 'other-'));
  try {
    symlinkSync(modules, join(folder, 'node_modules'));
    writeFileSync(join(folder, 'a.bench.mjs'), file);
    return execFileSync(process.execPath, ['a.bench.mjs'], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('the way out of a file of another tool', () => {
  test.each([
    [
      'tinybench',
      `import { Bench } from 'tinybench'; const bench = new Bench({ time: 5 }); bench.add('sum', () => 1 + 1); await bench.run();`,
      'console.table(bench.table());',
      /`(console\.log\(.*?\))` after/,
    ],
    ['mitata', `import { bench, run } from 'mitata'; bench('sum', () => 1 + 1);`, null, /`(await run\(.*?)`/],
  ] as const)(
    'makes %s print what is read',
    (format, file, usual, told) => {
      const why = wayOut(file);
      expect(why).toContain(`--command "node FILE" --format ${format}; let the file print`);
      const read = (end: string) =>
        readBenchmarks({ name: 'output', bytes: printed(`${file}\n${end}`) }, format).rows;
      // The text for people that such a file usually ends with.
      if (usual !== null) expect(() => read(usual)).toThrow(/no benchmark was read/);
      const [row, ...others] = read(told.exec(why)![1]!);
      expect([row?.name, row?.unit.normalised, others]).toEqual(['sum', 'ns', []]);
      expect(row?.value).toBeGreaterThan(0);
    },
    30_000,
  );
});
