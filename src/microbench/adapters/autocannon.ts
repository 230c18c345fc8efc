/** autocannon's JSON (`--json`): latency in whole milliseconds, requests and bytes a second, failures as counts. */
import type { Adapter } from './adapter.ts';
import { at, isRecord, textAt } from './adapter.ts';
import { countOf, quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

const percentiles = { p50: 'p50', p90: 'p90', p97_5: 'p97.5', p99: 'p99', p99_9: 'p99.9' } as const;

export const autocannon: Adapter = {
  format: 'autocannon',
  title: 'autocannon JSON',
  shape: 'json',
  recognises: ({ json: [root] }) =>
    isRecord(at(root, 'latency')) && isRecord(at(root, 'requests')) && at(root, 'non2xx') !== undefined
      ? 1
      : 0,
  read: ({ json: [root] }) => {
    const sheet = new RowSheet();
    const title = textAt(root, 'title');
    const name = (what: string): string => (title === null ? what : `${title}: ${what}`);
    const answered = Number(at(root, 'latency', 'totalCount') ?? at(root, 'requests', 'total'));
    const nothing = answered === 0 ? 'not one request was answered' : null;
    const milliseconds = quantityOf('ms');
    sheet.add({
      name: name('latency mean'),
      quantity: milliseconds,
      value: at(root, 'latency', 'mean'),
      spread: at(root, 'latency', 'stddev') ?? null,
      problem: nothing,
    });
    for (const [field, shown] of Object.entries(percentiles)) {
      const value = at(root, 'latency', field);
      if (value === undefined) continue;
      sheet.add({
        name: name(`latency ${shown}`),
        quantity: milliseconds,
        value,
        spread: null,
        problem: nothing,
      });
    }
    for (const [field, shown, unit] of [
      ['requests', 'requests/s', 'requests/s'],
      ['throughput', 'bytes/s', 'bytes/s'],
    ] as const) {
      sheet.add({
        name: name(shown),
        quantity: quantityOf(unit),
        value: at(root, field, 'mean'),
        spread: at(root, field, 'stddev') ?? null,
        problem: nothing,
      });
    }
    for (const field of ['errors', 'timeouts', 'non2xx'] as const) {
      sheet.add({ name: name(field), quantity: countOf('errors'), value: at(root, field), spread: null });
      const count = Number(at(root, field));
      if (count > 0)
        sheet.warn('errors-counted', `${count} ${field}: quick failures make latency look better than it is`);
    }
    warnOfLost(sheet, root);
    return sheet.result();
  },
};

/**
 * Requests whose connection the server closed are in no count of failures. What is on its way when the run ends is
 * sent and not answered; and with a rate autocannon 8 begins its count of sent requests at those of a whole second
 * (lib/run.js), whether or not they were sent, so as many as the best second had are no sign of loss.
 */
function warnOfLost(sheet: RowSheet, root: unknown): void {
  const count = (...path: readonly string[]): number => Number(at(root, ...path) ?? 0);
  const sent = count('requests', 'sent');
  const answered = count('requests', 'total');
  const onTheWay = count('connections') * Number(at(root, 'pipelining') ?? 1);
  if (!(sent - answered > onTheWay + count('requests', 'max'))) return;
  sheet.warn(
    'requests-unanswered',
    `${sent} requests were sent and ${answered} answered: autocannon counts a request whose connection was closed nowhere, and it is in no latency figure`,
    'with a rate (-R) and a run of less than a second autocannon may count more as sent than were',
  );
}
