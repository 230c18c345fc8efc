import { describe, expect, test, vi } from 'vitest';
import { main } from '../../src/cli.ts';
import { isHere, machineNotes } from '../../src/commands/target-machine.ts';

const machine = vi.hoisted(() => ({ cpus: 2 }));
vi.mock('../../src/service/machine.ts', async (original) => ({
  ...(await original<typeof import('../../src/service/machine.ts')>()),
  usableCpus: () => machine.cpus,
}));

const plain = { keepAlive: true, connectTimeout: null, tls: null, http2: null, socketPath: null };
const at = (origin: string, socketPath: string | null = null) => ({
  origin,
  host: null,
  transport: { ...plain, socketPath },
});
const codes = (cpus: number, senders = 1) =>
  machineNotes(at('http://127.0.0.1:80'), cpus, senders).map(({ code }) => code);

describe('what is said of the machine that generator and service are on', () => {
  test.each([
    ['http://127.0.0.1:8080', true],
    ['http://127.9.9.9', true],
    ['http://[::1]:8080', true],
    [new URL('http://[::ffff:127.0.0.1]:8080').origin, true],
    ['https://localhost:8443', true],
    ['http://app.localhost', true],
    ['http://128.0.0.1', false],
    ['http://127.0.0.1.example.org', false],
    ['http://localhost.example.org', false],
  ])('%s is here: %s', (origin, here) => {
    expect(isHere(at(origin))).toBe(here);
  });

  test('a Unix socket is here, whatever host the URL gives', () => {
    expect(isHere(at('http://example.org', '/run/app.sock'))).toBe(true);
  });

  test('one CPU is unfit, also as the limit of a container; two are shared; nothing is said of a target elsewhere', () => {
    expect(codes(1)).toEqual(['too-few-cpus']);
    expect(codes(1.5)).toEqual(['too-few-cpus']);
    expect(codes(2)).toEqual(['shared-cpus']);
    expect(codes(4, 4)).toEqual(['shared-cpus']);
    expect(machineNotes(at('http://128.0.0.1'), 1)).toEqual([]);
  });

  test.runIf(process.platform === 'linux')('four CPUs are enough for both', () => {
    expect(codes(4)).toEqual([]);
  });
});

/** Nothing listens there: what is said of the machine comes before that is found out. */
const nowhere = 'http://127.0.0.1:9/';

async function told(cpus: number, ...args: readonly string[]): Promise<{ code: number; err: string }> {
  machine.cpus = cpus;
  let err = '';
  const code = await main(args, {
    directory: process.cwd(),
    environment: {},
    signal: new AbortController().signal,
    print: () => {},
    tell: (text) => {
      err += `${text}\n`;
    },
    interactive: false,
  });
  return { code, err };
}

describe('told before anything is sent', () => {
  const commands = [
    'load --rate 5',
    'load --model closed',
    'load --model closed-intended --rate 5',
    'sweep --requests 100',
  ];

  test.each(commands)('one CPU: %s', async (line) => {
    const { code, err } = await told(1, ...line.split(' '), nowhere);
    expect(err).toContain('warning: this machine lets the job use 1 CPU: generator and services take turns');
    expect(err).toContain('did not answer');
    expect(code).toBe(4);
  });

  test.each(commands)('two CPUs: %s', async (line) => {
    const { err } = await told(2, ...line.split(' '), nowhere);
    expect(err).not.toContain('warning:');
    expect(err).toContain('note: generator and service share 2 CPUs: these figures are fit for comparing');
  });
});
