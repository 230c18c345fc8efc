/** What a set-up request draws: the same for both sides of a round, something else in the next round and by another seed. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates as a user writes them.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import type { BothServices, RoundJob } from '../../src/job.ts';
import { sides } from '../../src/kernel/words.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { openSessions, prepareShots } from '../../src/shots.ts';

let server: Server;
let asked: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url!);
    response.end(JSON.stringify({ token: `given-${asked.length}` }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());

const { config } = readConfig(
  'start: x\nscenarios: [{ session: { path: "/up/${uuid}/${random 1..1000000}", token: /token }, auth: { bearer: "${session}" } }]\n',
  { source: 'tailgate.yml', overrides: {}, environment: {} },
);

/** The paths that the sides of one round asked for. */
async function roundOf(seed: number, round: number, secrets = new Set<string>()): Promise<readonly string[]> {
  const target = { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, host: null };
  const services = Object.fromEntries(
    sides.map((side) => [side, { side, target }]),
  ) as unknown as BothServices['services'];
  const prepared = prepareShots(config, '.', {}, () => 10);
  asked = [];
  const random = seededRandom(seed).fork('conductor');
  const sessions = await openSessions({ config, prepared, random, secrets } as RoundJob, round, services);
  const { baseline, candidate } = sessions.get('default')!;
  expect([baseline, candidate].sort()).toEqual(['given-1', 'given-2']);
  return asked;
}

test('both sides of a round ask for the same, rounds and seeds for something else', async () => {
  const secrets = new Set<string>();
  const first = await roundOf(7, 0, secrets);
  expect(first).toEqual([first[0], first[0]]);
  expect([...secrets]).toEqual(['given-1', 'given-2']);
  const [second, otherSeed] = [await roundOf(7, 1), await roundOf(8, 0)];
  expect(second).toEqual([second[0], second[0]]);
  const parts = [first, second, otherSeed].map(([path]) => path!.split('/').slice(2));
  for (const part of [0, 1]) expect(new Set(parts.map((one) => one[part])).size).toBe(3);
  // A job with the same seed asks for the same again.
  expect(await roundOf(7, 1)).toEqual(second);
});
