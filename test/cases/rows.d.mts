import type { Pair, Row } from './shapes.d.mts';
export const groups: Readonly<Record<'pairs' | 'swaps' | 'all', readonly string[]>>;
export function rowOf(id: string): Row;
export function select(names: readonly string[]): Row[];
export function expectedText(pair: Pair): string;
