import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { LatencyHistogram } from '../../../src/evidence/histogram.ts';
import { ns } from '../../../src/kernel/units.ts';
import { addHistograms, decodeHistogram, valueAt } from '../../../src/microbench/adapters/hdr-payload.ts';

/** Three counts of two digits: 5 ns twice, 300 ns three times; 300 lies in the second bucket, two values wide. */
function words(version: 'V0' | 'V1', width: 2 | 4 | 8): string {
  const header = Buffer.alloc(version === 'V0' ? 32 : 40);
  const cookie = { V0: 0x1c849308, V1: 0x1c849301 }[version] | (width << 4);
  header.writeUInt32BE(cookie, 0);
  const counts = Buffer.alloc(width * 300);
  const put = (index: number, count: number): void => {
    if (width === 2) counts.writeInt16BE(count, index * 2);
    else if (width === 4) counts.writeInt32BE(count, index * 4);
    else counts.writeBigInt64BE(BigInt(count), index * 8);
  };
  put(5, 2);
  // 256 sub-buckets: from 256 on, two values share a count, so 300 is the 22nd after index 256.
  put(256 + 22, 3);
  if (version === 'V0') {
    header.writeInt32BE(2, 4);
    header.writeBigInt64BE(1n, 8);
    header.writeBigInt64BE(1000n, 16);
    header.writeBigInt64BE(5n, 24);
  } else {
    header.writeInt32BE(counts.length, 4);
    header.writeInt32BE(2, 12);
    header.writeBigInt64BE(1n, 16);
    header.writeBigInt64BE(1000n, 24);
    header.writeDoubleBE(1, 32);
  }
  const packed = deflateSync(Buffer.concat([header, counts]));
  const outer = Buffer.alloc(8);
  outer.writeUInt32BE({ V0: 0x1c849309, V1: 0x1c849302 }[version] | (width << 4), 0);
  outer.writeInt32BE(packed.length, 4);
  return Buffer.concat([outer, packed]).toString('base64');
}

test.each([
  ['V0', 2],
  ['V0', 4],
  ['V0', 8],
  ['V1', 2],
  ['V1', 4],
  ['V1', 8],
] as const)('a histogram of %s with counts of %d bytes is decoded', (version, width) => {
  expect(decodeHistogram(words(version, width))).toEqual({
    total: 5,
    buckets: [
      { value: 5, count: 2 },
      { value: 301, count: 3 },
    ],
  });
});

test('V2 agrees with the histograms that the evidence keeps', () => {
  const kept = new LatencyHistogram();
  for (let value = 1; value < 20000; value += 7) kept.record(ns(value * value));
  const decoded = decodeHistogram(kept.encode());
  expect(decoded.total).toBe(Math.ceil(19999 / 7));
  for (const share of [0.01, 0.5, 0.9, 0.99, 0.999, 1]) {
    // Both name a value of the same bucket, which is at most 0.1 % wide.
    expect(valueAt(decoded, share) / (kept.percentile(share) ?? Number.NaN)).toBeCloseTo(1, 2);
  }
});

test('percentiles are taken after adding', () => {
  const fast = { total: 99, buckets: [{ value: 1, count: 99 }] };
  const slow = { total: 1, buckets: [{ value: 1000, count: 1 }] };
  expect(valueAt(addHistograms([fast, slow]), 0.99)).toBe(1);
  expect(valueAt(addHistograms([fast, slow]), 0.999)).toBe(1000);
  expect(valueAt(addHistograms([]), 0.5)).toBeNaN();
});

test.each([
  ['', /too short/],
  [Buffer.alloc(40).toString('base64'), /does not begin like/],
  [Buffer.from('1c8493040000000478da', 'hex').toString('base64'), /./],
])('a payload that is no histogram is refused in words', (payload, message) => {
  expect(() => decodeHistogram(payload)).toThrow(message);
});
