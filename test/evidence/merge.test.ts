import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import { afterAll, describe, expect, test } from 'vitest';
import { main } from '../../src/cli.ts';
import { LatencyHistogram } from '../../src/evidence/histogram.ts';
import { mergeParts, readPart } from '../../src/evidence/merge.ts';
import { serialise } from '../../src/evidence/store.ts';
import { msToNs } from '../../src/kernel/units.ts';
import { evidenceOf } from '../verdict/evidence-builder.ts';

/** Milliseconds and how many of them. */
type Counts = readonly (readonly [ms: number, count: number])[];

const folder = mkdtempSync(join(tmpdir(), 'merge-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function histogramOf(counts: Counts): LatencyHistogram {
  const histogram = new LatencyHistogram();
  for (const [ms, count] of counts) histogram.recordMany(msToNs(ms), count);
  return histogram;
}

const resultOf = (counts: Counts, more: object = {}): string => {
  const histogram = histogramOf(counts);
  return JSON.stringify({
    model: 'open',
    responseTimeMs: { count: histogram.count },
    measuredFrom: 'intended',
    histogram: histogram.encode(),
    histogramUnit: 'ns',
    ...more,
  });
};

/** Three instances with most of the traffic; one with little of it, and that slow. */
const instances: readonly Counts[] = [
  [
    [50, 9000],
    [76, 900],
    [81, 30],
    [90, 70],
  ],
  [
    [50, 9001],
    [76, 900],
    [81, 30],
    [90, 70],
  ],
  [
    [50, 9000],
    [77, 900],
    [81, 30],
    [90, 70],
  ],
  [
    [50, 340],
    [500, 50],
    [969, 10],
  ],
];
const files = ['one.json', 'two.json', 'three.json', 'four.json'];
for (const [index, counts] of instances.entries())
  writeFileSync(join(folder, files[index]!), resultOf(counts));

async function run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const code = await main(['merge', ...args], {
    directory: folder,
    environment: {},
    signal: new AbortController().signal,
    print: (text) => {
      out += `${text}\n`;
    },
    tell: (text) => {
      err += `${text}\n`;
    },
    interactive: false,
  });
  return { code, out, err };
}

const choice = { side: 'candidate', scenario: null } as const;
const parts = () => files.map((name) => readPart(name, readFileSync(join(folder, name), 'utf8'), choice));

describe('four instances with a p99 of 76, 76, 77 and 969 ms', () => {
  test('average to 299 ms, and have a p99 of 81 ms', () => {
    const { files: own, averagedMs, responseTimeMs } = mergeParts(parts());
    expect(own.map((file) => Math.round(file.responseTimeMs.p99!))).toEqual([76, 76, 77, 969]);
    expect(Math.floor(averagedMs.p99)).toBe(299);
    expect(Math.round(responseTimeMs.p99!)).toBe(81);
    expect(responseTimeMs.count).toBe(30_401);
  });

  test('have the percentiles of all their values in one sorted list', () => {
    const all = instances
      .flat()
      .flatMap(([ms, count]) => new Array<number>(count).fill(ms))
      .sort((one, other) => one - other);
    const { responseTimeMs } = mergeParts(parts());
    for (const [name, share] of [
      ['p50', 0.5],
      ['p90', 0.9],
      ['p95', 0.95],
      ['p99', 0.99],
      ['p999', 0.999],
    ] as const) {
      const exact = all[Math.ceil(share * all.length) - 1]!;
      expect(responseTimeMs[name]! / exact).toBeGreaterThan(0.999);
      expect(responseTimeMs[name]! / exact).toBeLessThan(1.001);
    }
    expect(responseTimeMs.max! / 969).toBeCloseTo(1, 3);
  });

  test('are said so in the first sentence, and their sum can be merged again', async () => {
    const { code, out } = await run(...files, '--json', 'sum.json');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^p99 of all 30,401 requests in 4 files is 81.* ms; averaging their p99 would have said 300 ms\./,
    );
    expect(out).toMatch(/four\.json .* 969 ms/);
    writeFileSync(join(folder, 'five.json'), resultOf([[81, 100]]));
    const again = await run('sum.json', 'five.json', '--json', 'total.json');
    expect(again.code).toBe(0);
    const total = JSON.parse(readFileSync(join(folder, 'total.json'), 'utf8'));
    expect(total.responseTimeMs.count).toBe(30_501);
    const twice = await run('sum.json', 'three.json');
    expect([twice.code, twice.err]).toEqual([
      2,
      expect.stringContaining('"sum.json" already contains "three.json"'),
    ]);
    const deeper = await run('total.json', 'two.json');
    expect(deeper.err).toContain('"total.json" already contains "two.json"');
  });
});

describe('what cannot be merged names the file, what is wrong and the way out', () => {
  const whole = resultOf([[10, 500]]);
  const foreign = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: 1e9,
    numberOfSignificantValueDigits: 2,
  });
  foreign.recordValue(5);
  test.each([
    ['is not there', null, 'does not exist'],
    ['is empty', '', 'is not whole JSON: it is empty'],
    ['is cut off', whole.slice(0, -40), 'is not whole JSON: it ends with'],
    ['is a list', '[]', 'not a result'],
    ['has no histogram', '{"p99": 81}', 'holds no histogram: `histogram` is missing'],
    [
      'has another unit',
      resultOf([[10, 500]], { histogramUnit: 'us' }),
      'has `histogramUnit` "us", wanted "ns"',
    ],
    [
      'has a cut histogram',
      resultOf([[10, 500]], {
        histogram: histogramOf([[10, 500]])
          .encode()
          .slice(0, 20),
      }),
      'is not a latency histogram',
    ],
    ['counts other values', resultOf([[10, 500]], { responseTimeMs: { count: 501 } }), 'says 501 values'],
    ['is empty inside', resultOf([]), 'holds an empty histogram'],
    [
      'is of a closed loop',
      resultOf([[10, 500]], { model: 'closed', measuredFrom: 'send' }),
      'a closed loop measured from the send',
    ],
    [
      'is of a closed loop with intended times',
      resultOf([[10, 500]], { model: 'closed-intended' }),
      'a closed loop measured from the intended time',
    ],
    [
      'does not say from when',
      resultOf([[10, 500]], { measuredFrom: 'never' }),
      'has `measuredFrom` "never"',
    ],
  ])('a file that %s', async (_what, source, problem) => {
    if (source !== null) writeFileSync(join(folder, 'bad.json'), source);
    const { code, err } = await run('one.json', source === null ? 'nowhere.json' : 'bad.json');
    expect(code, err).toBe(2);
    expect(err).toContain(problem);
    expect(err).toContain(source === null ? '"nowhere.json"' : '"bad.json"');
    expect(err.trim().split('\n').length).toBeGreaterThan(1);
  });

  test('a histogram of another range', async () => {
    writeFileSync(
      join(folder, 'range.json'),
      resultOf([[1, 1]], { histogram: encodeIntoCompressedBase64(foreign) }),
    );
    const { code, err } = await run('one.json', 'range.json');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('its range is 1..1000000000 with 2 digits, wanted 1..60000000000 (ns) with 3'),
    ]);
    expect(err).toContain('"range.json"');
  });

  test('the same file twice, under its name, through a link or as a copy', async () => {
    writeFileSync(join(folder, 'copy.json'), readFileSync(join(folder, 'one.json')));
    symlinkSync(join(folder, 'one.json'), join(folder, 'link.json'));
    for (const name of ['one.json', './one.json', 'link.json', 'copy.json']) {
      const { code, err } = await run('one.json', name);
      expect([code, err]).toEqual([2, expect.stringContaining('would count twice; name it once')]);
    }
  });

  test('a folder, and one file alone', async () => {
    expect((await run('one.json', '.')).err).toContain('"." is not a file');
    expect(await run('one.json')).toMatchObject({
      code: 2,
      err: expect.stringContaining('takes 2 to 1000 arguments'),
    });
  });
});

test('partial and unsound files are merged, and said to be so', async () => {
  writeFileSync(join(folder, 'part.json'), resultOf([[10, 7]], { partial: true }));
  writeFileSync(
    join(folder, 'busy.json'),
    resultOf([[10, 8]], { sound: false, reasons: ['generator-busy'] }),
  );
  const { code, out } = await run('part.json', 'busy.json');
  expect(code).toBe(0);
  expect(out).toContain('part.json is partial');
  expect(out).toContain('busy.json is unsound: generator-busy');
});

test('the sound slices of one side of a job’s evidence count', () => {
  const plain = evidenceOf({ measuring: 2, confirming: 0 });
  const trials = plain.rounds.flatMap((round) => round.trials);
  // 10 values of 2 ms a slice of the candidate, of 1 ms a slice of the baseline; the first of the candidate is unsound.
  const spoilt = trials.find((trial) => trial.side === 'candidate')!;
  const evidence = {
    ...plain,
    rounds: plain.rounds.map((round) => ({
      ...round,
      trials: round.trials.map((trial) => ({
        ...trial,
        unsound: trial === spoilt ? (['generator-busy'] as const) : [],
        load: {
          ...trial.load,
          histograms: {
            ...trial.load.histograms,
            response: histogramOf([[trial.side === 'candidate' ? 2 : 1, 10]]).encode(),
          },
        },
      })),
    })),
  };
  const slices = trials.filter((trial) => trial.side === 'candidate').length;
  const read = (side: 'baseline' | 'candidate', scenario: string | null) =>
    readPart('evidence.json', serialise(evidence), { side, scenario });
  expect(read('candidate', null).histogram.count).toBe(10 * (slices - 1));
  expect(read('candidate', null).histogram.max! / 2e6).toBeCloseTo(1, 2);
  expect(read('baseline', 'home').histogram.max! / 1e6).toBeCloseTo(1, 2);
  expect(() => read('candidate', 'other')).toThrow('"evidence.json" has the scenarios "home", not "other"');
});

describe('HdrHistogram logs', () => {
  const log = readFileSync(
    new URL('../microbench/adapters/fixtures/hdr-histogram-log.hlog', import.meta.url),
    'utf8',
  );

  test('are added up in their own unit', async () => {
    writeFileSync(join(folder, 'one.hlog'), log);
    writeFileSync(join(folder, 'two.hlog'), `#[of another instance]\n${log}`);
    const { code, out, err } = await run('one.hlog', 'two.hlog', '--json', 'logs.json');
    expect(code, err).toBe(0);
    expect(out).toContain('do not tell their load model');
    const merged = JSON.parse(readFileSync(join(folder, 'logs.json'), 'utf8'));
    // Twice 94 of 1 µs, 5 of 2 µs and 1 of 0.9 ms, and what is tagged "write", 50 µs.
    expect(merged.responseTimeMs.p50).toBeCloseTo(0.001, 5);
    expect(merged.responseTimeMs.max).toBeCloseTo(0.9, 2);
    expect(merged.responseTimeMs.count).toBeGreaterThan(200);
  });

  test('are not mixed with results that tell their model, and not read when they are cut off', async () => {
    writeFileSync(join(folder, 'one.hlog'), log);
    expect((await run('one.json', 'one.hlog')).err).toContain('a log that does not tell its load model');
    writeFileSync(join(folder, 'cut.hlog'), log.slice(0, -20));
    expect(await run('one.hlog', 'cut.hlog')).toMatchObject({
      code: 2,
      err: expect.stringContaining('"cut.hlog" is cut off or broken: line 6'),
    });
  });
});
