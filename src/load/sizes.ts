/** Sizes drawn from a distribution, and letters that fill them. */
import type { SizeSettings } from '../config/settings.ts';
import { assertNever } from '../kernel/errors.ts';
import { type Random, seededRandom } from '../kernel/world.ts';

/** z of the 99th percentile of the standard normal distribution. */
const z99 = 2.3263478740408408;

/**
 * One size in bytes. Lognormal: median · exp(σz) with σ = ln(p99 / median) / 2.326, so that 1 % are above p99.
 * @param most never exceeded, whatever is drawn.
 */
export function drawSize(size: SizeSettings, random: Random, most: number): number {
  switch (size.kind) {
    case 'fixed':
      return Math.min(most, size.bytes);
    case 'uniform':
      return Math.min(most, size.from + random.below(size.to - size.from + 1));
    case 'lognormal': {
      const sigma = Math.log(size.p99 / size.median) / z99;
      return Math.min(most, Math.round(size.median * Math.exp(sigma * standardNormal(random))));
    }
    case 'histogram': {
      const sum = size.bins.reduce((total, bin) => total + bin.weight, 0);
      let left = random.next() * sum;
      const drawn = size.bins.find((bin) => {
        left -= bin.weight;
        return left < 0;
      });
      return Math.min(most, (drawn ?? size.bins.at(-1)!).bytes);
    }
    default:
      return assertNever(size);
  }
}

/** Box and Muller (1958); the second of the pair is not used, so that each draw takes two numbers. */
function standardNormal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const blockLength = 64 * 1024;
let block: string | null = null;

/** Letters and digits: the same for the same start, without drawing each of them. */
export function letters(length: number, start: number): string {
  if (block === null) {
    const random = seededRandom('letters');
    block = Array.from({ length: blockLength }, () => alphabet[random.below(alphabet.length)]).join('');
  }
  let text = block.slice(start % blockLength, (start % blockLength) + length);
  while (text.length < length) text += block.slice(0, length - text.length);
  return text;
}
