import type { Pair } from './shapes.d.mts';
export const pairs: readonly Pair[];
