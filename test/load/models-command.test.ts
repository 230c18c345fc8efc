import { describe, expect, test } from 'vitest';
import { main } from '../../src/cli.ts';

async function run(...args: readonly string[]): Promise<{ code: number; err: string }> {
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

const url = 'http://127.0.0.1:9/';

describe('bad input is refused before anything is sent, with its value, the wanted form and the way out', () => {
  test.each([
    ['load --model wrk', '--model is "wrk"; it wants open, closed or closed-intended'],
    ['load --model closed --concurrency 0', '--concurrency is "0"; it wants a whole number from 1 to 10000'],
    ['load --model closed --concurrency 2.5', '--concurrency is "2.5"; it wants a whole number'],
    [
      'load --model closed --arrivals poisson',
      '--arrivals is "poisson", which a closed loop does not take; drop it',
    ],
    ['load --model closed --seed 5', '--seed is "5", which a closed loop does not take'],
    ['load --model closed --think 5', '--think is "5"; it wants a duration such as'],
    ['load --model closed --rate fast', '--rate is "fast"; it wants a number'],
    ['load --model closed-intended', '--rate is missing; it wants requests a second'],
    [
      'load --model closed-intended --rate 5 --think 5ms',
      '--think is "5ms", which a closed loop with intended times',
    ],
    [
      'load --model closed-intended --rate 90000 --duration 60s',
      'makes 5400000 shots; it takes 1 to 2000000',
    ],
    [
      'load --rate 5 --concurrency 5',
      '--concurrency is "5", which an open loop does not take; drop it, or add --model closed',
    ],
    ['sweep --levels 5,10', '--levels is "5,10"; it wants 4 to 20 different levels'],
    ['sweep --requests 60', '--requests is 60 with 40 workers; it wants two for each at least, 80 or more'],
    ['sweep --requests 49', '--requests is "49"; it wants a whole number from 50 to 100000'],
    ['sweep --repeat 2', '--repeat is "2"; it wants a whole number from 3 to 20'],
    ['sweep --timeout 150', '--timeout is "150"; it wants a duration'],
    ['sweep --format html', '--format is "html"; it wants text or markdown'],
    ['sweep --limit 0', '--limit is "0"; it wants a whole number'],
    ['sweep --json nowhere/at-all/x.json', '--json is "nowhere/at-all/x.json", which cannot be written'],
  ])('%s', async (line, problem) => {
    const [command, ...flags] = line.split(' ');
    const { code, err } = await run(command!, url, ...flags);
    expect([code, err]).toEqual([2, expect.stringContaining(problem)]);
  });

  test('an address that is none', async () => {
    expect(await run('sweep', 'localhost:8080')).toMatchObject({
      code: 2,
      err: expect.stringContaining('"localhost:8080"'),
    });
  });
});
