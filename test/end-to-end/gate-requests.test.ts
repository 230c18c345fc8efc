/** The gate on a service that wants a sign-in: feeds and templates reach both sides alike, and no secret is written down. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates as a user writes them.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Rig, tinyPlan } from './gate-rig.ts';

const password = 'hunter2-of-the-job';

/**
 * Signs in with a password and gives a token of its own; without it everything is refused. It says its token wherever
 * it can: in its output, in headers and in bodies. Which paths each process was asked for is left in a file.
 */
const signIn = `
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
const token = 'service-token-' + randomUUID();
console.log('my token is ' + token);
const paths = [];
process.on('SIGTERM', () => {
  appendFileSync(process.env.SEEN, JSON.stringify({ token, paths }) + '\\n');
  process.exit(0);
});
createServer((request, response) => {
  let body = '';
  request.on('data', (data) => { body += data; });
  request.on('end', () => {
    if (request.url === '/') return response.end('up');
    if (request.url === '/login') {
      const right = new URLSearchParams(body).get('password') === '${password}';
      response.statusCode = right ? 200 : 403;
      return response.end(JSON.stringify({ session: { token: right ? token : null } }));
    }
    response.statusCode = request.headers.authorization === 'Bearer ' + token ? 200 : 401;
    paths.push(request.method + ' ' + request.url + ' ' + body);
    response.setHeader('x-token', token);
    response.end(JSON.stringify({ item: request.url, password: '${password}', token }));
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

const config = `${tinyPlan}
start: node server.mjs
env: { SEEN: "\${SEEN}" }
scenarios:
  - rate: 300
    feed: { file: items.csv, order: random }
    session: { path: /login, form: { user: ann, password: "\${LOGIN_SECRET}" }, token: /session/token }
    auth: { bearer: "\${session}" }
    requests:
      - { path: "/items/\${feed.id}?n=\${counter}", weight: 3, expect: { json: { /item: never }, headers: { x-token: never } } }
      - { method: POST, path: "/items/\${uuid}", body: { name: "\${feed.name}", n: "\${random 1..1000}" } }
`;
const feed = `id,name\n${Array.from({ length: 40 }, (_, index) => `${index},"name ""${index}"""`).join('\n')}\n`;
const files = { 'server.mjs': signIn, 'tailgate.yml': config, 'items.csv': feed };

interface Seen {
  readonly token: string;
  readonly paths: readonly string[];
}

function* filesIn(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* filesIn(path);
    else yield path;
  }
}

test('both sides get the same requests behind their own sign-in, and no secret is in any output', async () => {
  using rig = new Rig({ baseline: files, candidate: { 'more.txt': 'x' } });
  const seenFile = join(rig.parent, 'seen.jsonl');
  process.env['SEEN'] = seenFile;
  process.env['LOGIN_SECRET'] = password;
  const run = await rig.run(
    'gate',
    '--baseline',
    'main',
    '--seed',
    '7',
    '--json',
    'verdict.json',
    '--verbose',
  );
  delete process.env['SEEN'];
  delete process.env['LOGIN_SECRET'];

  const seen = readFileSync(seenFile, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Seen);
  expect(seen.length).toBeGreaterThanOrEqual(2);
  expect(seen.length % 2).toBe(0);
  // Each round starts two processes: what one was asked for, the other was asked for in the same order, whichever
  // was first. Opening requests are the same many times.
  for (let index = 0; index < seen.length; index += 2) {
    const [one, other] = [seen[index]!, seen[index + 1]!].map(({ paths }) => [...paths].sort());
    expect(one!.length).toBeGreaterThan(400);
    expect(one).toEqual(other);
  }
  const posts = seen[0]!.paths.filter((path) => path.startsWith('POST'));
  expect(
    posts.some((path) => /^POST \/items\/[0-9a-f-]{36} \{"name":"name \\"\d+\\"","n":\d+\}$/.test(path)),
  ).toBe(true);

  // The failed checks were seen, with what came in place of what was wanted.
  const report = await rig.run('report', 'tailgate-evidence.json');
  expect(report.out).toMatch(
    /checks, candidate: \d+ of [\d,]+ answers were looked into \([\d.]+ %\); \d+ failed; `check header x-token`/,
  );
  expect(run.out.replace(/\s+/g, ' ')).toContain(
    '100 % or more of the answers that were looked into failed a check on both sides',
  );
  const evidence = readFileSync(join(rig.repository, 'tailgate-evidence.json'), 'utf8');
  expect(evidence).toContain('"check":"check header x-token","got":"***"');

  const secrets = [password, ...seen.map(({ token }) => token)];
  const outputs = [
    run.out,
    run.err,
    report.out,
    ...[...filesIn(rig.repository)]
      .filter((path) => !path.includes('.git/') && !/server\.mjs$/.test(path))
      .map((path) => readFileSync(path, 'utf8')),
  ];
  expect(outputs.length).toBeGreaterThan(5);
  for (const secret of secrets) expect(outputs.filter((text) => text.includes(secret))).toEqual([]);
});
