/**
 * Tailgate's own evidence files: response times and CPU per request of each scenario and side, one sample a round, as
 * the table of a report has them, and microbenchmarks, inside the evidence of a job or in a file of their own.
 */
import { TailgateError } from '../../kernel/errors.ts';
import { type Direction, sides } from '../../kernel/words.ts';
import type { BenchUnit } from '../samples.ts';
import type { Adapter, JsonRecord } from './adapter.ts';
import { at, isRecord, records, textAt } from './adapter.ts';
import { decodeHistogram, valueAt } from './hdr-payload.ts';
import { quantityOf } from './quantities.ts';
import { median, RowSheet } from './sheet.ts';

const supported = 1;
const shares = { p50: 0.5, p99: 0.99 } as const;
const schemas: readonly unknown[] = ['tailgate-evidence', 'tailgate-bench-evidence'];

export const tailgateEvidence: Adapter = {
  format: 'tailgate-evidence',
  title: "Tailgate's evidence",
  shape: 'json',
  recognises: ({ json: [root] }) => (schemas.includes(at(root, 'schema')) ? 1 : 0),
  read: ({ name, json: [root] }) => {
    const version = at(root, 'version');
    if (version !== supported) {
      throw new TailgateError({
        code: 'usage',
        message: `${name} is evidence of version ${String(version)}; this Tailgate reads version ${supported}`,
        hint: 'use the version of Tailgate that wrote it',
      });
    }
    const sheet = new RowSheet();
    if (at(root, 'schema') === 'tailgate-evidence') {
      addScenarios(sheet, root);
      addBenchmarks(sheet, at(root, 'benchmarks'));
    } else addBenchmarks(sheet, root);
    return sheet.result();
  },
};

function addScenarios(sheet: RowSheet, root: unknown): void {
  const rounds = records(at(root, 'rounds'));
  const trials = rounds.map((round) => soundPairs(records(round['trials'])));
  const scenarios = new Set(trials.flat().map((trial) => textAt(trial, 'scenario') ?? ''));
  for (const scenario of scenarios) {
    for (const side of sides) {
      const own = trials.map((all) =>
        all.filter((one) => one['scenario'] === scenario && one['side'] === side),
      );
      for (const [shown, share] of Object.entries(shares)) {
        sheet.add({
          name: `${scenario} ${shown} (${side})`,
          quantity: quantityOf('ns'),
          samples: own.filter((slices) => slices.length > 0).map((slices) => percentile(slices, share)),
        });
      }
      const known = own.flatMap((slices, index) => {
        const costs = slices.map((slice) => costOf(slice, at(rounds[index], 'sides', side)));
        return costs.length === 0 || costs.includes(null) ? [] : [median(costs as number[])];
      });
      const problem = known.length === 0 ? 'CPU time was not measured' : null;
      sheet.add({ name: `${scenario} cpu (${side})`, quantity: quantityOf('ns'), samples: known, problem });
    }
  }
}

/** One sample a round; a benchmark that only one side has, has the one value that was seen of it. */
function addBenchmarks(sheet: RowSheet, benchmarks: unknown): void {
  const results = records(at(benchmarks, 'rounds')).flatMap((round) => records(round['results']));
  for (const subject of records(at(benchmarks, 'subjects'))) {
    const name = textAt(subject, 'name') ?? '';
    const presence = at(subject, 'presence');
    const own = results.filter((result) => result['name'] === name);
    for (const side of sides) {
      if (presence !== 'both' && presence !== side) continue;
      const measured = own.flatMap((result) =>
        at(result, side, 'kind') === 'measured' ? [at(result, side, 'value')] : [],
      );
      const samples = measured.length === 0 && presence === side ? [at(subject, 'alone')] : measured;
      const failed = own.map((result) => textAt(result, side, 'reason')).find((reason) => reason !== null);
      const none = samples.length === 0 ? (failed ?? 'it was not measured') : null;
      sheet.add({
        name: `${name} (${side})`,
        quantity: quantity(subject),
        direction: at(subject, 'direction') as Direction,
        samples,
        problem: textAt(subject, 'problem') ?? none,
      });
    }
  }
}

const quantity = (subject: JsonRecord) => ({
  unit: subject['unit'] as BenchUnit,
  factor: 1,
  direction: subject['direction'] as Direction,
});

/** An unsound slice goes with its partner, as where they are judged. */
function soundPairs(trials: readonly JsonRecord[]): readonly JsonRecord[] {
  const pairOf = (trial: JsonRecord): string =>
    `${trial['scenario']} ${trial['pair']} ${trial['replacement']}`;
  const spoilt = new Set(trials.filter((trial) => !isSound(trial)).map(pairOf));
  return trials.filter((trial) => !spoilt.has(pairOf(trial)));
}

function isSound(trial: JsonRecord): boolean {
  return !Array.isArray(trial['unsound']) || trial['unsound'].length === 0;
}

/** The lower median over the slices of a round, as it is shown. A broken histogram is a NaN, which becomes a problem. */
function percentile(slices: readonly JsonRecord[], share: number): number {
  try {
    const values = slices
      .map((slice) => valueAt(decodeHistogram(textAt(slice, 'load', 'histograms', 'onTime') ?? ''), share))
      .sort((one, other) => one - other);
    return values[(values.length - 1) >> 1]!;
  } catch {
    return Number.NaN;
  }
}

/** CPU of a slice less that of idling, by its successful requests; null where it has none. */
function costOf(slice: JsonRecord, roundSide: unknown): number | null {
  const { cost } = slice;
  if (!isRecord(cost)) return null;
  const cpu = Number(cost['cpu']) - Number(at(roundSide, 'idleRate') ?? 0) * Number(cost['idle']);
  const requests = Number(at(slice, 'load', 'counts', 'ok'));
  return requests > 0 ? cpu / requests : null;
}
