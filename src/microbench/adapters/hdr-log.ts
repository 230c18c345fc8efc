/** HdrHistogram interval logs (.hlog, payload V0 to V2): intervals of a tag are added up, then percentiles are taken. */
import { messageOf } from '../../kernel/errors.ts';
import type { Adapter } from './adapter.ts';
import { addHistograms, type DecodedHistogram, decodeHistogram, valueAt } from './hdr-payload.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

const intervalLine = /^(?:Tag=([^,]*),)?\s*([\d.]+),\s*([\d.]+),\s*([\d.]+),\s*(HIST\S+)\s*$/;
const shares = { p50: 0.5, p90: 0.9, p99: 0.99, 'p99.9': 0.999 } as const;

export const hdrLog: Adapter = {
  format: 'hdr-histogram-log',
  title: 'HdrHistogram log',
  shape: 'text',
  recognises: ({ text }) => {
    if (/^(?:Tag=[^,]*,)?[\d.]+,\s*[\d.]+,\s*[\d.]+,\s*HIST/m.test(text)) return 1;
    return /^#\[Histogram log format version/m.test(text) ? 0.9 : 0;
  },
  read: ({ lines }) => {
    const sheet = new RowSheet();
    const { tags, broken, scale } = readHdrLog(lines);
    if (broken.count > 0) sheet.warn('interval-broken', broken.first);
    if (broken.count > 1)
      sheet.warn('interval-broken', `${broken.count} intervals in all cannot be read and are missing`);
    if (scale === null) {
      sheet.warn('unit-guessed', 'the log does not tell what its values count; nanoseconds were taken');
    }
    const quantity = quantityOf(scale === 1e3 ? 'us' : 'ns');
    for (const [tag, whole] of tags) {
      for (const [shown, share] of Object.entries(shares)) {
        sheet.add({
          name: tag === '' ? shown : `${tag} ${shown}`,
          quantity,
          value: valueAt(whole, share),
          spread: null,
          problem:
            whole.total === 0
              ? 'nothing was recorded'
              : broken.count > 0
                ? 'a part of the log cannot be read'
                : null,
        });
      }
    }
    return sheet.result();
  },
};

export interface HdrLog {
  /** The intervals of each tag, added up; '' for those without one. */
  readonly tags: ReadonlyMap<string, DecodedHistogram>;
  readonly broken: { readonly count: number; readonly first: string };
  /** Nanoseconds a unit of its values; null when the log does not tell. */
  readonly scale: 1 | 1e3 | null;
}

/** Reads an interval log as counts by value. */
export function readHdrLog(lines: readonly string[]): HdrLog {
  const tags = new Map<string, DecodedHistogram[]>();
  const broken = { count: 0, first: '' };
  let largest = { printed: 0, recorded: 0 };
  lines.forEach((line, index) => {
    if (line.trim() === '' || line.startsWith('#') || line.startsWith('"')) return;
    const interval = intervalLine.exec(line);
    const tag = interval?.[1] ?? '';
    try {
      if (interval === null) throw new Error('it is not an interval');
      const histogram = decodeHistogram(interval[5]!);
      const intervals = tags.get(tag) ?? [];
      tags.set(tag, intervals);
      intervals.push(histogram);
      const recorded = histogram.buckets.at(-1)?.value ?? 0;
      if (recorded > largest.recorded) largest = { printed: Number(interval[4]), recorded };
    } catch (error) {
      if (broken.count++ === 0) broken.first = `line ${index + 1} cannot be read: ${messageOf(error)}`;
    }
  });
  const whole = [...tags].map(([tag, intervals]) => [tag, addHistograms(intervals)] as const);
  return { tags: new Map(whole), broken, scale: scaleOf(largest) };
}

/**
 * A log names no unit, but its writer prints the largest value of an interval in milliseconds: that tells nanoseconds
 * from microseconds.
 */
function scaleOf(largest: { readonly printed: number; readonly recorded: number }): HdrLog['scale'] {
  const scale = largest.recorded / largest.printed;
  const near = (wanted: number): boolean => Math.abs(scale / wanted - 1) < 0.1;
  if (near(1e3)) return 1e3;
  return near(1e6) ? 1 : null;
}
