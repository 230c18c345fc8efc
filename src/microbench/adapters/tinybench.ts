/** tinybench tasks as JSON, version 2 (flat, milliseconds) to 6 (latency nested), and its table() rows; shape of 6 from running 6.2.5. */
import type { Adapter, JsonRecord } from './adapter.ts';
import { at, isEmptyList, isRecord, likeEmpty, records, textAt, toldRecords } from './adapter.ts';
import { quantityOf, readNumber } from './quantities.ts';
import { RowSheet } from './sheet.ts';

export const tinybench: Adapter = {
  format: 'tinybench',
  title: 'tinybench JSON',
  shape: 'json',
  recognises: ({ json: [root] }) => {
    const tasks = tasksOf(root);
    if (tasks.some(isTableRow)) return 1;
    const known = tasks.filter((task) => typeof task['name'] === 'string' && isRecord(task['result']));
    if (known.length === 0) return isEmptyList(root) || isEmptyList(at(root, 'tasks')) ? likeEmpty : 0;
    return known.some((task) => isMeasured(task['result']) || 'runs' in task) ? 1 : 0.3;
  },
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    for (const task of toldRecords(sheet, Array.isArray(root) ? root : at(root, 'tasks'), 'tasks')) {
      if (isTableRow(task)) addTableRow(sheet, task);
      else addTask(sheet, task);
    }
    return sheet.result();
  },
};

/** A list of tasks, or the bench object with them. */
function tasksOf(root: unknown): readonly JsonRecord[] {
  return Array.isArray(root) ? records(root) : records(at(root, 'tasks'));
}

function isMeasured(result: unknown): boolean {
  return (
    isRecord(result) && ('hz' in result || 'latency' in result || 'error' in result || 'state' in result)
  );
}

function addTask(sheet: RowSheet, task: JsonRecord): void {
  const { result } = task;
  const latency = isRecord(at(result, 'latency')) ? at(result, 'latency') : result;
  const samples = at(latency, 'samples');
  sheet.add({
    name: textAt(task, 'name') ?? '',
    quantity: quantityOf('ms'),
    value: at(latency, 'mean') ?? null,
    // Version 2 sorts its samples and always keeps them: they show the shape, not the order.
    samples: Array.isArray(samples) ? (samples as unknown[]) : [],
    spread: at(latency, 'sd') ?? null,
    problem: problemOf(result),
  });
}

function problemOf(result: unknown): string | null {
  const state = textAt(result, 'state');
  const error = at(result, 'error');
  if (error !== undefined && error !== null) {
    // An Error has no fields that JSON would keep, so the message is usually lost.
    return `the benchmark threw ${textAt(error, 'message') ?? (typeof error === 'string' ? error : 'an error whose message is not in the file')}`;
  }
  if (state !== null && !state.startsWith('completed') && !state.startsWith('aborted-with')) {
    return `tinybench says: ${state}`;
  }
  return null;
}

function isTableRow(row: JsonRecord): boolean {
  return ('Task name' in row || 'Task Name' in row) && Object.keys(row).length > 1;
}

/** `bench.table()`: text for people, in nanoseconds, with the mean first. */
function addTableRow(sheet: RowSheet, row: JsonRecord): void {
  const column = (start: string): unknown => Object.entries(row).find(([key]) => key.startsWith(start))?.[1];
  const [average, margin] = String(
    column('Latency avg') ?? column('Latency average') ?? column('Average Time') ?? '',
  ).split('±');
  const value = readNumber((average ?? '').trim());
  const share = readNumber(
    (margin ?? String(column('Margin') ?? '').replace('±', '')).replace('%', '').trim(),
  );
  const error = column('Error');
  sheet.add({
    name: String(row['Task name'] ?? row['Task Name']),
    quantity: quantityOf('ns'),
    value: (average ?? '').trim(),
    spread: value.kind === 'number' && share.kind === 'number' ? (value.value * share.value) / 100 : null,
    problem: typeof error === 'string' ? `the benchmark threw ${error}` : null,
  });
}
