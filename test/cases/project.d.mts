import type { Row } from './shapes.d.mts';
export const microbenchmarksBy: 'bench' | 'gate';
export function filesOf(row: Row, version: string): Record<string, string>;
