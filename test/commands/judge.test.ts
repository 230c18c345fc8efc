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
    ['cut off', (text: string) => text.slice(0, 9000), 'this file is not whole JSON: it ends with'],
    ['of another tool', () => '{"schema":"k6-summary"}', 'its `schema` is "k6-summary"'],
    ['of a later release', (text: string) => text.replace('"version":1', '"version":7'), '`version` 7'],
    ['edited', (text: string) => text.replace('"rounds":12', '"rounds":"12"'), '`plan.rounds` is "12"'],
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
      const broken = serialise(job).replaceAll(JSON.stringify(histograms.onTime), '"H4sIbroken"');
      desk.write('broken.json', broken);
      const { code, err } = await desk.run(name, 'broken.json');
      expect(code).toBe(2);
      expect(err).toContain('tailgate: broken.json: "H4sIbroken" is not a latency histogram');
    },
  );

  it('says that a packed file wants to be unpacked', async () => {
    desk.write('evidence.json.gz', gzipSync(serialise(job)));
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
