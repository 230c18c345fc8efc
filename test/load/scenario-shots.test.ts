/** What a slice sends: the same for both sides, rows in their order, within bounds. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates as a user writes them.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/read.ts';
import { bytes, perSecond } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { type DrawOrder, ScenarioShots } from '../../src/load/scenario-shots.ts';
import { planSchedule } from '../../src/load/schedule.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tailgate-shots-'));
  mkdirSync(join(root, 'project'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
const write = (name: string, content: string) => writeFileSync(join(root, 'project', name), content);

/** A scenario as the file says it, and so many counted shots. */
function shotsOf(scenario: string, shots = 100, variables: Record<string, string> = {}): ScenarioShots {
  const { config } = readConfig(`start: x\nscenarios:\n  - ${scenario}\n`, {
    source: 'tailgate.yml',
    overrides: {},
    environment: variables,
  });
  const limits = { path: bytes(8000), body: bytes(1024 * 1024) };
  return new ScenarioShots(config.scenarios[0]!, {
    directory: join(root, 'project'),
    variables,
    shots,
    limits,
  });
}

function order(
  from: ScenarioShots,
  change: Partial<DrawOrder> & { readonly shots?: number } = {},
): DrawOrder {
  const random = seededRandom('slice');
  const shape = { rate: perSecond(100), arrivals: 'constant', leadIn: 0, weights: from.weights } as const;
  return {
    schedule: planSchedule({ ...shape, extent: { kind: 'count', shots: change.shots ?? 20 } }, random),
    random,
    slot: 'a',
    purpose: 'measured',
    session: null,
    ...change,
  };
}

/** The paths in the order in which they are sent. */
function paths(from: ScenarioShots, change: Parameters<typeof order>[1] = {}): readonly string[] {
  const { requests, schedule } = from.draw(order(from, change));
  return Array.from(schedule.sequence, (index) => requests[index]!.path);
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `/${from + index}`);

describe('both sides of a pair', () => {
  test('get the same requests, the next pair goes on where the first one ended', () => {
    write('rows.csv', `id\n${Array.from({ length: 50 }, (_, index) => `r${index}`).join('\n')}\n`);
    const shots = shotsOf(
      '{ feed: { file: rows.csv }, requests: [{ path: "/${feed.id}/${counter}/${uuid}", weight: 3 }, { path: /plain }] }',
    );
    const first = paths(shots);
    expect(paths(shots)).toEqual(first);
    const next = paths(shots, { slot: 'b' });
    const rowsOf = (list: readonly string[]) =>
      list.filter((path) => path !== '/plain').map((path) => path.split('/')[1]);
    const taken = rowsOf(first).length;
    expect(rowsOf([...first, ...next])).toEqual(
      Array.from({ length: 2 * taken }, (_, index) => `r${index % 50}`),
    );
    expect(taken).toBeGreaterThan(8);
    expect(taken).toBeLessThan(20);
    expect(next.find((path) => path !== '/plain')!.split('/')[2]).toMatch(/^2\d$/);
  });

  test('count on in warm-up where the counted shots of the job end: no number comes twice on a side', () => {
    const shots = shotsOf('{ requests: [{ path: "/${counter}" }] }', 40);
    expect(paths(shots, { slot: 'w', purpose: 'warm-up' })).toEqual(numbers(41, 61));
    expect(paths(shots, { slot: 'a' })).toEqual(numbers(1, 21));
    expect(paths(shots, { slot: 'v', purpose: 'warm-up' })).toEqual(numbers(61, 81));
    expect(paths(shots, { slot: 'b' })).toEqual(numbers(21, 41));
  });

  test('differ in their session alone', () => {
    const shots = shotsOf(
      '{ session: { path: /login, token: /t }, auth: { bearer: "${session}" }, requests: [{ path: "/${uuid}" }] }',
    );
    const [one, other] = ['s-one', 's-other'].map((session) => shots.draw(order(shots, { session })));
    expect(one!.requests.map((request) => request.path)).toEqual(
      other!.requests.map((request) => request.path),
    );
    expect(one!.requests[0]!.headers).toEqual(['authorization', 'Bearer s-one']);
    expect(other!.requests[3]!.headers).toEqual(['authorization', 'Bearer s-other']);
    // One list for all shots of a side, which travels to the generator once.
    expect(one!.requests[5]!.headers).toBe(one!.requests[0]!.headers);
  });

  test('that send the same thing every time send one request', () => {
    const shots = shotsOf('{ requests: [{ path: /a }, { path: /b, weight: 0 }, { path: /c }] }');
    expect(shots.varies).toBe(false);
    expect(
      shots
        .draw(order(shots))
        .requests.map((request) => request.path)
        .sort(),
    ).toEqual(['/a', '/c']);
  });
});

describe('the order of rows', () => {
  const feed = (name: string, more = '') =>
    `{ feed: { file: rows.jsonl, order: ${name}${more} }, requests: [{ path: "/\${feed.id}" }] }`;
  const rows = (count: number) =>
    write('rows.jsonl', Array.from({ length: count }, (_, id) => JSON.stringify({ id })).join('\n'));

  test('sequential starts over at the end', () => {
    rows(15);
    expect(paths(shotsOf(feed('sequential')))).toEqual([...numbers(0, 15), ...numbers(0, 5)]);
  });

  test('random draws any row, by the seed', () => {
    rows(10);
    const drawn = paths(shotsOf(feed('random')), { shots: 400 });
    expect(new Set(drawn).size).toBe(10);
    expect(drawn.slice(0, 10)).not.toEqual(numbers(0, 10));
    expect(paths(shotsOf(feed('random')), { shots: 400 })).toEqual(drawn);
  });

  test('zipf draws the k-th row in proportion to 1/k', () => {
    rows(10);
    const drawn = paths(shotsOf(feed('zipf')), { shots: 20_000 });
    const share = (id: number) => drawn.filter((path) => path === `/${id}`).length / drawn.length;
    const sum = numbers(1, 11).reduce((total, _, index) => total + 1 / (index + 1), 0);
    for (const id of [0, 1, 4, 9]) expect(share(id)).toBeCloseTo(1 / (id + 1) / sum, 1.7);
    expect(share(0) / share(1)).toBeGreaterThan(1.8);
    const steep = paths(shotsOf(feed('zipf', ', exponent: 3')), { shots: 2000 });
    expect(steep.filter((path) => path === '/0').length / 2000).toBeGreaterThan(0.75);
  });

  test('unique gives every row once, and warm-up rows of its own', () => {
    rows(640);
    const shots = shotsOf(feed('unique'), 140);
    const measured = [...paths(shots, { shots: 70 }), ...paths(shots, { shots: 70, slot: 'b' })];
    expect(measured).toEqual(numbers(0, 140));
    expect(paths(shots, { shots: 70, slot: 'b' })).toEqual(numbers(70, 140));
    const warm = paths(shots, { shots: 500, slot: 'w', purpose: 'warm-up' });
    expect(warm).toEqual(numbers(140, 640));
    expect(() => paths(shots, { shots: 10, slot: 'c' })).toThrow(
      'the unique rows of the feed rows.jsonl have run out',
    );
  });

  test('unique with too few rows is refused before the job, with the number it needs', () => {
    rows(639);
    expect(() => shotsOf(feed('unique'), 140)).toThrow(
      'the feed rows.jsonl has 639 rows, and `order: unique` needs 640: up to 140 for the shots of a side in this job, 500 for warm-up',
    );
  });
});

describe('bounds', () => {
  test('of memory: requests are used again in order, the same way on both sides', () => {
    const shots = shotsOf('{ requests: [{ method: POST, body-size: { uniform: [1000000, 1MiB] } }] }');
    const drawn = shots.draw(order(shots, { shots: 200 }));
    expect(drawn.requests.length).toBeGreaterThan(60);
    expect(drawn.requests.length).toBeLessThan(70);
    const made = drawn.requests.length;
    expect([...drawn.schedule.sequence.slice(made, made + 3)]).toEqual([0, 1, 2]);
    const again = shots.draw(order(shots, { shots: 200 }));
    expect(again.schedule.sequence).toEqual(drawn.schedule.sequence);
  });

  test('of memory hold for the side that was first: a longer session makes no other sequence', () => {
    const shots = shotsOf(
      '{ session: { path: /login, token: /t }, requests: [{ method: POST, body: "${session}${filler}${counter}", body-size: { uniform: [1000, 1001] } }] }',
    );
    const sides = ['a', 'b'.repeat(500_000)].map((session) =>
      shots.draw(order(shots, { shots: 150, session })),
    );
    expect(sides[1]!.schedule.sequence).toEqual(sides[0]!.schedule.sequence);
    expect(sides[0]!.requests).toHaveLength(150);
  });

  test('of unique rows: what cannot be made is refused, not sent twice', () => {
    write('rows.csv', `id\n${'x\n'.repeat(3000)}`);
    const shots = shotsOf(
      '{ feed: { file: rows.csv, order: unique }, requests: [{ method: POST, path: "/${feed.id}", body-size: { uniform: [1000000, 1MiB] } }] }',
    );
    expect(() => shots.draw(order(shots, { shots: 100 }))).toThrow(
      'needs a request of its own for every shot',
    );
  });

  test.each([
    ['missing.bin', 'does not exist'],
    ['folder', 'is no file'],
    ['large.bin', 'has 1 MiB, wanted at most 1 MiB'],
    ['link.bin', 'leads out of the project'],
  ])('of files: %s is refused', (file, sentence) => {
    mkdirSync(join(root, 'project', 'folder'));
    write('large.bin', 'x'.repeat(1024 * 1024 + 1));
    writeFileSync(join(root, 'outside.bin'), 'x');
    symlinkSync(join(root, 'outside.bin'), join(root, 'project', 'link.bin'));
    const attempt = () => shotsOf(`{ requests: [{ method: POST, body-file: ${file} }] }`);
    expect(attempt).toThrow(`the file of a body ${file}`);
    expect(attempt).toThrow(sentence);
  });
});

describe('what cannot be sent', () => {
  test('is said before the job where the first row shows it', () => {
    write('rows.csv', 'id\nno-slash\n');
    expect(() => shotsOf('{ feed: { file: rows.csv }, requests: [{ path: "${feed.id}" }] }')).toThrow(
      'scenario "default": GET no-slash: the path must start with "/"',
    );
    expect(() => shotsOf('{ requests: [{ headers: { x-name: "${NAME}" } }] }', 1, { NAME: 'a\nb' })).toThrow(
      'the value of the header "x-name" holds a line end',
    );
  });

  test('names the line of the row that shows it later', () => {
    write('rows.csv', 'id\n/a\n/b\nno-slash\n');
    const shots = shotsOf('{ feed: { file: rows.csv }, requests: [{ path: "${feed.id}" }] }');
    expect(() => paths(shots)).toThrow('scenario "default" (line 4 of rows.csv): GET no-slash');
  });
});

test('a fixed list has requests in proportion to their weights', () => {
  const shots = shotsOf('{ requests: [{ path: "/${uuid}", weight: 3 }, { path: /plain }] }');
  const { requests, weights } = shots.variants(8, seededRandom(1), null);
  expect(requests.map((request) => request.path === '/plain')).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
    true,
  ]);
  expect(weights).toEqual([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 1]);
});
