/**
 * Benchmark files written for another tool. They cannot be read as they are: `bench()` of vitest only exists inside its
 * runner and after its transforms, tinybench and mitata measure while the file loads. So such a file is recognised by
 * its text, before it could run beside what is measured.
 */

interface Tool {
  readonly name: string;
  /** What the file must do so that this command prints what is read, as a clause of its own; null: nothing. */
  readonly print: string | null;
  /** A command whose output can be read, and the format to give with it. */
  readonly command: string;
  readonly format: string;
}

const tools: Readonly<Record<string, Tool>> = {
  vitest: {
    name: 'vitest',
    print: null,
    command: 'npx vitest bench --run --outputJson out.json >/dev/null; cat out.json',
    format: 'vitest',
  },
  tinybench: {
    name: 'tinybench',
    print:
      'let the file print nothing but JSON, with `console.log(JSON.stringify(bench.table()))` after `bench.run()`',
    command: 'node FILE',
    format: 'tinybench',
  },
  mitata: {
    name: 'mitata',
    // All samples of a quick function are megabytes a benchmark.
    print: 'let the file print JSON, with `await run({ format: { json: { samples: false } } })`',
    command: 'node FILE',
    format: 'mitata',
  },
  benchmark: {
    name: 'benchmark.js',
    print:
      'let the file print each result, with `.on("cycle", (event) => console.log(String(event.target)))`',
    command: 'node FILE',
    format: 'benchmark-js',
  },
};

const imported = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*['"]([^'"]+)['"]/g;

/** Which tool a file is written for: one it imports; `unknown` when it calls `bench()` of nobody. */
function toolOf(text: string): Tool | 'unknown' | null {
  for (const [, from] of text.matchAll(imported)) {
    if (Object.hasOwn(tools, from!)) return tools[from!]!;
  }
  return /(?:^|[^.\w])(?:bench|benchmark)(?:\.\w+)*\s*\(\s*['"`]/.test(text) ? 'unknown' : null;
}

/** No word of it could export anything: there is no function in it, and running it would only measure by itself. */
export const exportsNothing = (text: string): boolean => !/\bexports?\b/.test(text);

/** What to do with a file that has no function of its own, as the end of a sentence about it. */
export function wayOut(text: string): string {
  const tool = toolOf(text);
  const own = 'every exported function is a benchmark, such as: export const parse = () => parseIt(text)';
  if (tool === null) return own;
  const [name, run] =
    tool === 'unknown'
      ? ['another tool', '--command with a command that prints its result file']
      : [
          tool.name,
          `--command "${tool.command}" --format ${tool.format}${tool.print === null ? '' : `; ${tool.print}`}`,
        ];
  return `files that call bench() of ${name} are not supported as they are, because it measures by itself. Export what bench() is given (${own}), run the tool (${run}), or leave the file out (--files)`;
}

/** Whether a file is written for another tool, as far as its text shows. */
export const isForeign = (text: string): boolean => toolOf(text) !== null;
