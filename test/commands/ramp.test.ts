import { describe, expect, test } from 'vitest';
import { ramp } from '../../src/commands/ramp.ts';
import { rampSettings } from '../../src/commands/ramp-flags.ts';
import { TailgateError } from '../../src/kernel/errors.ts';

const terminal = {
  directory: '/nowhere',
  environment: {},
  signal: new AbortController().signal,
  print: () => undefined,
  tell: () => undefined,
  interactive: false,
};

/** What a command line is refused with, before anything is read or sent. */
async function refusal(flags: Record<string, string | boolean>, url?: string): Promise<TailgateError> {
  const ended = await ramp
    .run({ objective: '50ms', ...flags }, url === undefined ? [] : [url], terminal)
    .catch((error: unknown) => error);
  expect(ended).toBeInstanceOf(TailgateError);
  return ended as TailgateError;
}

describe('a flag that the ramp would not follow', () => {
  test.each<Record<string, string | boolean>>([
    { method: 'POST' },
    { body: 'a secret' },
    { header: 'authorization: secret' },
    { timeout: '1s' },
    { 'max-sockets': '8' },
    { http2: true },
    { 'unix-socket': '/run/app.sock' },
    { insecure: true },
  ])('is refused with a configuration: %j', async (flag) => {
    for (const more of [{}, { baseline: 'main' }]) {
      const { code, message } = await refusal({ config: 'tailgate.yml', ...more, ...flag });
      expect(code).toBe('usage');
      expect(message).toMatch(`--${Object.keys(flag)[0]} goes with a URL; with --config FILE the file says`);
      expect(message).not.toContain('secret');
    }
  });

  test('is refused with a URL: --scenario', async () => {
    const { code, message } = await refusal({ scenario: 'nosuch' }, 'http://127.0.0.1:9/');
    expect(code).toBe('usage');
    expect(message).toBe(
      '--scenario names one of a configuration, and a URL has none: drop it, or give --config FILE instead of the URL',
    );
  });
});

describe('a time budget', () => {
  const wishes = (flags: Record<string, string | boolean>) => rampSettings({ objective: '50ms', ...flags });
  const refused = (flags: Record<string, string | boolean>): { message: string; hint: string } => {
    try {
      wishes(flags);
    } catch (error) {
      if (error instanceof TailgateError) return { message: error.message, hint: error.hint ?? '' };
    }
    throw new Error(`${JSON.stringify(flags)} was not refused`);
  };

  test('that does not hold the first step is refused, with one and a rate that would do', () => {
    const { message, hint } = refused({ from: '20', 'time-budget': '20s' });
    expect(message).toBe(
      '--time-budget 20 s does not hold the first step: --from 20 asks for 1,000 requests at 20/s, and with what comes before them that takes 59 s',
    );
    expect(hint).toBe('give --time-budget 59s or more, or --from 80');
    expect(wishes({ from: '20', 'time-budget': '59s' }).from).toBe(20);
    expect(wishes({ from: '80', 'time-budget': '20s' }).from).toBe(80);
  });

  test('is only in part for the search where the way to failure comes after it', () => {
    const flags = { from: '20', 'time-budget': '59s', 'to-failure': true };
    expect(refused(flags).message).toContain('59 s, of which the search has 60 %, does not hold');
    expect(refused(flags).hint).toMatch(/^give --time-budget 98s or more/);
    expect(wishes({ ...flags, 'time-budget': '98s' }).toFailure).toBe(true);
  });

  test('names no rate where none would do', () => {
    expect(refused({ from: '20', 'time-budget': '2s' }).hint).toBe('give --time-budget 59s or more');
    expect(refused({ from: '20', most: '60', 'time-budget': '20s' }).hint).not.toContain('--from');
  });
});
