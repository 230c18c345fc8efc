// From the start of the action's bundle to its first request under load, without what the user's own service takes.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { row, target } from './rigs.mjs';

const bundle = new URL('../../dist/action.js', import.meta.url).pathname;
const [runs, rate, warmUp] = [5, 1000, 200];
/** Sockets are opened by requests of their own, which are not measured. */
const opening = Math.max(4, Math.ceil(rate / 50));

/** Notes when it was started, when it was ready, and when each request came. */
const service = `
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const seen = { started: performance.timeOrigin, ready: null, requests: [] };
const now = () => performance.timeOrigin + performance.now();
createServer((request, response) => {
  if (request.url === '/ready') seen.ready ??= now();
  else seen.requests.push(now());
  response.end('ok');
}).listen(Number(process.env.PORT), '127.0.0.1');
process.once('SIGTERM', () => {
  writeFileSync(process.env.NOTES + '/' + process.pid + '.json', JSON.stringify(seen));
  process.exit(0);
});
`;
const plan = [
  'start: exec node server.mjs',
  'ready: { path: /ready }',
  `rate: ${rate}`,
  'slices: 4',
  'slice-requests: 50',
  'rounds: { aim: 7, least: 7, most: 7 }',
  'confirm: false',
  `warm-up: { requests: ${warmUp} }`,
  'comment: never',
].join('\n');

export async function actionStart() {
  const folder = mkdtempSync(join(tmpdir(), 'tailgate-bench-'));
  try {
    const repository = makeRepository(folder);
    const github = await answerComparisons(repository.fork);
    const all = [];
    for (let run = 0; run < runs; run++) all.push(await startOnce(folder, repository, github.url, run));
    github.server.close();
    const median = (pick) => all.map(pick).sort((one, other) => one - other)[runs >> 1];
    console.log(
      `action start: median of ${runs} jobs (pull request, one commit deep, merge-base by API and fetch)`,
    );
    row('without service start', {
      'to the first request, ms': median((one) => one.first - one.own),
      'to the first measured, ms': median((one) => one.measured - one.own),
      'of this warm-up, ms': median((one) => one.warmUp),
      'left out: service start, ms': median((one) => one.own),
    });
    const seconds = median((one) => one.measured - one.own - one.warmUp) / 1000;
    target(
      'action start to first measured request ≤ 2 s, without set-up, start and warm-up of the service',
      seconds,
      seconds <= 2,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startOnce(folder, repository, apiUrl, run) {
  const place = join(folder, `run-${run}`);
  const notes = join(place, 'notes');
  mkdirSync(notes, { recursive: true });
  const workspace = checkOut(place, repository);
  const event = join(place, 'event.json');
  const side = (sha, ref) => ({ sha, ref, repo: { full_name: 'acme/shop' } });
  const pull = { number: 7, head: side(repository.head, 'feature'), base: side(repository.tip, 'main') };
  writeFileSync(event, JSON.stringify({ number: 7, pull_request: pull }));
  const began = Date.now();
  const child = spawn(process.execPath, [bundle], {
    cwd: workspace,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NOTES: notes,
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_NAME: 'pull_request',
      GITHUB_EVENT_PATH: event,
      GITHUB_SHA: repository.merge,
      GITHUB_REPOSITORY: 'acme/shop',
      GITHUB_RUN_ID: '1',
      GITHUB_RUN_ATTEMPT: '1',
      GITHUB_API_URL: apiUrl,
      GITHUB_WORKSPACE: workspace,
      RUNNER_TEMP: place,
      INPUT_TOKEN: 'ghs_0123456789',
    },
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let log = '';
  child.stdout.on('data', (data) => {
    log += data;
    // The first round is all that is wanted.
    if (/^round 1 of/m.test(log)) child.kill('SIGINT');
  });
  await ended;
  const services = readdirSync(notes)
    .map((name) => JSON.parse(readFileSync(join(notes, name), 'utf8')))
    .filter(({ requests }) => requests.length > opening + warmUp)
    .sort((one, other) => one.started - other.started)
    .slice(0, 2);
  if (services.length < 2) throw new Error(`the first round was not measured:\n${log}`);
  const earliest = (pick) => Math.min(...services.map(pick));
  return {
    own: Math.max(...services.map(({ ready }) => ready)) - earliest(({ started }) => started),
    first: earliest(({ requests }) => requests[0]) - began,
    measured: earliest(({ requests }) => requests[opening + warmUp]) - began,
    warmUp:
      Math.max(...services.map(({ requests }) => requests[opening + warmUp - 1])) -
      earliest(({ requests }) => requests[opening]),
  };
}

function git(cwd, ...argv) {
  const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.invalid'];
  const options = ['-c', 'commit.gpgsign=false', '-c', 'init.defaultBranch=main'];
  return execFileSync('git', [...identity, ...options, ...argv], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

/** main with a commit since the fork, a pull request of one commit, and their trial merge. */
function makeRepository(folder) {
  const work = join(folder, 'work');
  mkdirSync(work);
  const commit = (name, text) => {
    writeFileSync(join(work, name), text);
    git(work, 'add', '--all');
    git(work, 'commit', '--quiet', '-m', name);
    return git(work, 'rev-parse', 'HEAD');
  };
  git(work, 'init', '--quiet');
  commit('server.mjs', service);
  const fork = commit('tailgate.yml', plan);
  git(work, 'checkout', '--quiet', '-b', 'feature');
  const head = commit('change.txt', 'a change');
  git(work, 'checkout', '--quiet', 'main');
  const tip = commit('other.txt', 'a change of somebody else');
  git(work, 'merge', '--quiet', '--no-ff', '-m', 'trial', head);
  const merge = git(work, 'rev-parse', 'HEAD');
  const bare = join(folder, 'origin.git');
  git(folder, 'clone', '--quiet', '--mirror', work, bare);
  git(bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  return { bare, fork, head, tip, merge };
}

function checkOut(place, { bare, merge }) {
  const workspace = join(place, 'workspace');
  mkdirSync(workspace);
  git(workspace, 'init', '--quiet');
  git(workspace, 'remote', 'add', 'origin', `file://${bare}`);
  git(workspace, 'fetch', '--quiet', '--depth=1', 'origin', `+${merge}:refs/remotes/pull/7/merge`);
  git(workspace, 'checkout', '--quiet', '--force', 'refs/remotes/pull/7/merge');
  return workspace;
}

/** As much of GitHub as a job asks for before it measures. */
async function answerComparisons(sha) {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ merge_base_commit: { sha } }));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}
