// The two commits of a job: the demo service, and a candidate that differs in a comment or by a planted slowdown.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `cpu=5%`, `cpu=9us`, `wait=2ms:2%`. @throws Error for any other form. */
export function readPlant(asked) {
  const cpu = /^cpu=(\d+(?:\.\d+)?)(%|us)$/.exec(asked);
  if (cpu !== null && Number(cpu[1]) > 0) {
    return cpu[2] === '%'
      ? { kind: 'cpu-share', asked, share: Number(cpu[1]) / 100 }
      : { kind: 'cpu', asked, microseconds: Number(cpu[1]) };
  }
  const wait = /^wait=(\d+(?:\.\d+)?)ms:(\d+(?:\.\d+)?)%$/.exec(asked);
  if (wait !== null && Number(wait[1]) > 0 && Number(wait[2]) > 0 && Number(wait[2]) <= 100) {
    return { kind: 'wait', asked, milliseconds: Number(wait[1]), every: Math.round(100 / Number(wait[2])) };
  }
  throw new Error(`--slow is "${asked}"; wanted cpu=5%, cpu=9us or wait=2ms:2%`);
}

/** What is planted, in words for the report. */
export function plantText(plant) {
  if (plant.kind === 'wait') {
    return `every ${plant.every}th request of the candidate is answered ${plant.milliseconds} ms later, by a timer`;
  }
  const of =
    plant.costMicroseconds === undefined
      ? ''
      : `, ${plant.asked.slice('cpu='.length)} of the ${plant.costMicroseconds.toFixed(0)} µs of CPU a request that the unchanged service took on this machine before the series`;
  return `the candidate spins ${plant.microseconds.toFixed(2)} µs more a request${of}`;
}

const render = '  const body = renderPage(page);';
const answer = '  response.end(body);';

/** server.mjs of the demo service with the slowdown in it. */
export function slowed(source, plant) {
  const [line, planted] =
    plant.kind === 'wait'
      ? [
          answer,
          `  count += 1;\n  if (count % ${plant.every} === 0) setTimeout(() => response.end(body), ${plant.milliseconds});\n  else response.end(body);`,
        ]
      : [
          render,
          `  const until = performance.now() + ${plant.microseconds / 1000};\n  while (performance.now() < until);\n${render}`,
        ];
  if (source.split(line).length !== 2) {
    throw new Error(
      `the demo service has no single line "${line.trim()}" any more: plant the slowdown elsewhere`,
    );
  }
  const changed = source.replace(line, planted);
  return plant.kind === 'wait'
    ? changed.replace('const server =', 'let count = 0;\nconst server =')
    : changed;
}

/** Makes the repository in `folder`; the candidate is checked out, `main` is the baseline. */
export function makeRepository({ cli, folder, plant }) {
  execFileSync(process.execPath, [cli, 'demo', '--same', '--make-repository', folder], { stdio: 'pipe' });
  if (plant === null) return;
  const file = join(folder, 'server.mjs');
  writeFileSync(file, slowed(readFileSync(file, 'utf8'), plant));
  const identity = [
    'user.name=A/B',
    'user.email=ab@example.invalid',
    'commit.gpgsign=false',
    'core.hooksPath=/dev/null',
  ];
  const settings = identity.flatMap((setting) => ['-c', setting]);
  execFileSync('git', [...settings, 'commit', '--quiet', '--all', '--message', 'Slow it down'], {
    cwd: folder,
    stdio: 'pipe',
  });
}
