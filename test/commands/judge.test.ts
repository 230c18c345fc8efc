/** `tailgate judge`: stored evidence under the settings of today. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serialise, serialiseBench } from '../../src/evidence/store.ts';
import type { Evidence } from '../../src/evidence/trial.ts';
import { ratio } from '../../src/kernel/units.ts';
import { Desk } from '../microbench/terminal.ts';
import { bench, benchmarks, costlier, storedJob } from '../verdict/stored-job.ts';

const job = storedJob(costlier);
let desk: Desk;
beforeEach(() => {
  desk = new Desk();
});
afterEach(() => desk[Symbol.dispose]());

interface Told {
  readonly verdict: string;
  readonly findings: readonly { readonly metric: string; readonly state: string }[];
  readonly warnings: readonly { readonly code: string; readonly hint?: string }[];
  readonly waivers: readonly { readonly metric: string; readonly origin: string }[];
}

async function judged(config: string | null, evidence: Evidence = job) {
  desk.write('evidence.json', serialise(evidence));
  if (config !== null) desk.write('now.yml', config);
  const flags = config === null ? [] : ['--config', 'now.yml'];
  const run = await desk.run('judge', 'evidence.json', '--json', 'verdict.json', ...flags);
  return { ...run, told: JSON.parse(readFileSync(join(desk.directory, 'verdict.json'), 'utf8')) as Told };
}

const accepts = (ceiling: string, more = '') => `waivers:
  - { scenario: home, metric: cpu, ceiling: ${ceiling}, reason: "safer hash"${more} }
  - { scenario: home, metric: cpu-total, ceiling: ${ceiling}, reason: "safer hash"${more} }
`;
const stateOf = (told: Told, metric: string) => told.findings.find((row) => row.metric === metric)?.state;

describe('a regression', () => {
  it('stays one under its own settings', async () => {
    const { code, told, out } = await judged(null);
    expect([code, told.verdict, stateOf(told, 'cpu')]).toEqual([1, 'regression', 'regressed']);
    expect(out).toContain('Regression: ');
  });

  it('passes with the waivers of another file, which are quoted', async () => {
    const { code, told, out } = await judged(accepts('12%'));
    expect([code, told.verdict, stateOf(told, 'cpu')]).toEqual([0, 'pass', 'accepted']);
    expect(told.waivers.map(({ origin }) => origin)).toEqual(['the configuration', 'the configuration']);
    expect(out.replace(/\s+/g, ' ')).toContain('accepted by the configuration up to +12 %: “safer hash”');
  });

  it('fails above their ceiling, with the figure', async () => {
    const { code, out } = await judged(accepts('7%'));
    expect(code).toBe(1);
    expect(out.replace(/\s+/g, ' ')).toMatch(
      /bove the ceiling of \+7 % that the configuration accepts, by [\d.]+ points/,
    );
  });

  it('is judged with the waivers of the day it was measured on', async () => {
    expect((await judged(accepts('12%', ', expires: 2025-01-01'))).code).toBe(0);
    const { code, told } = await judged(accepts('12%', ', expires: 2024-12-31'));
    expect(code).toBe(1);
    expect(told.warnings.map((warning) => warning.code)).toEqual(['waiver-expired', 'waiver-expired']);
  });

  it('is told which waivers expired and which were not used, in words', async () => {
    const { out } = await judged(`waivers:
  - { scenario: home, metric: cpu, ceiling: 12%, expires: 2024-12-31, reason: "safer hash" }
  - { scenario: home, metric: p50, ceiling: 12%, reason: "safer hash" }
`);
    const text = out.replace(/\s+/g, ' ');
    expect(text).toContain(
      'he waiver for `home/cpu` up to +12 % (the configuration) expired on 2024-12-31: it accepts nothing any more',
    );
    expect(text).toContain(
      'he waiver for `home/p50` up to +12 % (the configuration) was not used: the row is unchanged',
    );
  });

  it('has the nearest metric for a waiver of one that is not judged', async () => {
    const { told } = await judged('waivers: [{ scenario: home, metric: p95, ceiling: 5%, reason: x }]\n');
    expect(told.warnings).toMatchObject([
      {
        code: 'waiver-without-row',
        hint: expect.stringMatching(/^Did you mean `home\/p99`\? Judged rows of `home`: /),
      },
    ]);
  });

  it('may be let through by fail-on, and by wider tolerances', async () => {
    expect(await judged('fail-on: [invalid]\n')).toMatchObject({ code: 0, told: { verdict: 'regression' } });
    const wide = 'judge: { cpu: { min: 30%, detect: 40% }, cpu-total: { min: 30%, detect: 40% } }\n';
    expect((await judged(wide)).told.verdict).toBe('pass');
  });

  it('has a warning with the nearest name for a waiver that matches nothing', async () => {
    const { told } = await judged('waivers: [{ scenario: hoem, metric: cpu, ceiling: 5%, reason: x }]\n');
    expect(told.warnings).toMatchObject([{ code: 'waiver-without-row', hint: 'Did you mean `home/cpu`?' }]);
  });
});

describe('a slower microbenchmark', () => {
  const quiet = storedJob({ measuring: 6 });

  it('is judged with the tolerance of another file', async () => {
    const evidence = { ...quiet, benchmarks: benchmarks(0.1) };
    expect((await judged(null, evidence)).told.verdict).toBe('regression');
    const wide = 'judge: { microbenchmarks: { min: 30%, detect: 40% } }\n';
    expect((await judged(wide, evidence)).told.verdict).toBe('pass');
  });

  it('is accepted by its full name', async () => {
    const evidence = { ...quiet, benchmarks: benchmarks(0.1) };
    const waiver = `{ scenario: "${bench}", metric: microbenchmark, ceiling: 15%, reason: x }`;
    const { told } = await judged(`waivers: [${waiver}]\n`, evidence);
    expect([told.verdict, stateOf(told, 'microbenchmark')]).toEqual(['pass', 'accepted']);
  });
});

describe('a counter that grows faster', () => {
  const quiet = storedJob({ measuring: 6 });
  const named = (name: string, judge: Evidence['judge']['cpu'] | null, growth: number): Evidence => ({
    ...quiet,
    counters: [{ name, metric: `${name}_total`, judge }],
    rounds: quiet.rounds.map((round) => ({
      ...round,
      trials: round.trials.map((trial) => ({
        ...trial,
        counters: {
          [name]: { by: 530 * (trial.side === 'candidate' ? growth * (1 + round.index / 500) : 1) },
        },
      })),
    })),
    plan: { ...quiet.plan, confirm: false },
  });
  const counter = (judge: string, name = 'queries') =>
    `metrics: [{ name: ${name}, metric: ${name}_total, judge: ${judge} }]\n`;
  const narrow = { min: ratio(0.05), detect: ratio(0.1) };

  it('is judged with the tolerance of another file', async () => {
    const evidence = named('queries', narrow, 1.07);
    const strict = await judged(null, evidence);
    expect(stateOf(strict.told, 'counter')).not.toBe('unchanged');
    const wide = await judged(counter('{ min: 30%, detect: 40% }'), evidence);
    expect([wide.told.verdict, stateOf(wide.told, 'counter')]).toEqual(['pass', 'unchanged']);
  });

  it('is judged by a file that judges it, though it was only shown when it was measured', async () => {
    const shown = named('queries', null, 1.3);
    expect((await judged(null, shown)).told.verdict).toBe('pass');
    expect((await judged(counter('{ min: 5%, detect: 10% }'), shown)).told.verdict).not.toBe('pass');
  });

  it('keeps its own tolerance in a file that does not name it', async () => {
    const evidence = named('queries', narrow, 1.3);
    const before = await judged(null, evidence);
    expect(before.told.verdict).not.toBe('pass');
    const other = counter('{ min: 50%, detect: 60% }', 'misses');
    for (const config of [other, 'fail-on: [invalid]\n'])
      expect((await judged(config, evidence)).told.verdict).toBe(before.told.verdict);
    expect((await judged(counter('null'), evidence)).told.verdict).toBe('pass');
  });
});

describe('evidence of `tailgate bench`', () => {
  const run = async (...args: readonly string[]) => {
    desk.write('bench.json', serialiseBench(benchmarks(0.1)));
    return desk.run(args[0]!, 'bench.json', ...args.slice(1));
  };

  it('is judged again, with its own tolerance or that of another file', async () => {
    const { code, out } = await run('judge', '--json', 'verdict.json');
    expect(code).toBe(1);
    expect(out).toContain(`Regression: ${bench} became worse: +`);
    const told = JSON.parse(readFileSync(join(desk.directory, 'verdict.json'), 'utf8'));
    expect(told).toMatchObject({ exitCode: 1, outcome: 'regression', findings: [{ name: bench }] });
    desk.write('wide.yml', 'judge: { microbenchmarks: { min: 30%, detect: 40% } }\n');
    const wide = await run('judge', '--config', 'wide.yml');
    expect([wide.code, wide.out]).toEqual([0, expect.stringMatching(/^Pass: /)]);
  });

  const accepts = (ceiling: string, more = '') =>
    `waivers: [{ scenario: "${bench}", metric: microbenchmark, ceiling: ${ceiling}, reason: "safer parser"${more} }]\n`;
  const judgedUnder = async (config: string) => {
    desk.write('now.yml', config);
    const { code, out } = await run('judge', '--config', 'now.yml', '--json', 'verdict.json');
    const told = JSON.parse(readFileSync(join(desk.directory, 'verdict.json'), 'utf8')) as {
      readonly outcome: string;
      readonly findings: readonly { readonly state: string; readonly reason: string }[];
      readonly warnings: readonly { readonly code: string; readonly hint?: string }[];
      readonly waivers: readonly unknown[];
    };
    return { code, out: out.replace(/\s+/g, ' '), told, row: told.findings[0]! };
  };

  it('passes with the waivers of another file, and the row stays in sight', async () => {
    const { code, out, told, row } = await judgedUnder(accepts('15%'));
    expect([code, told.outcome, row.state]).toEqual([0, 'pass', 'accepted']);
    expect(told.waivers).toMatchObject([{ scenario: bench, origin: 'the configuration' }]);
    expect(out).toMatch(/^Pass with an accepted change\. /);
    expect(out).toContain(`${bench}: accepted by the configuration up to +15 %: “safer parser”`);
    expect(out).toMatch(/parse\.bench\.js > small 100 ns 1\d\d ns \+\d.* accepted /);
  });

  it('fails above their ceiling, with the figure', async () => {
    const { code, out } = await judgedUnder(accepts('7%'));
    expect(code).toBe(1);
    expect(out).toMatch(/above the ceiling of \+7 % that the configuration accepts, by [\d.]+ points/);
  });

  it.each([
    ['expired', accepts('15%', ', expires: 2024-12-31'), 'waiver-expired', 'a later day'],
    [
      'mistyped',
      'waivers: [{ scenario: bench/parse.bench.js > smal, metric: microbenchmark, ceiling: 5%, reason: x }]\n',
      'waiver-without-row',
      `Did you mean \`${bench}/microbenchmark\`?`,
    ],
    [
      'for a metric of load by the name of a benchmark',
      `waivers: [{ scenario: "${bench}", metric: cpu, ceiling: 5%, reason: x }]\n`,
      'waiver-without-row',
      `Judged rows of \`${bench}\`: \`microbenchmark\`.`,
    ],
  ])('is told of a waiver that is %s', async (_, config, warning, hint) => {
    const { code, out, told } = await judgedUnder(config);
    expect(code).toBe(1);
    expect(told.warnings).toMatchObject([{ code: warning, hint: expect.stringContaining(hint) }]);
    expect(out).toContain('he waiver for `');
  });

  it('is told of a waiver that was not used', async () => {
    const wide = 'judge: { microbenchmarks: { min: 30%, detect: 40% } }\n';
    const { code, told } = await judgedUnder(`${wide}${accepts('15%')}`);
    expect([code, told.warnings]).toMatchObject([0, [{ code: 'waiver-unused' }]]);
  });

  it('leaves waivers for the load test to the gate', async () => {
    const { told } = await judgedUnder(
      'waivers: [{ scenario: default, metric: cpu, ceiling: 5%, reason: x }]\n',
    );
    expect([told.outcome, told.warnings]).toEqual(['regression', []]);
  });

  it('goes by the waivers that it was measured with, and keeps those of commits', async () => {
    const stored = (origin: string) => ({
      scenario: bench,
      metric: 'microbenchmark' as const,
      ceiling: ratio(0.15),
      expires: null,
      reason: 'safer parser',
      origin,
    });
    const judgedWith = async (origin: string, ...flags: readonly string[]) => {
      desk.write('own.json', serialiseBench({ ...benchmarks(0.1), waivers: [stored(origin)] }));
      return (await desk.run('judge', 'own.json', ...flags)).code;
    };
    expect(await judgedWith('the configuration')).toBe(0);
    expect((await desk.run('report', 'own.json')).out).toMatch(/^\*\*Pass with an accepted change\./);
    desk.write('none.yml', 'fail-on: [regression]\n');
    expect(await judgedWith('the configuration', '--config', 'none.yml')).toBe(1);
    expect(await judgedWith('commit 1a2b3c4d5e', '--config', 'none.yml')).toBe(0);
    desk.write('baseline.yml', 'trust-config: baseline\n');
    expect(await judgedWith('commit 1a2b3c4d5e', '--config', 'baseline.yml')).toBe(1);
  });

  it('is refused with the field of a stored waiver that has another form', async () => {
    const waiver = {
      scenario: bench,
      metric: 'speed',
      ceiling: 0.1,
      expires: null,
      reason: 'x',
      origin: 'y',
    };
    desk.write('edited.json', JSON.stringify({ ...benchmarks(0.1), waivers: [waiver] }));
    const { code, err } = await desk.run('judge', 'edited.json');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('`waivers[0].metric` is "speed", wanted "p50" or'),
    ]);
  });

  it('is reported in every form', async () => {
    const markdown = (await run('report')).out;
    expect(markdown).toMatch(/^\*\*Regression: /);
    expect(markdown).toMatch(/\| <code>bench\/parse\.bench\.js &#62; small<\/code> \| 100 ns \| 1\d\d ns \|/);
    expect((await run('report', '--format', 'text')).out).toContain('exit code 1');
    expect(JSON.parse((await run('report', '--format', 'json')).out)).toMatchObject({
      outcome: 'regression',
    });
  });
});

describe('what commits accepted when it was measured', () => {
  const own = {
    scenario: 'home',
    ceiling: ratio(0.12),
    expires: null,
    reason: 'x',
    origin: 'commit 1a2b3c4d5e',
  };
  const accepted: Evidence = {
    ...job,
    waivers: [
      { ...own, metric: 'cpu' },
      { ...own, metric: 'cpu-total' },
      { ...own, metric: 'p50', origin: 'the configuration' },
    ],
  };

  it('goes on counting, while the waivers of the file are those of today', async () => {
    const { code, told } = await judged('fail-on: [regression]\n', accepted);
    expect(code).toBe(0);
    expect(told.waivers.map(({ origin }) => origin)).toEqual(['commit 1a2b3c4d5e', 'commit 1a2b3c4d5e']);
  });

  it('does not where the baseline alone is trusted', async () => {
    const { code, told } = await judged('trust-config: baseline\n', accepted);
    expect([code, told.waivers]).toEqual([1, []]);
  });
});

describe('a file that is no evidence', () => {
  it.each([
    [
      'cut off',
      (text: string) => text.slice(0, 9000),
      'this evidence of version 1 is not whole JSON: it ends ',
    ],
    ['empty', () => '', 'this file is not whole JSON: it is empty'],
    [
      'text',
      () => 'BenchmarkParse-8 1000',
      'this file is not whole JSON: it begins with "BenchmarkParse-8 100"',
    ],
    ['of another tool', () => '{"schema":"k6-summary"}', 'its `schema` is "k6-summary"'],
    ['of a later release', (text: string) => text.replace('"version":1', '"version":7'), '`version` 7'],
    ['edited', (text: string) => text.replace('"rounds":12', '"rounds":"12"'), '`plan.rounds` is "12"'],
    [
      'edited deep inside',
      (text: string) => text.replace('"halfway":1', '"halfway":"one"'),
      '`rounds[0].trials[0].load.inFlight.halfway` is "one", wanted a whole number, at least 0 (evidence of version 1)',
    ],
  ])('because it is %s, is refused with what is wrong', async (_, broken, message) => {
    desk.write('evidence.json', broken(serialise(job)));
    const { code, err } = await desk.run('judge', 'evidence.json');
    expect(code).toBe(2);
    expect(err).toContain('evidence.json: ');
    expect(err).toContain(message);
  });
});

describe('evidence that cannot be judged', () => {
  it.each(['judge', 'report'])(
    'is named by %s, also when it is a histogram that cannot be read',
    async (name) => {
      const { histograms } = job.rounds[0]!.trials[0]!.load;
      const broken = serialise(job).replace(
        `"onTime":${JSON.stringify(histograms.onTime)}`,
        '"onTime":"H4sIbroken"',
      );
      desk.write('broken.json', broken);
      const { code, err } = await desk.run(name, 'broken.json');
      expect(code).toBe(2);
      expect(err).toMatch(
        /tailgate: broken\.json: `rounds\[0\]\.trials\[0\]\.load\.histograms\.onTime`: "H4sIbroken" is not a latency histogram .* \(evidence of version 1\)/,
      );
    },
  );

  it.each([
    ['whole', 1],
    ['cut short', 0.5],
  ])('says that a packed file wants to be unpacked, %s', async (_, part) => {
    const packed = gzipSync(serialise(job));
    desk.write('evidence.json.gz', packed.subarray(0, packed.length * part));
    const { code, err } = await desk.run('judge', 'evidence.json.gz');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('evidence.json.gz: this file is compressed with gzip'),
    ]);
  });

  it('is refused when a round was copied', async () => {
    const round = job.rounds[0]!;
    desk.write('copies.json', JSON.stringify({ ...job, rounds: Array.from({ length: 9 }, () => round) }));
    const { code, err } = await desk.run('judge', 'copies.json');
    expect([code, err]).toEqual([2, expect.stringContaining('`rounds[1].index` is 0, wanted 1')]);
  });
});
