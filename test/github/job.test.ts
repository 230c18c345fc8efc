import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { annotate } from '../../src/github/annotations.ts';
import { leaveForPost, leftForPost, readInputs } from '../../src/github/inputs.ts';
import { jobLog } from '../../src/github/log.ts';
import { writeOutputs } from '../../src/github/outputs.ts';
import { summaryLimit, writeSummary } from '../../src/github/summary.ts';
import { type Outcome, outcomes } from '../../src/kernel/words.ts';
import { withVariables, written } from './capture.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tailgate-job-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('annotations', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ title: `row ${index}`, message: `p99 rose ${index}` }));

  it('are ten at most, the last one counting those left out', async () => {
    const lines = (await written(() => annotate('regression', true, many(25)))).trim().split('\n');
    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe('::error title=row 0::p99 rose 0');
    expect(lines[9]).toBe('::error title=Tailgate%3A 16 more::16 more rows are in the job summary.');
  });

  it('are all there when there are ten', async () => {
    const lines = (await written(() => annotate('invalid', true, many(10)))).trim().split('\n');
    expect(lines).toHaveLength(10);
    expect(lines[9]).toBe('::error title=row 9::p99 rose 9');
  });

  const quiet: Record<Outcome, string> = {
    pass: '',
    regression: '::warning',
    invalid: '::warning',
    'service-failed': '::warning',
    'no-baseline': '::warning',
    inconclusive: '::warning',
    skipped: '::notice',
  };
  it.each(outcomes)('of a job that stays green are no errors: %s', async (outcome) => {
    const text = await written(() => annotate(outcome, false, many(1)));
    expect(text).toBe(outcome === 'pass' ? '' : `${quiet[outcome]} title=row 0::p99 rose 0\n`);
  });

  it.each(outcomes)('of a job that fails are errors: %s', async (outcome) => {
    expect(await written(() => annotate(outcome, true, many(1)))).toBe('::error title=row 0::p99 rose 0\n');
  });

  it('cannot be ended early, nor start another command', async () => {
    const hostile = { title: 'a,b::c\n::warning::x', message: 'rose 5 %\r\n::set-output name=a::b' };
    const text = await written(() => annotate('regression', true, [hostile]));
    expect(text.trim().split(/\r?\n/)).toEqual([
      '::error title=a%2Cb%3A%3Ac%0A%3A%3Awarning%3A%3Ax::rose 5 %25%0D%0A::set-output name=a::b',
    ]);
  });

  it('are clamped', async () => {
    const long = { title: 't'.repeat(10_000), message: 'm'.repeat(100_000) };
    expect((await written(() => annotate('regression', true, [long]))).length).toBeLessThan(1_500);
  });
});

describe('the log of the job', () => {
  it('folds groups, one at a time', async () => {
    const text = await written(() => {
      const log = jobLog();
      log.group('Build\nbaseline');
      log.info('npm ci');
      log.group('Measure');
      log.endGroup();
      log.endGroup();
    });
    expect(text.split('\n')).toEqual([
      '::group::Build baseline',
      'npm ci',
      '::endgroup::',
      '::group::Measure',
      '::endgroup::',
      '',
    ]);
  });

  it('repeats lines of a service without obeying them', async () => {
    const lines = [
      '::stop-commands::abc',
      '   ::add-mask::a',
      'x ##[error]boo',
      'a::b',
      'late\r::warning::hidden',
      '\u00a0::error::x',
      '\u0085::error::y',
    ];
    const text = await written(() => jobLog().info(lines.join('\n')));
    for (const line of text.split('\n')) {
      expect(line).not.toMatch(/^[\s\u0085]*::/);
      expect(line).not.toContain('##[');
      expect(line).not.toContain('\r');
    }
    expect(text).toContain('a::b');
    expect(text).toContain('stop-commands');
  });

  it('says a notice together with its way out', async () => {
    const text = await written(() => jobLog().tell({ code: 'x', message: 'It is so.', hint: 'Do this.' }));
    expect(text).toBe('::notice::It is so. Do this.\n');
  });

  it('asks the runner to mask a secret, and never an empty one', async () => {
    const text = await written(() => {
      jobLog().mask('ghs_secret');
      jobLog().mask('');
    });
    expect(text).toBe('::add-mask::ghs_secret\n');
  });
});

describe('the job summary', () => {
  const file = () => join(folder, 'summary.md');
  const environment = () => ({ GITHUB_STEP_SUMMARY: file() });

  it('is appended to what the step has written already', async () => {
    await writeFile(file(), 'earlier\n');
    expect(await writeSummary(environment(), ['the report'])).toEqual({ kind: 'written', form: 'longest' });
    expect(await readFile(file(), 'utf8')).toBe('earlier\nthe report\n');
  });

  it('takes the longest form that fits, counted in bytes', async () => {
    // 400,000 characters of three bytes each: short enough in characters, too long in bytes.
    const forms = ['€'.repeat(400_000), 'judged rows', 'verdict'];
    expect(await writeSummary(environment(), forms)).toEqual({ kind: 'written', form: 'shorter' });
    expect(await readFile(file(), 'utf8')).toBe('judged rows\n');
  });

  it('leaves no more than the limit together with what was there', async () => {
    await writeFile(file(), 'x'.repeat(summaryLimit - 20));
    await writeSummary(environment(), ['y'.repeat(100), 'verdict']);
    const text = await readFile(file(), 'utf8');
    expect(text.endsWith('xverdict\n')).toBe(true);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(summaryLimit);
  });

  it('is cut between two lines when no form fits', async () => {
    const line = 'a row of the table €';
    const long = Array.from({ length: 100_000 }, () => line).join('\n');
    expect(await writeSummary(environment(), [long])).toEqual({ kind: 'written', form: 'cut' });
    const text = await readFile(file(), 'utf8');
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(summaryLimit);
    expect(Buffer.byteLength(text)).toBeGreaterThan(summaryLimit - 200);
    const lines = text.trimEnd().split('\n');
    expect(lines.at(-1)).toBe('_Cut here: a job summary holds 900 KiB._');
    expect(lines.slice(0, -2).every((one) => one === line)).toBe(true);
  });

  it('is nothing to worry about outside a job', async () => {
    expect(await writeSummary({}, ['the report'])).toEqual({ kind: 'skipped' });
    expect(await writeSummary({ GITHUB_STEP_SUMMARY: '' }, ['the report'])).toEqual({ kind: 'skipped' });
  });

  it('that cannot be written is a notice', async () => {
    const result = await writeSummary({ GITHUB_STEP_SUMMARY: join(folder, 'no', 'such', 'place') }, ['x']);
    expect(result.kind).toBe('refused');
  });
});

describe('outputs', () => {
  it('reach the steps after this one, whatever lines they have', async () => {
    const file = join(folder, 'outputs');
    await writeFile(file, '');
    const notice = await withVariables({ GITHUB_OUTPUT: file }, () =>
      writeOutputs({
        verdict: 'pass',
        regressions: [{ row: 'a\nb' }],
        'p99-change': 'x\nEOF\ny=z',
        none: null,
      }),
    );
    expect(notice).toBeNull();
    const text = await readFile(file, 'utf8');
    expect(text).toMatch(/^verdict<<(ghadelimiter_\S+)\npass\n\1$/m);
    expect(text).toMatch(/^regressions<<(ghadelimiter_\S+)\n\[\{"row":"a\\nb"\}\]\n\1$/m);
    expect(text).toMatch(/^p99-change<<(ghadelimiter_\S+)\nx\nEOF\ny=z\n\1$/m);
    expect(text).toMatch(/^none<<(ghadelimiter_\S+)\n\n\1$/m);
  });

  it('that cannot be written are a notice', async () => {
    const notice = await withVariables({ GITHUB_OUTPUT: join(folder, 'gone') }, () =>
      writeOutputs({ verdict: 'pass' }),
    );
    expect(notice?.code).toBe('outputs-failed');
  });
});

describe('inputs', () => {
  it('that are absent or blank are left out', async () => {
    const variables = {
      INPUT_START: '  node server.js ',
      'INPUT_TIME-BUDGET': '4m',
      INPUT_PATH: ' ',
      INPUT_ID: undefined,
    };
    const given = await withVariables(variables, () => readInputs(['start', 'time-budget', 'path', 'id']));
    expect(given).toEqual({ start: 'node server.js', 'time-budget': '4m' });
  });
});

describe('what the main part leaves for the post part', () => {
  it('is written to the file of the runner and read from its variables', async () => {
    const file = join(folder, 'state');
    await writeFile(file, '');
    await withVariables({ GITHUB_STATE: file }, () => leaveForPost('leftovers', '/tmp/ledger'));
    expect(await readFile(file, 'utf8')).toContain('/tmp/ledger');
    await withVariables({ STATE_leftovers: '/tmp/ledger' }, () => {
      expect(leftForPost('leftovers')).toBe('/tmp/ledger');
      expect(leftForPost('nothing')).toBe('');
    });
  });
});
