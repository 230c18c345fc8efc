/** Of tailgate.yml: how requests are spread over time. */
import { z } from 'zod';
import { choice, duration, group, ratio } from './schema-values.ts';
import type { Arrivals } from './settings.ts';

const wanted = 'wanted constant, poisson, ramp, burst, or a group such as ramp: { from: 50%, to: 150% }';

const pace = ratio.refine((value) => value >= 0.01 && value <= 20, {
  error: 'wanted a share from 1% to 2000%',
});
const ramp = group({
  from: pace.prefault('50%').describe('Of the mean rate, at the beginning of a slice.'),
  to: pace.prefault('150%').describe('At its end.'),
});

const factorError = 'wanted a number above 1, at most 1000';
const burst = group({
  every: duration('10ms', '1h').prefault('1s'),
  for: duration('1ms', '1h').prefault('100ms'),
  factor: z
    .number({ error: factorError })
    .gt(1, { error: factorError })
    .max(1000, { error: factorError })
    .default(5)
    .describe('Times the rate between bursts.'),
}).refine((value) => value.for < value.every, {
  path: ['for'],
  error: '`for` must be shorter than `every`',
  when: ({ value }) => typeof (value as { every?: unknown } | null)?.every === 'number',
});

const shaped = group({ ramp: ramp.optional(), burst: burst.optional() }).refine(
  (value) => (value.ramp === undefined) !== (value.burst === undefined),
  { error: 'wanted either `ramp` or `burst`', when: () => true },
);

/** Over time the mean rate is the scenario's, whatever the form. */
export const arrivals = z
  .union([choice(['constant', 'poisson', 'ramp', 'burst']), shaped], { error: wanted })
  .transform((value) => {
    switch (value) {
      case 'constant':
      case 'poisson':
        return value;
      case 'ramp':
        return { kind: 'ramp' as const, ...ramp.parse({}) };
      case 'burst':
        return shapeOfBurst(burst.parse({}));
      default:
        return value.ramp === undefined
          ? shapeOfBurst(value.burst!)
          : { kind: 'ramp' as const, ...value.ramp };
    }
  });

function shapeOfBurst({ every, for: length, factor }: z.output<typeof burst>) {
  return { kind: 'burst' as const, every, length, factor };
}

/** A word of the command line, with the defaults of its form; null when it is none. */
export function readArrivals(word: string): Arrivals | null {
  const result = arrivals.safeParse(word);
  return result.success ? result.data : null;
}
