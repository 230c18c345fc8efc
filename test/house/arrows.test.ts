/** The house stands as its plan says: arrows, doors, sizes and names of every file in src/. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  arrowProblem,
  clockWords,
  emptyName,
  importsOf,
  packageOf,
  roomOf,
  rooms,
  type SourceFile,
  shells,
  targetOf,
} from './scan.ts';

const root = new URL('../../', import.meta.url);
const files: readonly SourceFile[] = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .sort()
  .map((path) => ({ path, text: readFileSync(new URL(`src/${path}`, root), 'utf8') }));
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

const problemsOf = (problem: (file: SourceFile) => readonly (string | null)[]) =>
  files.flatMap(problem).filter((text) => text !== null);

test('there is something to check', () => {
  expect(files.length).toBeGreaterThan(10);
  expect(files.flatMap((file) => importsOf(file.text)).length).toBeGreaterThan(30);
});

describe('arrows', () => {
  test('a room imports values from the kernel and itself only, and types from rooms above it', () => {
    expect(problemsOf(({ path, text }) => importsOf(text).map((one) => arrowProblem(path, one)))).toEqual([]);
  });

  test('every import of a file names one that exists, with its .ts', () => {
    const known = new Set(files.map((file) => file.path));
    const missing = problemsOf(({ path, text }) =>
      importsOf(text).map((one) => {
        const target = targetOf(path, one.from);
        return target === null || known.has(target) ? null : `${path} imports ${one.from}`;
      }),
    );
    expect(missing).toEqual([]);
  });

  test('every folder is a room or one of shells', () => {
    const folders = new Set(files.map((file) => roomOf(file.path)).filter((room) => room !== null));
    expect([...folders].filter((room) => ![...rooms, ...shells].includes(room as 'kernel'))).toEqual([]);
  });

  test('the pure rooms import nothing of Node', () => {
    const pure = new Set<string | null>(['verdict', 'report', 'capacity']);
    const found = problemsOf(({ path, text }) =>
      importsOf(text).map((one) =>
        pure.has(roomOf(path)) && one.from.startsWith('node:') ? `${path} imports ${one.from}` : null,
      ),
    );
    expect(found).toEqual([]);
  });

  test('time and chance come from the kernel; only the sending of shots reads the clock itself', () => {
    const allowed = /^(kernel\/world|load\/(metronome|driver|closed-driver|sender|generator))\.ts$/;
    const found = problemsOf(({ path, text }) =>
      allowed.test(path) ? [] : clockWords(text).map((word) => `${path} uses ${word}`),
    );
    expect(found).toEqual([]);
  });
});

describe('doors', () => {
  const importers = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    for (const { from } of importsOf(text)) {
      const name = packageOf(from);
      if (name !== null) importers.set(name, (importers.get(name) ?? new Set()).add(path));
    }
  }

  test('each package is imported by one file, @actions/core by the action and the github room, zod by the schema', () => {
    const many = [...importers]
      .map(([name, paths]) => [name, [...paths].filter((path) => !mayShare(name, path))] as const)
      .filter(([name, paths]) => paths.length > (name === '@actions/core' ? 0 : 1));
    expect(many).toEqual([]);
  });

  test('each imported package is a dependency', () => {
    expect([...importers.keys()].filter((name) => manifest.dependencies[name] === undefined)).toEqual([]);
  });

  function mayShare(name: string, path: string): boolean {
    if (name === '@actions/core') return path === 'action.ts' || roomOf(path) === 'github';
    // One description of one file, in chapters.
    return name === 'zod' && path.startsWith('config/schema');
  }
});

describe('files', () => {
  test('stay under 300 lines', () => {
    const long = files
      .map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length }))
      .filter(({ lines }) => lines > 300);
    expect(long).toEqual([]);
  });

  test('have names that say what is inside', () => {
    expect(files.map((file) => file.path).filter((path) => emptyName.test(path))).toEqual([]);
  });

  test('open with a sentence on what they are for', () => {
    const silent = files.filter(({ text }) => !/^(#!.*\n)?\/\*\*\s*\S[\s\S]{15,}?\*\//.test(text));
    expect(silent.map((file) => file.path)).toEqual([]);
  });
});

describe('the scanner', () => {
  const arrow = (path: string, text: string) => importsOf(text).map((one) => arrowProblem(path, one));

  test.each([
    ['verdict/a.ts', "import { b } from '../evidence/store.ts';", 'imports values of evidence/store.ts'],
    [
      'load/a.ts',
      "import {\n  b,\n  type C,\n} from '../config/plan.ts';",
      'imports values of config/plan.ts',
    ],
    ['load/a.ts', "import type { B } from '../verdict/finding.ts';", 'a room below it'],
    ['report/a.ts', "import { run } from '../gate.ts';", 'no room imports a shell'],
    ['report/a.ts', "import type { Command } from '../commands/command.ts';", 'no room imports a shell'],
    ['kernel/a.ts', "export * from '../load/protocol.ts';", 'imports values of load/protocol.ts'],
    ['github/a.ts', "const a = await import('../report/view.ts');", 'imports values of report/view.ts'],
    [
      'load/driver.ts',
      "import { a } from '../evidence/histogram.ts';",
      'imports values of evidence/histogram.ts',
    ],
    ['service/a.ts', "import '../load/sender.ts';", 'imports values of load/sender.ts'],
    [
      'microbench/adapters/a.ts',
      "import { b } from '../../load/sender.ts';",
      'imports values of load/sender.ts',
    ],
  ])('finds the forbidden arrow of %s in %j', (path, text, problem) => {
    expect(arrow(path, text)).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    ['verdict/a.ts', "import { b } from '../kernel/units.ts';"],
    ['verdict/a.ts', "import { b } from '../evidence/histogram.ts';"],
    ['load/generator.ts', "import { b } from '../evidence/histogram.ts';"],
    ['verdict/a.ts', "import type { B } from '../evidence/trial.ts';"],
    ['verdict/a.ts', "import { b } from './statistics.ts';"],
    ['microbench/adapters/a.ts', "import { b } from '../samples.ts';"],
    ['commands/gate.ts', "import { b } from '../report/view.ts';"],
    ['gate.ts', "import { b } from './report/view.ts';"],
  ])('lets the arrow of %s in %j stand', (path, text) => {
    expect(arrow(path, text)).toEqual([null]);
  });

  test('passes over what only looks like an import', () => {
    expect(
      importsOf("// import { a } from 'zod';\n/* import 'zod' */\nconst text = `\nnothing from 'zod'`;"),
    ).toEqual([]);
  });

  test('knows packages by their name', () => {
    expect(['@actions/core/lib/x.js', 'yaml/util', 'node:fs', './a.ts'].map(packageOf)).toEqual([
      '@actions/core',
      'yaml',
      null,
      null,
    ]);
  });

  test('finds clocks in code, not in comments or on sockets', () => {
    const text = 'Date.now(); Math.random(); setTimeout(f, 1); socket.setTimeout(5); // performance.now()';
    expect(clockWords(text)).toEqual(['Date.now', 'Math.random', 'setTimeout']);
  });

  test.each(['load/index.ts', 'utils/a.ts', 'load/utils.ts', 'report/table-helpers.ts', 'kernel/common.ts'])(
    'finds the empty name in %s',
    (path) => {
      expect(emptyName.test(path)).toBe(true);
    },
  );
});
