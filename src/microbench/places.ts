/** Where in which file an error of loading comes from. */
import { spawnSync } from 'node:child_process';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Of loading the file again, ms. */
const patience = 5000;

/**
 * @param path of the file that was loaded.
 * @returns `parse.js:12`, relative to the working directory; null where nothing tells.
 */
export function placeOf(error: unknown, path: string): string | null {
  if (!(error instanceof Error)) return null;
  const stack = error.stack ?? '';
  return headOf(stack) ?? frameOf(stack) ?? (error instanceof SyntaxError ? askedAgain(path) : null);
}

/** What Node writes above the line of code that it quotes. */
function headOf(text: string): string | null {
  const found = /^(file:\/\/\S+|\/.+|[A-Za-z]:\\.+):(\d+)$/m.exec(text);
  return found === null ? null : shown(found[1]!, found[2]!);
}

function frameOf(stack: string): string | null {
  for (const line of stack.split('\n')) {
    const found = /^\s+at (?:.*\()?(file:\/\/[^)]+?|\/[^)]+?|[A-Za-z]:\\[^)]+?):(\d+):\d+\)?$/.exec(line);
    if (found === null) continue;
    // The frames below are ours, which asked for the file.
    return found[1]!.includes('microbench-child') ? null : shown(found[1]!, found[2]!);
  }
  return null;
}

/**
 * The place of a syntax error in a module is told to nobody but standard error, when nobody catches it: another Node
 * is asked, which comes no further than this one did.
 */
function askedAgain(path: string): string | null {
  const { stderr } = spawnSync(
    process.execPath,
    [...process.execArgv, '--input-type=module', '-e', `import ${JSON.stringify(pathToFileURL(path).href)};`],
    { encoding: 'utf8', timeout: patience, killSignal: 'SIGKILL', stdio: ['ignore', 'ignore', 'pipe'] },
  );
  return typeof stderr === 'string' && /^SyntaxError/m.test(stderr) ? headOf(stderr) : null;
}

function shown(file: string, line: string): string {
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  return `${relative(process.cwd(), path).replaceAll('\\', '/')}:${line}`;
}
