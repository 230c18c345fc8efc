/** What cargo-criterion prints with `--message-format=json` (shape from its book): one JSON message a line, every sample in it. */
import type { Adapter, JsonRecord } from './adapter.ts';
import { at, records, textAt } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

export const criterionMessages: Adapter = {
  format: 'criterion-messages',
  title: 'cargo-criterion JSON messages',
  shape: 'json-lines',
  recognises: ({ json }) =>
    json.some((message) => ['benchmark-complete', 'group-complete'].includes(textAt(message, 'reason') ?? ''))
      ? 1
      : 0,
  read: ({ json }) => {
    const sheet = new RowSheet();
    for (const message of records(json)) {
      if (message['reason'] !== 'benchmark-complete') continue;
      sheet.add({
        name: textAt(message, 'id') ?? '',
        quantity: quantityOf(textAt(message, 'unit') ?? 'ns'),
        value: at(message, 'typical', 'estimate') ?? at(message, 'mean', 'estimate') ?? null,
        samples: samplesOf(message),
      });
    }
    return sheet.result();
  },
};

/** Each sample measured many iterations; the row counts one. */
function samplesOf(message: JsonRecord): readonly unknown[] {
  const { measured_values: measured, iteration_count: iterations } = message;
  if (!Array.isArray(measured) || !Array.isArray(iterations) || measured.length !== iterations.length)
    return [];
  return measured.map((value, index) => Number(value) / Number(iterations[index]));
}
