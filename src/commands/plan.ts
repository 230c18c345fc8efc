/** `tailgate plan FILE`: how many instances a peak needs, and the alert rules, from the curve of a ramp. */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { planCapacity } from '../capacity/plan.ts';
import { readRampResult } from '../capacity/read-result.ts';
import type { RampResult } from '../capacity/result.ts';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import { describeCapacityPlan, prometheusRules } from '../report/capacity-plan.ts';
import { type Command, type FlagValues, numberFlag, type Terminal, text, usage } from './command.ts';
import { outputFile } from './output-file.ts';

const reportWidth = 110;
/** A ramp has tens of steps: what is larger was named by mistake. */
const largest = 20e6;

export const plan: Command = {
  name: 'plan',
  usage: 'plan FILE --peak N [--headroom 0.7] [flags]',
  summary: 'Says how many instances a peak needs, from the result of a ramp, with alert rules to paste.',
  flags: {
    peak: { type: 'string', value: 'N', help: 'requests a second of the whole service at its busiest' },
    headroom: {
      type: 'string',
      value: '0.7',
      help: 'share of the knee an instance may carry; 0.7 unless given',
    },
    job: {
      type: 'string',
      value: 'NAME',
      help: 'value of the job label in the alert rules; my-service unless given',
    },
    json: { type: 'string', value: 'FILE', help: 'also write the plan as JSON' },
    rules: { type: 'string', value: 'FILE', help: 'write the alert rules there instead of below the plan' },
  },
  positionals: { least: 1, most: 1 },
  run: async (flags, [file], terminal) => {
    const peak = decimalFlag(flags, 'peak', { least: 0.001, most: 1e9 });
    if (peak === undefined)
      throw usage(plan, '--peak is missing; it wants requests a second, e.g. --peak 100');
    const headroom = decimalFlag(flags, 'headroom', { least: 0.05, most: 1 }) ?? 0.7;
    refuseSameFiles(terminal, flags, file!);
    const outputs = ['json', 'rules'].map((name) => {
      const given = text(flags, name);
      return given === undefined ? null : outputFile(terminal, name, given);
    });
    const [json, rules] = outputs;
    const made = planCapacity(readResult(terminal, file!), { peak, headroom });
    terminal.print(describeCapacityPlan(made, reportWidth));
    json?.write(`${JSON.stringify(made, null, 2)}\n`);
    const yaml = prometheusRules(made, text(flags, 'job') ?? 'my-service');
    if (rules === null || rules === undefined) terminal.print(`\n${yaml}`);
    else rules.write(yaml);
    return 0;
  },
};

/** A number as people write it: `Number` would also take 0x10 and 0b1. @throws TailgateError `usage` */
function decimalFlag(flags: FlagValues, name: string, bounds: Parameters<typeof numberFlag>[2]) {
  const given = text(flags, name);
  if (given !== undefined && !/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(given.trim()))
    throw usage(
      plan,
      `--${name} is "${given}"; it wants a decimal number from ${bounds.least} to ${bounds.most}`,
    );
  return numberFlag(flags, name, bounds);
}

/** A plan must not replace what it was made from, and each file holds one thing. @throws TailgateError `usage` */
function refuseSameFiles(terminal: Terminal, flags: FlagValues, file: string): void {
  const [json, rules] = [text(flags, 'json'), text(flags, 'rules')];
  const place = (name: string): string => realPlace(resolve(terminal.directory, name));
  for (const [flag, name] of [['json', json] as const, ['rules', rules] as const])
    if (name !== undefined && place(name) === place(file))
      throw usage(
        plan,
        `--${flag} is "${name}", the file that the plan is made from: it would be overwritten`,
      );
  if (json !== undefined && rules !== undefined && place(json) === place(rules))
    throw usage(plan, `--json and --rules are both "${rules}"; each wants a file of its own`);
}

/** Where a path leads through links; of a file that is not there yet, where its folder leads. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPlace(folder), basename(path));
  }
}

/** @throws TailgateError `usage` naming the file and what is wrong with it. */
function readResult(terminal: Terminal, file: string): RampResult {
  const path = resolve(terminal.directory, file);
  let content: string;
  try {
    if (statSync(path).size > largest) throw new Error(`it is larger than ${largest / 1e6} MB`);
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new TailgateError({
      code: 'usage',
      message: `${file} cannot be read: ${messageOf(error)}`,
      hint: 'name the file that `tailgate ramp … --json FILE` wrote',
      cause: error,
    });
  }
  try {
    return readRampResult(content);
  } catch (error) {
    if (!(error instanceof TailgateError)) throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    throw new TailgateError({
      code: error.code,
      message: `${file}: ${error.message}`,
      ...hint,
      cause: error,
    });
  }
}
