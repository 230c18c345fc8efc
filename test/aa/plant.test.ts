import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

// Plain JavaScript, which runs before anything is bundled.
const here = (name: string): string => new URL(name, import.meta.url).href;
const { readOptions } = await import(here('options.mjs'));
const { readPlant, slowed } = await import(here('plant.mjs'));

const service = readFileSync(new URL('../../examples/demo-service/server.mjs', import.meta.url), 'utf8');

describe('a planted slowdown', () => {
  test.each([
    ['cpu=5%', { kind: 'cpu-share', share: 0.05 }],
    ['cpu=9.5us', { kind: 'cpu', microseconds: 9.5 }],
    ['wait=2ms:2%', { kind: 'wait', milliseconds: 2, every: 50 }],
  ])('is read from %s', (asked, plant) => {
    expect(readPlant(asked)).toMatchObject(plant);
  });

  test.each(['cpu=0%', 'cpu=5', 'wait=2ms', 'wait=2ms:0%', 'wait=2ms:101%', 'p99=20%'])(
    'is not read from %s',
    (asked) => {
      expect(() => readPlant(asked)).toThrow(`--slow is "${asked}"; wanted`);
    },
  );

  test('spins before the page is rendered', () => {
    const text = slowed(service, readPlant('cpu=9us'));
    expect(text).toMatch(
      /performance\.now\(\) \+ 0\.009;\n {2}while \(performance\.now\(\) < until\);\n {2}const body =/,
    );
  });

  test('answers a share of the requests later, and every request once', () => {
    const text = slowed(service, readPlant('wait=2ms:2%'));
    expect(text).toContain('let count = 0;\nconst server =');
    expect(text.match(/response\.end\(body\)/g)).toHaveLength(2);
    expect(text).toContain('if (count % 50 === 0) setTimeout(() => response.end(body), 2);\n  else');
  });

  test('is refused where the service has no such line', () => {
    expect(() => slowed('', readPlant('cpu=9us'))).toThrow(
      'has no single line "const body = renderPage(page);"',
    );
  });
});

describe('options', () => {
  test('default to the plan of the product', () => {
    expect(readOptions(['--jobs', '60'])).toMatchObject({
      kind: 'run',
      jobs: 60,
      timeBudget: '4m',
      rate: 1000,
      full: false,
      slow: null,
      resume: false,
    });
  });

  test.each([
    [[], '--jobs is missing'],
    [['--jobs', '0'], '--jobs is 0'],
    [['--jobs', '2', '--resume'], '--resume wants the --out DIR'],
    [['--jobs', '2', '--resume', '--out', 'x', '--slow', 'cpu=5%'], 'leave out --slow'],
    [['--jobs', '2', '--resume', '--out', 'x', '--full'], 'leave out --full'],
    [['--jobs', '2', '--config', 'x.yml', '--full'], 'leave out --full and --rate'],
    [['--report', 'x', '--jobs', '2'], '--jobs cannot be given with it'],
  ])('%j are refused', (argv, message) => {
    expect(() => readOptions(argv)).toThrow(message);
  });
});
