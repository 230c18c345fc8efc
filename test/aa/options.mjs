// The words of `npm run aa -- …`, checked before anything is started.
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readPlant } from './plant.mjs';

export const usage = `usage: npm run aa -- --jobs N [--out DIR] [--time-budget 4m] [--full] [--slow FORM] [--config FILE] [--resume]
       npm run aa -- --report DIR [--report DIR …] [--page docs/aa.md]

Runs N whole gates on the demo service, one after another, and reports false alarms, spread and time.

  --jobs N           how many gates; with --resume, how many the series has at the end
  --out DIR          where every job leaves its evidence and a line of jobs.jsonl; a new folder unless given
  --resume           go on with the series in --out, under the settings it was begun with
  --time-budget 4m   of every gate, as in tailgate.yml
  --rate 1000        requests a second
  --full             measure every planned round, for the comparison of rules: the verdict is then that of the
                     default tolerances on the same evidence, which is what the gate would have said
  --slow FORM        plant a slowdown on the candidate: cpu=5%, cpu=9us (CPU a request) or wait=2ms:2% (that share of
                     requests answers so much later); the share of jobs that catch it is reported
  --config FILE      another tailgate.yml for all jobs, for trying out plans and tolerances
  --report DIR       only report the series in DIR
  --page FILE        also write the report as Markdown; what stands below its mark stays`;

/** @returns null when only help was asked for. @throws Error naming the option, the value and the wanted form. */
export function readOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      jobs: { type: 'string' },
      out: { type: 'string' },
      resume: { type: 'boolean', default: false },
      'time-budget': { type: 'string' },
      rate: { type: 'string' },
      full: { type: 'boolean', default: false },
      slow: { type: 'string' },
      config: { type: 'string' },
      report: { type: 'string', multiple: true },
      page: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const page = values.page === undefined ? null : resolve(values.page);
  if (values.report !== undefined) {
    const others = ['jobs', 'out', 'time-budget', 'rate', 'slow', 'config'].filter((name) => values[name]);
    if (others.length > 0)
      throw new Error(`--report measures nothing, so --${others[0]} cannot be given with it`);
    return { kind: 'report', folders: values.report.map((folder) => resolve(folder)), page };
  }
  const begun = ['time-budget', 'rate', 'slow', 'config'].find((name) => values[name] !== undefined);
  if (values.resume && (begun !== undefined || values.full)) {
    throw new Error(`--resume goes on as the series was begun: leave out --${begun ?? 'full'}`);
  }
  if (values.resume && values.out === undefined)
    throw new Error('--resume wants the --out DIR of the series');
  if (values.config !== undefined && (values.full || values.rate !== undefined)) {
    throw new Error('--config says everything about the plan: leave out --full and --rate');
  }
  const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  return {
    kind: 'run',
    jobs: wholeNumber('jobs', values.jobs, 10_000),
    out: resolve(values.out ?? join(tmpdir(), `tailgate-aa-${stamp}`)),
    resume: values.resume,
    timeBudget: values['time-budget'] ?? '4m',
    rate: wholeNumber('rate', values.rate ?? '1000', 100_000),
    full: values.full,
    slow: values.slow === undefined ? null : readPlant(values.slow),
    config: values.config === undefined ? null : resolve(values.config),
    page,
  };
}

function wholeNumber(name, text, most) {
  const value = Number(text);
  if (text === undefined || !/^\d+$/.test(text) || value < 1 || value > most) {
    throw new Error(`--${name} is ${text ?? 'missing'}; wanted a whole number from 1 to ${most}`);
  }
  return value;
}
