import type { Observation } from './shapes.d.mts';

interface Finished {
  readonly code: number | null;
  readonly seconds: number;
  readonly tail: readonly string[];
  readonly json: unknown;
}
export function observe(run: Finished): Observation;
