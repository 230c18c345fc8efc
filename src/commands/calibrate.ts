/** `tailgate calibrate`: how far this service strays here while nothing changes, and what settings follow from it. */
import { calibrate as measure } from '../calibrate.ts';
import { adviseFrom } from '../calibration-advice.ts';
import { nearest } from '../config/suggestions.ts';
import { TailgateError } from '../kernel/errors.ts';
import { parseRatio, type Ratio } from '../kernel/units.ts';
import { realClock } from '../kernel/world.ts';
import { isOverrun } from '../report/calibration-overrun.ts';
import { calibrationPlan } from '../report/calibration-plan.ts';
import {
  type Asked,
  calibrationText,
  type JudgedKey,
  judgedKeys,
  settingsText,
} from '../report/calibration-text.ts';
import { boundedLines, visible } from '../report/escape.ts';
import { readJobSettings } from '../settings.ts';
import { type Command, text } from './command.ts';
import { settingFlags, tell } from './gate.ts';
import { withLedger } from './job-folder.ts';
import { outputFile } from './output-file.ts';

const { 'fail-on': _, ...settings } = settingFlags;

export const calibrate: Command = {
  name: 'calibrate',
  usage: 'calibrate [--detect p99=10%,cpu=3%] [flags]',
  summary: 'Measures a commit against itself: spread, a rate, rounds and minutes, and settings to paste.',
  flags: {
    detect: {
      type: 'string',
      value: 'METRIC=CHANGE,…',
      help: `changes that must be detectable, of ${judgedKeys.join(', ')}; a table of usual ones unless given`,
    },
    ...settings,
    config: { type: 'string', value: 'FILE', help: 'tailgate.yml unless given' },
    json: { type: 'string', value: 'FILE', help: 'also write all figures as JSON' },
    verbose: { type: 'boolean', help: 'show every line of set-up' },
  },
  positionals: { least: 0, most: 0 },
  run: async (flags, _, terminal) => {
    const asked = parseAsked(text(flags, 'detect'));
    const overrides = Object.fromEntries(Object.keys(settings).map((name) => [name, text(flags, name)]));
    const request = { directory: terminal.directory, file: text(flags, 'config'), overrides };
    const job = readJobSettings({ ...request, environment: terminal.environment });
    const json = text(flags, 'json');
    const file = json === undefined ? null : outputFile(terminal, 'json', json);
    for (const warning of job.warnings) tell(terminal, flags, { kind: 'warning', warning });
    const result = await withLedger((ledger) =>
      measure({
        directory: job.directory,
        config: job.config,
        situation: { kind: 'local' },
        environment: terminal.environment,
        clock: realClock,
        signal: terminal.signal,
        ledger,
        tell: (event) => {
          // That both sides are one commit is the point here, and a look that cannot decide is no news.
          if (event.kind === 'warning' && event.warning.code === 'same-commit') return;
          if (event.kind === 'planned') terminal.tell(calibrationPlan(event.plan).join('\n'));
          else if (event.kind !== 'looked') tell(terminal, flags, event);
        },
        climbing: (scenario) => terminal.tell(`climbing to the capacity of ${visible(scenario)}`),
      }),
    );
    const { verdict } = result;
    const advice = adviseFrom(result, job.config, asked);
    const unanswered = verdict.outcome === 'invalid' || (advice !== null && isOverrun(advice));
    const exitCode = verdict.outcome === 'service-failed' ? 4 : unanswered ? 3 : 0;
    if (advice === null || verdict.failure !== null) {
      for (const line of boundedLines(verdict.failure?.tail ?? [])) terminal.tell(`  | ${line}`);
      const hint = verdict.failure?.hint ?? null;
      terminal.print(`Nothing could be calibrated: ${visible(verdict.reason ?? verdict.outcome, 600)}`);
      if (hint !== null) terminal.print(`  ${visible(hint, 600)}`);
    } else terminal.print(calibrationText(advice, verdict.outcome, verdict.reason, result.cores));
    const { capacities, cores } = result;
    const written = { exitCode, verdict: verdict.outcome, cores, capacities, ...advice };
    const pasted = advice === null ? null : settingsText(advice, verdict.outcome);
    file?.write(`${JSON.stringify({ ...written, fragment: pasted }, null, 2)}\n`);
    return exitCode;
  },
};

/** @throws TailgateError `usage` naming the piece and the wanted form. */
export function parseAsked(given: string | undefined): Asked {
  const asked = new Map<JudgedKey, Ratio>();
  for (const piece of given?.split(',') ?? []) {
    const [name = '', value = ''] = piece.split('=').map((word) => word.trim());
    const key = judgedKeys.find((one) => one === name);
    const change = parseRatio(value);
    if (key === undefined) {
      const near = nearest(name, judgedKeys);
      const meant = near === null ? `it wants one of ${judgedKeys.join(', ')}` : `did you mean ${near}?`;
      throw refused(`--detect names "${name}", which is no metric with a detectable change; ${meant}`);
    }
    if (change === null || !value.endsWith('%') || change < 0.005 || change > 10) {
      throw refused(`--detect gives ${name} "${value}"; it wants a change from 0.5% to 1000%`);
    }
    asked.set(key, change);
  }
  return asked;
}

const refused = (message: string): TailgateError =>
  new TailgateError({ code: 'usage', message, hint: 'for example: --detect p99=10%,cpu=3%' });
