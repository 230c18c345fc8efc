/** Decodes the histograms inside a HdrHistogram log: V0, V1 and V2, compressed and base64, as counts by value. */
import { inflateSync } from 'node:zlib';

/** Layout after https://github.com/HdrHistogram/HdrHistogram, AbstractHistogram: values in the unit of the recorder. */
export interface DecodedHistogram {
  readonly total: number;
  /** Ascending; `value` is the highest that its bucket stands for. */
  readonly buckets: readonly { readonly value: number; readonly count: number }[];
}

const compressedCookies = { 478450441: 'V0', 478450434: 'V1', 478450436: 'V2' } as const;
const plainCookies = { 478450440: 'V0', 478450433: 'V1', 478450435: 'V2' } as const;
type Version = 'V0' | 'V1' | 'V2';
/** A log interval is a few hundred bytes; beyond this it was made to fill memory. */
const largestPayload = 32 * 1024 * 1024;

/** @throws Error in words when the payload is not a histogram of these versions. */
export function decodeHistogram(base64: string): DecodedHistogram {
  const outer = Buffer.from(base64, 'base64');
  if (outer.length < 8) throw new Error('the histogram is too short');
  const version = versionOf(outer.readUInt32BE(0), compressedCookies);
  if (version === null) throw new Error('it does not begin like a compressed histogram of version 0, 1 or 2');
  const length = outer.readUInt32BE(4);
  const inner = inflateSync(outer.subarray(8, 8 + length), { maxOutputLength: largestPayload });
  if (versionOf(inner.readUInt32BE(0), plainCookies) !== version) throw new Error('its two cookies disagree');
  return version === 'V0' ? readV0(inner) : readPacked(inner, version);
}

/** Nearest rank: the smallest value that at least `share` (0 to 1) of all counts do not exceed; NaN when there is none. */
export function valueAt(histogram: DecodedHistogram, share: number): number {
  const wanted = Math.max(1, Math.ceil(share * histogram.total - 1e-9));
  let seen = 0;
  for (const bucket of histogram.buckets) {
    seen += bucket.count;
    if (seen >= wanted) return bucket.value;
  }
  return histogram.buckets.at(-1)?.value ?? Number.NaN;
}

/** Counts added up: percentiles are taken only after this, never averaged. */
export function addHistograms(histograms: readonly DecodedHistogram[]): DecodedHistogram {
  const counts = new Map<number, number>();
  for (const { buckets } of histograms) {
    for (const { value, count } of buckets) counts.set(value, (counts.get(value) ?? 0) + count);
  }
  const buckets = [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => one.value - other.value);
  return { total: buckets.reduce((sum, bucket) => sum + bucket.count, 0), buckets };
}

/** The low byte's upper nibble tells the width of a count and is no part of the version. */
function versionOf(cookie: number, known: Readonly<Record<number, Version>>): Version | null {
  return known[(cookie & ~0xf0) >>> 0] ?? null;
}

/** V0: digits, lowest, highest, total, then counts as words. */
function readV0(buffer: Buffer): DecodedHistogram {
  const valueFor = bucketValues(buffer.readInt32BE(4), Number(buffer.readBigInt64BE(8)));
  return collect(wordCounts(buffer.subarray(32), buffer.readUInt32BE(0)), valueFor);
}

/** V1 and V2: length, normalising offset, digits, lowest, highest, ratio, then counts; words in V1, zigzag in V2. */
function readPacked(buffer: Buffer, version: 'V1' | 'V2'): DecodedHistogram {
  const payload = buffer.subarray(40, 40 + buffer.readInt32BE(4));
  const valueFor = bucketValues(buffer.readInt32BE(12), Number(buffer.readBigInt64BE(16)));
  const counts = version === 'V2' ? zigzagCounts(payload) : wordCounts(payload, buffer.readUInt32BE(0));
  return collect(counts, valueFor);
}

/** Counts of 2, 4 or 8 bytes, as the cookie says. */
function* wordCounts(payload: Buffer, cookie: number): Generator<[number, number]> {
  const width = (cookie >> 4) & 0xe;
  if (width !== 2 && width !== 4 && width !== 8) throw new Error(`counts of ${width} bytes are not known`);
  for (let index = 0; (index + 1) * width <= payload.length; index++) {
    const offset = index * width;
    if (width === 8) yield [index, Number(payload.readBigInt64BE(offset))];
    else yield [index, width === 4 ? payload.readInt32BE(offset) : payload.readInt16BE(offset)];
  }
}

/** ZigZag LEB128 of 64 bits (9 bytes at most); a negative number is a run of zero counts. */
function* zigzagCounts(payload: Buffer): Generator<[number, number]> {
  let index = 0;
  let offset = 0;
  while (offset < payload.length) {
    let coded = 0n;
    for (let byte = 0; byte < 9; byte++) {
      const next = payload[offset++];
      if (next === undefined) throw new Error('its counts are cut off');
      // The ninth byte carries eight bits and no mark.
      coded |= BigInt(byte === 8 ? next : next & 0x7f) << BigInt(7 * byte);
      if (byte === 8 || (next & 0x80) === 0) break;
    }
    const count = Number(BigInt.asIntN(64, (coded >> 1n) ^ -(coded & 1n)));
    if (count < 0) index += -count;
    else yield [index++, count];
  }
}

function collect(counts: Iterable<[number, number]>, valueFor: (index: number) => number): DecodedHistogram {
  const buckets: { value: number; count: number }[] = [];
  let total = 0;
  for (const [index, count] of counts) {
    if (count < 0) throw new Error('it has a negative count');
    if (count === 0) continue;
    buckets.push({ value: valueFor(index), count });
    total += count;
  }
  return { total, buckets };
}

/** The highest value equivalent to that of a counts index, from the precision in digits and the lowest discernible value. */
function bucketValues(digits: number, lowest: number): (index: number) => number {
  if (digits < 0 || digits > 5) throw new Error(`a precision of ${digits} digits is not known`);
  const unitMagnitude = Math.floor(Math.log2(Math.max(1, lowest)));
  const subBuckets = 2 ** Math.max(1, Math.ceil(Math.log2(2 * 10 ** digits)));
  const half = subBuckets / 2;
  return (index) => {
    const bucket = Math.max(0, Math.floor(index / half) - 1);
    const subBucket = index < subBuckets ? index : (index % half) + half;
    const width = 2 ** (bucket + unitMagnitude);
    return (subBucket + 1) * width - 1;
  };
}
