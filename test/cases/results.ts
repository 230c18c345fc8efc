/** Observations as a run would make them, to be varied. */
import { rowOf } from './rows.mjs';
import type { Command, Observed, Result } from './shapes.d.mts';

type States = Readonly<Record<string, string>>;

const change = (state: string): Pick<Observed, 'effect' | 'interval'> => {
  if (state === 'regressed') return { effect: 1, interval: [0.8, 1.25] };
  if (state === 'improved') return { effect: -0.5, interval: [-0.55, -0.45] };
  return { effect: 0.01, interval: [-0.05, 0.07] };
};

export const observed = (metric: string, state: string, more: Partial<Observed> = {}): Observed => ({
  metric,
  route: metric === 'microbenchmark' ? null : 'R01',
  name: null,
  judged: true,
  state,
  kind: 'ratio',
  ...change(state),
  spread: 0.06,
  detectable: 0.12,
  rounds: 9,
  reason: null,
  ...more,
});

export const command = (outcome: string, reason: string | null = null): Command => ({
  exitCode: outcome === 'pass' ? 0 : 1,
  seconds: 60,
  outcome,
  reason,
});

/** A result of the row in which every metric is unchanged but those named; `micro` is every benchmark of the route. */
export function resultOf(id: string, states: States = {}, more: Partial<Result> = {}): Result {
  const { routes } = rowOf(id);
  const red = Object.values(states).includes('regressed');
  const findings = routes.flatMap((route) => {
    const state = (metric: string): string =>
      states[`${route.id} ${metric}`] ?? states[metric] ?? 'unchanged';
    return [
      ...['p50', 'p90', 'cpu', 'cpu-total', 'tail', 'errors'].map((metric) =>
        observed(metric, state(metric), { route: route.id }),
      ),
      ...route.run.map((name) =>
        observed('microbenchmark', state('micro'), { name: `hot.bench.mjs > ${name}` }),
      ),
    ];
  });
  return {
    id,
    at: '2026-01-02T03:04:05.000Z',
    seconds: 125,
    budget: 120,
    tailgate: '1.2.3 (abc1234)',
    machine: { cpu: 'A processor', cpus: 2, system: 'linux 6.1', node: 'v20.0.0' },
    gate: command(red ? 'regression' : 'pass'),
    tail: Object.fromEntries(routes.map((route) => [route.id, 'p90'])),
    bodies: null,
    findings,
    ...more,
  };
}
