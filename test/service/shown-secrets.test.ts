/** What a service printed before it ended is shown without the secrets it was given or gave out. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates as a user writes them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measureAlone } from '../../src/alone.ts';
import { buildBoth } from '../../src/both-builds.ts';
import { openRepository } from '../../src/builds/git.ts';
import { createWorktrees } from '../../src/builds/worktree.ts';
import { readConfig } from '../../src/config/read.ts';
import type { GateConfig } from '../../src/config/settings.ts';
import { TailgateError } from '../../src/kernel/errors.ts';
import { openLedger } from '../../src/kernel/leftovers.ts';
import { maskValues } from '../../src/kernel/masking.ts';
import { secondsToNs } from '../../src/kernel/units.ts';
import { realClock, seededRandom } from '../../src/kernel/world.ts';
import type { GateEvent } from '../../src/live.ts';
import { maskedResult, shotsOf } from '../../src/ramp-of-config.ts';
import { type PairJob, runPair } from '../../src/ramp-pair.ts';
import { withService } from '../../src/ramp-service.ts';
import { secretsOf } from '../../src/shots.ts';
import { Playground, environment as plain } from '../builds/repositories.ts';
import { sampleResult } from '../capacity/sample-result.ts';

const password = 'pw-of-the-load';
const environment = { ...plain, LOAD_PW: password };

/** Prints what it was given and what it gives out, and ends: at once, or after the first sign-in. */
const server = `
import { createServer } from 'node:http';
const token = 'given-' + 'out-' + process.pid;
if (process.env.AT_ONCE) {
  console.error('password is ' + process.env.LOAD_PW);
  process.exit(1);
}
createServer((request, response) => {
  response.setHeader('connection', 'close');
  if (request.url !== '/login') return response.end('ok');
  response.once('close', () => {
    console.error('password is ' + process.env.LOAD_PW + ', token is ' + token);
    process.exit(1);
  });
  response.end(JSON.stringify({ token }));
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

let playground: Playground;
let directory: string;
beforeAll(() => {
  playground = new Playground();
  directory = playground.repository('project');
  playground.commit(directory, 'First', { 'server.mjs': server });
});
afterAll(() => playground.remove());

const configOf = (more = ''): GateConfig =>
  readConfig(
    `start: exec node server.mjs\n${more}scenarios: [{ session: { path: /login, token: /token }, auth: { basic: { user: ann, password: "\${LOAD_PW}" } }, requests: [{ headers: { x-of: "\${session}" } }] }]\n`,
    { source: 'tailgate.yml', overrides: {}, environment },
  ).config;

const jobOf = () => ({
  directory,
  environment,
  clock: realClock,
  signal: new AbortController().signal,
  ledger: openLedger(playground.path('leftovers.jsonl')),
  random: seededRandom('shown'),
});

/** Everything a reader sees of the error that it ends with. */
async function shown(attempt: () => Promise<unknown>): Promise<string> {
  try {
    await attempt();
  } catch (thrown) {
    if (thrown instanceof TailgateError) return [thrown.message, ...thrown.tail].join('\n');
    throw thrown;
  }
  throw new Error('nothing went wrong');
}

describe('a ramp of a configuration', () => {
  test('masks what the service was given when it does not start', async () => {
    const config = configOf('env: { AT_ONCE: "1" }\n');
    const secrets = new Set(secretsOf(environment, config));
    const text = await shown(() => withService({ ...jobOf(), secrets }, config, async () => undefined));
    expect(text).toContain('password is ***');
    expect(text).not.toContain(password);
  });

  test('masks the session that it gave out', async () => {
    const config = configOf();
    const secrets = new Set(secretsOf(environment, config));
    const job = { ...jobOf(), secrets };
    const text = await shown(() =>
      withService(job, config, async ({ service }) => {
        const round = { index: 0, secrets };
        await shotsOf({ directory, environment, seed: 1 }, config, config.scenarios[0]!, service, round);
        await service.exited;
        service.throwIfExited();
      }),
    );
    expect(text).toContain('password is ***, token is ***');
  });

  test('masks the last words of a service, and why it was stopped', () => {
    const result = sampleResult(undefined, {
      stopped: { by: 'failure', why: `it said ${password}` },
      death: { duringRate: 1, afterRequests: 1, how: null, lastWords: ['out', `of ${password}`] },
    });
    const { stopped, death } = maskedResult(result, maskValues([password]));
    expect([stopped?.why, death?.lastWords]).toEqual(['it said ***', ['out', 'of ***']]);
  });
});

test('a comparison of two capacities masks its errors', async () => {
  const job = { ...jobOf(), config: configOf(), baseline: `no-${password}` };
  // Ends before anything is built or sent.
  const rest = { settings: { seed: 1 }, tell: () => undefined } as unknown as PairJob;
  const text = await shown(() => runPair({ ...rest, ...job, situation: { kind: 'local' } }));
  expect(text).toContain('no-***');
  expect(text).not.toContain(password);
});

test('lines of set-up are masked as they are told', async () => {
  const { signal, ledger } = jobOf();
  const git = await openRepository({ directory, environment, signal });
  const sha = await git.run(['rev-parse', 'HEAD']);
  await using worktrees = await createWorktrees({
    git,
    revisions: { baseline: { sha }, candidate: { sha } },
    names: { baseline: 'tree-1', candidate: 'tree-2' },
    ledger,
    submodules: false,
    lfs: false,
  });
  const lines: string[] = [];
  const tell = (event: GateEvent) => {
    if (event.kind === 'output') lines.push(event.line);
  };
  const config = configOf('setup: echo "password is $LOAD_PW"\n');
  await buildBoth({ environment, signal, tell }, config, git, worktrees, 1);
  expect(lines).toEqual(['password is ***', 'password is ***']);
});

test('a candidate that is measured alone masks what it printed', async () => {
  const config = { ...configOf('env: { AT_ONCE: "1" }\n'), startTimeout: secondsToNs(20) };
  const text = await shown(() => measureAlone(jobOf(), config));
  expect(text).toContain('password is ***');
  expect(text).not.toContain(password);
});
