/** Tailgate's own evidence file: response times and CPU per request of each scenario and side, one sample a round. */
import { TailgateError } from '../../kernel/errors.ts';
import { sides } from '../../kernel/words.ts';
import type { Adapter, JsonRecord } from './adapter.ts';
import { at, isRecord, records, textAt } from './adapter.ts';
import { addHistograms, decodeHistogram, valueAt } from './hdr-payload.ts';
import { quantityOf } from './quantities.ts';
import { RowSheet } from './sheet.ts';

const supported = 1;
const shares = { p50: 0.5, p99: 0.99 } as const;

export const tailgateEvidence: Adapter = {
  format: 'tailgate-evidence',
  title: "Tailgate's evidence",
  shape: 'json',
  recognises: ({ json: [root] }) => (at(root, 'schema') === 'tailgate-evidence' ? 1 : 0),
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
    const rounds = records(at(root, 'rounds'));
    const trials = rounds.map((round) => records(round['trials']).filter(isSound));
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
        const costs = own.map((slices, index) => costOf(slices, at(rounds[index], 'sides', side)));
        const known = costs.filter((cost) => cost !== null);
        const problem = known.length === 0 ? 'CPU time was not measured' : null;
        sheet.add({ name: `${scenario} cpu (${side})`, quantity: quantityOf('ns'), samples: known, problem });
      }
    }
    return sheet.result();
  },
};

function isSound(trial: JsonRecord): boolean {
  return !Array.isArray(trial['unsound']) || trial['unsound'].length === 0;
}

/** Over all slices of a round together, as they are judged. A broken histogram is a NaN, which becomes a problem. */
function percentile(slices: readonly JsonRecord[], share: number): number {
  try {
    const texts = slices.map((slice) => textAt(slice, 'load', 'histograms', 'onTime') ?? '');
    return valueAt(addHistograms(texts.map(decodeHistogram)), share);
  } catch {
    return Number.NaN;
  }
}

/** CPU less that of idling, by successful requests; null where a slice has none. */
function costOf(slices: readonly JsonRecord[], roundSide: unknown): number | null {
  const idleRate = Number(at(roundSide, 'idleRate') ?? 0);
  let cpu = 0;
  let requests = 0;
  for (const slice of slices) {
    const { cost } = slice;
    if (!isRecord(cost)) return null;
    cpu += Number(cost['cpu']) - idleRate * Number(cost['idle']);
    requests += Number(at(slice, 'load', 'counts', 'ok'));
  }
  return requests > 0 ? cpu / requests : null;
}
