/** Words of a template, and what they become in paths, queries, JSON, forms and multipart. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates as a user writes them.
import { describe, expect, test } from 'vitest';
import type { BodySettings, MessageSettings, SizeSettings } from '../../src/config/settings.ts';
import { parseTemplate } from '../../src/kernel/templates.ts';
import { type Bytes, bytes } from '../../src/kernel/units.ts';
import { seededRandom } from '../../src/kernel/world.ts';
import { compileMessage, fillMessage } from '../../src/load/messages.ts';

const get: MessageSettings = { method: 'GET', path: '/', query: [], headers: {}, body: null };

interface Given {
  readonly columns?: readonly string[];
  readonly row?: readonly (string | number | boolean | null)[];
  readonly pathLength?: SizeSettings;
  readonly bodySize?: SizeSettings;
  readonly auth?: Parameters<typeof compileMessage>[1]['auth'];
  readonly bodyLimit?: Bytes;
  readonly session?: string;
  readonly seed?: string;
}

function fill(message: Partial<MessageSettings>, given: Given = {}) {
  const compiled = compileMessage(
    { ...get, ...message },
    {
      scope: { variables: { TOKEN: 'tök en', ID: '7' }, columns: given.columns ?? [] },
      readBody: (file) => new TextEncoder().encode(`<${file}>`),
      limits: { path: bytes(8000), body: given.bodyLimit ?? bytes(1024 * 1024) },
      auth: given.auth ?? null,
      sizing: { pathLength: given.pathLength ?? null, bodySize: given.bodySize ?? null },
    },
  );
  const filled = fillMessage(compiled, {
    random: seededRandom(given.seed ?? 'templates'),
    counter: 12,
    row: given.row ?? [],
    session: given.session ?? '',
  });
  return { ...filled, text: filled.body === null ? null : new TextDecoder().decode(filled.body), compiled };
}

const bodyOf = (body: BodySettings, given: Given = {}) => fill({ body }, given).text;

describe('the syntax', () => {
  test('knows its words, variables of the job and plain text', () => {
    expect(
      parseTemplate('a ${uuid}${ counter } $${uuid} ${random -5..10} ${feed.user.id} ${API_KEY} $5'),
    ).toEqual([
      'a ',
      { kind: 'uuid' },
      { kind: 'counter' },
      ' ${uuid} ',
      { kind: 'random', from: -5, to: 10 },
      ' ',
      { kind: 'feed', column: 'user.id' },
      ' ',
      { kind: 'variable', name: 'API_KEY' },
      ' $5',
    ]);
  });

  test.each([
    'random',
    'random 5',
    'random 9..1',
    'random a..b',
    'feed',
    'feed.',
    'uuid 4',
    '',
    'a b',
    'counter.x',
  ])('refuses ${%s}', (word) => {
    expect(parseTemplate(`\${${word}}`)).toEqual([
      expect.objectContaining({ kind: 'refused', written: word }),
    ]);
  });
});

describe('a path', () => {
  test('takes values with what a request line cannot carry encoded, a query everything', () => {
    const filled = fill(
      {
        path: '/${feed.a}/x?y=1',
        query: [
          ['q', 'a&b ${feed.a}'],
          ['näme', '${counter}'],
        ],
      },
      { columns: ['a'], row: ['é/ #?'] },
    );
    expect(filled.path).toBe('/%C3%A9/%20%23?/x?y=1&q=a%26b%20%C3%A9%2F%20%23%3F&n%C3%A4me=12');
  });

  test('starts its query with a question mark where it has none', () => {
    expect(fill({ path: '/a', query: [['b', '1']] }).path).toBe('/a?b=1');
  });

  test('grows to its length where it says so', () => {
    const filled = fill(
      { path: '/items/${filler}', query: [['pad', '${filler}']] },
      { pathLength: { kind: 'fixed', bytes: 101 } },
    );
    expect(filled.path).toMatch(/^\/items\/[a-z0-9]{45}\?pad=[a-z0-9]{44}$/);
    expect(filled.path).toHaveLength(101);
  });
});

describe('a body', () => {
  test('of JSON escapes what it takes, and sends numbers and values of JSON Lines as they are', () => {
    const value = {
      n: '${counter}',
      r: '${random 3..3}',
      text: 'no ${counter} "${feed.s}"',
      s: '${feed.s}',
      t: '${feed.t}',
      nil: '${feed.nil}',
      list: [1, null, '${TOKEN}'],
    };
    const given = { columns: ['s', 't', 'nil'], row: ['a"\n', true, null] } as const;
    expect(JSON.parse(bodyOf({ kind: 'json', value }, given) ?? '')).toEqual({
      n: 12,
      r: 3,
      text: 'no 12 "a"\n"',
      s: 'a"\n',
      t: true,
      nil: null,
      list: [1, null, 'tök en'],
    });
    expect(fill({ body: { kind: 'json', value: {} } }).headers).toEqual({
      'content-type': 'application/json',
    });
    const named = { 'Content-Type': 'text/x' };
    expect(fill({ body: { kind: 'json', value: {} }, headers: named }).headers).toEqual(named);
  });

  test('of a form is encoded as a browser does', () => {
    const fields = [
      ['a b', '1 & 2=3'],
      ['id', '${TOKEN}'],
    ] as const;
    expect(bodyOf({ kind: 'form', fields })).toBe('a+b=1+%26+2%3D3&id=t%C3%B6k+en');
    expect(new URLSearchParams(bodyOf({ kind: 'form', fields }) ?? '').get('id')).toBe('tök en');
  });

  test('of several parts can be read back by whoever knows multipart', async () => {
    const filled = fill({
      body: {
        kind: 'multipart',
        parts: [
          { name: 'id', content: { kind: 'text', text: 'n${counter}' }, filename: null, contentType: null },
          {
            name: 'photo',
            content: { kind: 'file', file: 'a.png' },
            filename: 'a "b".png',
            contentType: 'image/png',
          },
        ],
      },
    });
    const read = await new Response(Buffer.from(filled.body!), { headers: filled.headers }).formData();
    expect(read.get('id')).toBe('n12');
    const photo = read.get('photo') as File;
    expect([photo.name, photo.type, await photo.text()]).toEqual(['a "b".png', 'image/png', '<a.png>']);
  });

  test('of a file is sent as it is, and says nothing of its kind', () => {
    const filled = fill({ body: { kind: 'file', file: 'x.bin' } });
    expect([filled.text, filled.headers]).toEqual(['<x.bin>', {}]);
  });

  test('grows to the size that is drawn for it, with or without a text of its own', () => {
    const bodySize = { kind: 'fixed', bytes: 300 } as const;
    expect(fill({}, { bodySize }).body).toHaveLength(300);
    const json = bodyOf({ kind: 'json', value: { pad: '${filler}' } }, { bodySize }) ?? '';
    expect(json).toHaveLength(300);
    expect(JSON.parse(json).pad).toHaveLength(290);
  });

  test('that became too large is refused', () => {
    expect(() => bodyOf({ kind: 'text', text: 'x'.repeat(11) }, { bodyLimit: bytes(10) })).toThrow(
      'a body has 11 B, wanted at most 10 B',
    );
  });
});

describe('authorisation', () => {
  test('is basic or bearer, filled in, unless the request brings its own', () => {
    const basic = { kind: 'basic', user: 'ann', password: '${TOKEN}' } as const;
    expect(fill({}, { auth: basic }).headers).toEqual({
      authorization: `Basic ${Buffer.from('ann:tök en').toString('base64')}`,
    });
    const bearer = { kind: 'bearer', token: '${session}' } as const;
    expect(fill({}, { auth: bearer, session: 's3' }).headers).toEqual({ authorization: 'Bearer s3' });
    const own = { Authorization: 'own' };
    expect(fill({ headers: own }, { auth: bearer }).headers).toEqual(own);
  });
});

describe('chance', () => {
  test('is the seed’s: the same seed gives the same text, another one another', () => {
    const once = (seed: string) => fill({ path: '/${uuid}/${random 1..1000000}' }, { seed }).path;
    expect(once('a')).toBe(once('a'));
    expect(once('a')).not.toBe(once('b'));
    expect(once('a')).toMatch(/^\/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\/\d+$/);
  });

  test('has both ends of a range', () => {
    const drawn = Array.from(
      { length: 200 },
      (_, seed) => fill({ path: '/${random 1..3}' }, { seed: `${seed}` }).path,
    );
    expect([...new Set(drawn)].sort()).toEqual(['/1', '/2', '/3']);
  });

  test('of sizes follows the distribution', () => {
    const drawn = (bodySize: SizeSettings) =>
      Array.from(
        { length: 2000 },
        (_, seed) => fill({}, { bodySize, seed: `size ${seed}` }).body!.length,
      ).sort((a, b) => a - b);
    const lognormal = drawn({ kind: 'lognormal', median: 1000, p99: 4000 });
    expect(lognormal[1000]!).toBeGreaterThan(930);
    expect(lognormal[1000]!).toBeLessThan(1070);
    expect(lognormal[1980]!).toBeGreaterThan(3200);
    expect(lognormal[1980]!).toBeLessThan(5000);
    const uniform = drawn({ kind: 'uniform', from: 10, to: 20 });
    expect([uniform[0], uniform.at(-1)]).toEqual([10, 20]);
    const histogram = drawn({
      kind: 'histogram',
      bins: [
        { bytes: 5, weight: 3 },
        { bytes: 50, weight: 1 },
      ],
    });
    expect(new Set(histogram)).toEqual(new Set([5, 50]));
    const small = histogram.filter((size) => size === 5).length;
    expect(small / 2000).toBeCloseTo(0.75, 1);
  });
});
