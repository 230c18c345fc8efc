// Results of runs, one JSON line each: the last line of a row counts.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export function openStore(folder) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'results.jsonl');
  return {
    file,
    add: (result) => appendFileSync(file, `${JSON.stringify(result)}\n`),
    /** By id. A line that a crash cut off is passed over. */
    read: () => new Map((existsSync(file) ? readFileSync(file, 'utf8') : '').split('\n').flatMap(parsed)),
  };
}

function parsed(text) {
  try {
    const result = JSON.parse(text);
    return [[result.id, result]];
  } catch {
    return [];
  }
}
