import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kernel/world.ts';
import {
  detectionFactor,
  hodgesLehmann,
  holm,
  holmWithTarone,
  interval,
  kOf,
  lowerMedian,
  medianOf,
  shiftOf,
  signedRankP,
  signFlipP,
  singleRunSpread,
  smallestDetectable,
  smallestP,
  spreadOf,
  upperBound,
  walsh,
} from '../../src/verdict/statistics.ts';
import { studentCdf, studentQuantile } from '../../src/verdict/student.ts';

const regression = [0.182, 0.095, 0.241, 0.133, 0.058, 0.31, 0.164, -0.042, 0.207, 0.121, 0.276, 0.149];
const pass = [0.011, -0.024, 0.017, -0.008, 0.031, -0.015, 0.004, -0.029, 0.022, 0.009, -0.012, -0.003];
const wide = [0.35, -0.42, 0.12, -0.18, 0.61, 0.05, -0.27, 0.48, -0.09, 0.22, -0.55, 0.31];
const tied = [0, 0.01, 0.01, -0.01, 0.02, 0.03, 0.03, 0, 0.04, 0.05];

const near = (actual: number, wanted: number, tolerance = 1e-9): void => {
  expect(Math.abs(actual - wanted), `${actual} is not ${wanted}`).toBeLessThanOrEqual(tolerance);
};

/** P(W ≤ k) by listing all 2^R sign choices: slow, and independent of the counting under test. */
function attainedByListing(rounds: number, k: number): number {
  let below = 0;
  for (let choice = 0; choice < 2 ** rounds; choice++) {
    let sum = 0;
    for (let rank = 1; rank <= rounds; rank++) if ((choice >> (rank - 1)) & 1) sum += rank;
    if (sum <= k) below += 1;
  }
  return below / 2 ** rounds;
}

describe('known answers', () => {
  it('takes the lower median of slices and the log-ratio of the sides', () => {
    const baseline = lowerMedian([4.61, 4.83, 61.2, 4.55, 5.02, 4.7, 4.95, 4.66]);
    const candidate = lowerMedian([5.2, 5.41, 5.02, 5.33, 88.0, 5.11, 5.6, 5.27]);
    expect([baseline, candidate]).toEqual([4.7, 5.27]);
    near(Math.log(candidate / baseline), 0.114467854);
  });

  it('takes the shift between the slices of both sides, which one stalled slice of each hardly moves', () => {
    const baseline = [4.61, 4.83, 61.2, 4.55, 5.02, 4.7, 4.95, 4.66].map(Math.log);
    const candidate = [5.2, 5.41, 5.02, 5.33, 88.0, 5.11, 5.6, 5.27].map(Math.log);
    near(shiftOf(baseline, candidate), 0.106154106);
    near(shiftOf(candidate, baseline), -0.106154106);
    expect(shiftOf([1, 2], [4])).toBe(2.5);
    expect(() => shiftOf([], [1])).toThrow(RangeError);
    expect(() => shiftOf([1], [])).toThrow(RangeError);
  });

  it('finds the regression', () => {
    expect(signedRankP(regression)).toBe(2 / 4096);
    near(hodgesLehmann(regression), 0.16075);
    near(Math.expm1(hodgesLehmann(regression)), 0.174391, 5e-7);
    expect(kOf(12, 0.025)).toBe(13);
    const [low, high] = interval(regression, 0.025);
    near(low, 0.0955);
    near(high, 0.2215);
    near(spreadOf(regression), 0.063);
    near(singleRunSpread(regression), 0.083026, 5e-7);
    near(smallestDetectable(regression), 0.092054, 5e-7);
    near(upperBound(regression, 0.05), 0.2115);
  });

  it('passes the unchanged one, early too', () => {
    expect(signedRankP(pass)).toBe(0.48486328125);
    near(hodgesLehmann(pass), 0.0005);
    const [low, high] = interval(pass, 0.025);
    near(low, -0.0125);
    near(high, 0.013);
    near(spreadOf(pass), 0.01275);
    near(singleRunSpread(pass), 0.020756, 5e-7);
    near(smallestDetectable(pass), 0.017982, 5e-7);
    near(upperBound(pass, 0.05), 0.0105);
    const six = pass.slice(0, 6);
    expect(signedRankP(six)).toBe(0.421875);
    near(hodgesLehmann(six), 0.0015);
    near(upperBound(six, 1 / 64), 0.031);
    const nine = pass.slice(0, 9);
    expect(signedRankP(nine)).toBe(0.455078125);
    near(hodgesLehmann(nine), 0.001);
    near(upperBound(nine, 0.01), 0.022);
  });

  it('leaves the wide one open', () => {
    expect(signedRankP(wide)).toBe(0.31103515625);
    near(hodgesLehmann(wide), 0.0575);
    const [low, high] = interval(wide, 0.025);
    near(low, -0.185);
    near(high, 0.31);
    near(spreadOf(wide), 0.2475);
    near(singleRunSpread(wide), 0.392889, 5e-7);
    near(smallestDetectable(wide), 0.413336, 5e-7);
    near(upperBound(wide, 0.05), 0.265);
  });

  it('counts ties and zeros exactly', () => {
    expect(signedRankP(tied)).toBe(4 / 256);
    expect(smallestP(tied)).toBe(1 / 256);
    near(hodgesLehmann(tied), 0.02);
  });

  it('does not let float noise break a tie or make a sign', () => {
    const noisy = tied.map((x, index) => x + (index % 2 === 0 ? 1e-15 : -1e-15));
    expect(signedRankP(noisy)).toBe(signedRankP(tied));
  });

  it('adjusts by Holm', () => {
    const adjusted = holm([0.00048828125, 0.48486328125, 0.019, 0.012]);
    for (const [index, wanted] of [0.001953125, 0.48486328125, 0.038, 0.036].entries())
      near(adjusted[index]!, wanted);
  });

  it('flips the signs of tail hits', () => {
    const baseline = [0, 1, 0, 0, 2, 0, 1, 0, 0, 0, 1, 0];
    const candidate = [1, 2, 0, 3, 1, 2, 1, 2, 0, 1, 3, 2];
    const differences = candidate.map((hits, round) => hits - baseline[round]!);
    expect(differences).toEqual([1, 1, 0, 3, -1, 2, 0, 2, 0, 1, 2, 2]);
    expect(signFlipP(differences)).toBe(5 / 512);
  });

  const table: readonly (readonly [
    rounds: number,
    k: readonly (readonly [number, number | null])[],
    f: number,
  ])[] = [
    [
      5,
      [
        [0, 0.03125],
        [-1, null],
        [-1, null],
        [-1, null],
        [-1, null],
      ],
      1.33891,
    ],
    [
      6,
      [
        [2, 0.04688],
        [0, 0.01562],
        [-1, null],
        [-1, null],
        [-1, null],
      ],
      1.35772,
    ],
    [
      7,
      [
        [3, 0.03906],
        [2, 0.02344],
        [0, 0.00781],
        [0, 0.00781],
        [-1, null],
      ],
      1.37014,
    ],
    [
      8,
      [
        [5, 0.03906],
        [3, 0.01953],
        [2, 0.01172],
        [1, 0.00781],
        [0, 0.00391],
      ],
      1.37893,
    ],
    [
      9,
      [
        [8, 0.04883],
        [5, 0.01953],
        [3, 0.00977],
        [3, 0.00977],
        [1, 0.00391],
      ],
      1.38547,
    ],
    [
      10,
      [
        [10, 0.04199],
        [8, 0.02441],
        [5, 0.00977],
        [5, 0.00977],
        [3, 0.00488],
      ],
      1.39051,
    ],
    [
      11,
      [
        [13, 0.0415],
        [10, 0.021],
        [8, 0.01221],
        [7, 0.00928],
        [5, 0.00488],
      ],
      1.39453,
    ],
    [
      12,
      [
        [17, 0.04614],
        [13, 0.02124],
        [10, 0.0105],
        [9, 0.00806],
        [7, 0.00464],
      ],
      1.39779,
    ],
    [
      13,
      [
        [21, 0.04712],
        [17, 0.02393],
        [13, 0.01074],
        [12, 0.00854],
        [9, 0.00403],
      ],
      1.4005,
    ],
    [
      14,
      [
        [25, 0.04529],
        [21, 0.02472],
        [17, 0.01227],
        [15, 0.0083],
        [12, 0.00427],
      ],
      1.40278,
    ],
    [
      15,
      [
        [30, 0.0473],
        [25, 0.02396],
        [20, 0.01077],
        [19, 0.00903],
        [15, 0.00418],
      ],
      1.40473,
    ],
    [
      16,
      [
        [35, 0.04672],
        [29, 0.02216],
        [25, 0.01248],
        [23, 0.00912],
        [19, 0.00459],
      ],
      1.40641,
    ],
  ];
  const levels = [0.05, 0.025, 0.0125, 0.01, 0.005];

  it.each(table)('has the right k and detection factor for %i rounds', (rounds, wanted, factor) => {
    for (const [column, [k, attained]] of wanted.entries()) {
      expect(kOf(rounds, levels[column]!), `level ${levels[column]}`).toBe(k);
      if (attained !== null) near(attainedByListing(rounds, k), attained, 5.1e-6);
    }
    near(detectionFactor(rounds), factor, 5.1e-6);
  });

  it.each([
    [5, 2.77645, 0.94096],
    [6, 2.57058, 0.91954],
    [9, 2.306, 0.88889],
    [12, 2.20099, 0.87553],
    [16, 2.13145, 0.86624],
  ])('inverts the t distribution for %i rounds', (rounds, wide975, wide80) => {
    near(studentQuantile(0.975, rounds - 1), wide975, 5.1e-6);
    near(studentQuantile(0.8, rounds - 1), wide80, 5.1e-6);
    near(studentCdf(studentQuantile(0.975, rounds - 1), rounds - 1), 0.975, 1e-12);
  });
});

describe('properties', () => {
  const random = seededRandom('statistics');
  /** Student's t with two degrees of freedom: symmetric, with tails so heavy that it has no variance. */
  const heavyTailed = (): number => {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
    return normal / Math.sqrt(-Math.log(1 - random.next()));
  };
  const sample = (rounds: number): number[] => Array.from({ length: rounds }, heavyTailed);

  it.each([
    [8, 0],
    [12, 0.017],
    [15, 0],
  ])('keeps its level over 20,000 unchanged jobs of %i heavy-tailed rounds', (rounds, atLeast) => {
    let flagged = 0;
    for (let job = 0; job < 20_000; job++) if (signedRankP(sample(rounds)) <= 0.025) flagged += 1;
    expect(flagged / 20_000).toBeLessThanOrEqual(0.028);
    expect(flagged / 20_000).toBeGreaterThanOrEqual(atLeast);
  });

  it('rejects exactly when the interval at that level lies above zero', () => {
    let rejected = 0;
    for (let job = 0; job < 2_000; job++) {
      const d = sample(6 + (job % 11)).map((x) => x + 0.8);
      for (const level of [0.05, 0.025, 0.01]) {
        const rejects = signedRankP(d) <= level;
        expect(interval(d, level)[0] > 0).toBe(rejects);
        if (rejects) rejected += 1;
      }
    }
    expect(rejected).toBeGreaterThan(500);
  });

  it('moves with the values, mirrors with their signs, and does not care for their order', () => {
    for (let job = 0; job < 200; job++) {
      const d = sample(12);
      const shifted = d.map((x) => x + 0.25);
      near(hodgesLehmann(shifted), hodgesLehmann(d) + 0.25);
      for (const end of [0, 1] as const) near(interval(shifted, 0.025)[end], interval(d, 0.025)[end] + 0.25);
      near(upperBound(shifted, 0.01), upperBound(d, 0.01) + 0.25);
      const mirrored = interval(
        d.map((x) => -x),
        0.025,
      );
      near(mirrored[0], -interval(d, 0.025)[1]);
      near(mirrored[1], -interval(d, 0.025)[0]);
      const turned = random.shuffle(d);
      expect(signedRankP(turned)).toBe(signedRankP(d));
      expect(interval(turned, 0.025)).toEqual(interval(d, 0.025));
    }
  });

  it('does not touch the lists it is given', () => {
    const d = Object.freeze([...wide]);
    hodgesLehmann(d);
    signedRankP(d);
    singleRunSpread(d);
    lowerMedian(d);
    medianOf(d);
    expect(d).toEqual(wide);
  });

  it('gives tied values the middle of their ranks', () => {
    for (let job = 0; job < 50; job++) {
      const d = Array.from({ length: 9 }, () => (random.below(7) - 3) / 100);
      const signed = d.filter((x) => x !== 0);
      const size = (x: number): number => Math.abs(x);
      const midranks = signed.map((x) => {
        const below = signed.filter((y) => size(y) < size(x)).length;
        const same = signed.filter((y) => size(y) === size(x)).length;
        return below + (same + 1) / 2;
      });
      const positive = midranks.reduce((sum, rank, index) => sum + (signed[index]! > 0 ? rank : 0), 0);
      let reached = 0;
      for (let choice = 0; choice < 2 ** signed.length; choice++) {
        if (midranks.reduce((sum, rank, bit) => sum + ((choice >> bit) & 1 ? rank : 0), 0) >= positive)
          reached += 1;
      }
      expect(signedRankP(d)).toBe(reached / 2 ** signed.length);
    }
  });

  it('agrees with listing all sign choices', () => {
    for (let job = 0; job < 50; job++) {
      const c = Array.from({ length: 8 }, () => random.below(13) - 5);
      const sum = c.reduce((a, b) => a + b, 0);
      const signed = c.filter((x) => x !== 0);
      let reached = 0;
      for (let choice = 0; choice < 2 ** signed.length; choice++) {
        const flipped = signed.reduce((total, x, bit) => total + ((choice >> bit) & 1 ? x : -x), 0);
        if (flipped >= sum) reached += 1;
      }
      expect(signFlipP(c)).toBe(reached / 2 ** signed.length);
    }
  });
});

describe('edges', () => {
  it('cannot reject on zeros or on nothing', () => {
    for (const nothing of [[], [0], [0, 0, 0]]) {
      expect(signedRankP(nothing)).toBe(1);
      expect(signFlipP(nothing)).toBe(1);
    }
  });

  it('has no bounded interval under six rounds and says so by infinity', () => {
    expect(interval([1, 2, 3, 4, 5], 0.025)).toEqual([-Infinity, Infinity]);
    expect(upperBound([1, 2, 3, 4, 5], 0.01)).toBe(Infinity);
    expect(smallestDetectable([1])).toBe(Infinity);
    expect(smallestDetectable([1, 2, 3])).toBe(Infinity);
  });

  it('refuses differences that are not whole', () => {
    expect(() => signFlipP([1, 0.5])).toThrow(RangeError);
    expect(() => signFlipP([Number.NaN])).toThrow(RangeError);
    expect(() => lowerMedian([])).toThrow(RangeError);
    expect(() => hodgesLehmann([])).toThrow(RangeError);
  });

  it('counts every pair once, itself included, among the Walsh averages', () => {
    expect([...walsh([3, 1, 2])]).toEqual([1, 1.5, 2, 2, 2.5, 3]);
  });

  it('lets hypotheses leave that can never be rejected, and only those', () => {
    const few = { p: 0.25, smallestP: 0.25 };
    const sharp = { p: 0.015, smallestP: 2 ** -12 };
    const plain = { p: 0.4, smallestP: 2 ** -12 };
    expect(holmWithTarone([few, sharp, plain], 0.05)).toEqual([null, 0.03, 0.4]);
    expect(holm([0.25, 0.015, 0.4])[1]).toBeCloseTo(0.045, 12);
    expect(holmWithTarone([], 0.05)).toEqual([]);
    const nine = { p: 2 ** -9, smallestP: 2 ** -9 };
    // Four that can reach 1 % / 4 stay although they could not reach 1 % / 6; eight together cannot.
    expect(holmWithTarone([nine, nine, nine, nine, few, few], 0.01).slice(3)).toEqual([
      4 * 2 ** -9,
      null,
      null,
    ]);
    expect(holmWithTarone(Array(8).fill(nine), 0.01)).toEqual(Array(8).fill(null));
  });

  it('keeps the family-wise level with few and with many non-zero differences', () => {
    const random = seededRandom('family');
    let jobs = 0;
    for (let job = 0; job < 4_000; job++) {
      const family = Array.from({ length: 6 }, (_, metric) => {
        const counts = Array.from({ length: 9 }, () =>
          metric < 2 && random.next() < 0.6 ? 0 : random.below(9) - 4,
        );
        return { p: signFlipP(counts), smallestP: smallestP(counts) };
      });
      if (holmWithTarone(family, 0.05).some((adjusted) => adjusted !== null && adjusted <= 0.05)) jobs += 1;
    }
    expect(jobs / 4_000).toBeLessThanOrEqual(0.06);
    expect(jobs / 4_000).toBeGreaterThan(0.005);
  });
});
