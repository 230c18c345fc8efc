import type { Classification, Result, Row } from './shapes.d.mts';

interface Judged extends Classification {
  readonly row: Row;
  readonly result: Result;
}
export function judgedRows(results: readonly Result[]): Judged[];
export function rowText(judged: Judged): string;
export function summaryText(rows: readonly Judged[]): string;
export const handMark: string;
export function page(rows: readonly Judged[], earlier?: string | null): string;
