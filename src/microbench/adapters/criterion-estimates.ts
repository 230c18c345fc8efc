/** Criterion's stored `estimates.json` (shape from bheisler/criterion.rs: src/estimate.rs and its book); the benchmark's name is its folder. */
import { TailgateError } from '../../kernel/errors.ts';
import type { Adapter } from './adapter.ts';
import { at, isRecord } from './adapter.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

export const criterionEstimates: Adapter = {
  format: 'criterion-estimates',
  title: "Criterion's estimates.json",
  shape: 'json',
  recognises: ({ json: [root] }) =>
    at(estimate(root, 'mean'), 'confidence_interval') !== undefined && estimate(root, 'median') !== undefined
      ? 1
      : 0,
  read: ({ name, json: [root] }) => {
    if (estimate(root, 'mean') === undefined) return { rows: [], warnings: [] };
    if (estimate(root, 'std_dev') === undefined) {
      throw new TailgateError({
        code: 'usage',
        message: `${name} is criterion's comparison with its own last run (change/estimates.json): shares of change, not times`,
        hint: 'give new/estimates.json of the same benchmark',
      });
    }
    const sheet = new RowSheet();
    // What criterion prints: the slope of the regression where it made one, else the mean.
    const slope = estimate(root, 'slope');
    sheet.add({
      name: nameOf(name),
      quantity: quantityOf('ns'),
      value: at(isRecord(slope) ? slope : estimate(root, 'mean'), 'point_estimate'),
      spread: at(estimate(root, 'std_dev'), 'point_estimate') ?? null,
    });
    return sheet.result();
  },
};

/** Versions before 0.3.3 wrote the names of the estimates with capitals: `Mean`, `StdDev`. */
function estimate(root: unknown, field: 'mean' | 'median' | 'slope' | 'std_dev'): unknown {
  const capital = field === 'std_dev' ? 'StdDev' : field[0]!.toUpperCase() + field.slice(1);
  return at(root, field) ?? at(root, capital);
}

/** `target/criterion/fib/20/new/estimates.json` is `fib/20`. */
function nameOf(path: string): string {
  const parts = path.split(/[\\/]/).filter((part) => part !== '' && part !== '.');
  const folders = parts.slice(0, -1);
  if (folders.at(-1) === 'new' || folders.at(-1) === 'base') folders.pop();
  const root = folders.lastIndexOf('criterion');
  const own = root >= 0 ? folders.slice(root + 1) : folders.slice(-1);
  return own.length > 0 ? own.join('/') : (parts.at(-1) ?? path).replace(/\.json$/, '');
}
