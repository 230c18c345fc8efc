import type { Row } from './shapes.d.mts';
export function filesOf(row: Row, version: string): Record<string, string>;
