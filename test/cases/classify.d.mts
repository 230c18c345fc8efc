import type { Classification, Observation, Row } from './shapes.d.mts';
export function classify(row: Row, result: Observation, forward?: Observation | null): Classification;
export function isNegative(row: Row): boolean;
