/** `tailgate gate`: the whole gate on this machine, as CI runs it. */

import { resolve } from 'node:path';
import { serialise } from '../evidence/store.ts';
import { runGate } from '../gate.ts';
import type { GateJob } from '../gate-job.ts';
import { prepareGate } from '../gate-preparation.ts';
import { realClock } from '../kernel/world.ts';
import type { GateEvent } from '../live.ts';
import { contextOf, nowhere, revisionsOf } from '../publish.ts';
import { describeMissing } from '../report/plan-missing.ts';
import { describePlan } from '../report/plan-text.ts';
import { progressLine } from '../report/progress.ts';
import { renderTerminal, terminalDefaults } from '../report/terminal.ts';
import { verdictJsonText } from '../report/verdict-json.ts';
import { makeView } from '../report/view.ts';
import { readJobSettings } from '../settings.ts';
import { absentRows } from '../verdict/left-out.ts';
import { type Command, type Flag, type FlagValues, howCalled, type Terminal, text } from './command.ts';
import { withLedger } from './job-folder.ts';
import { outputFile } from './output-file.ts';

/** Flags that stand in for a key of tailgate.yml of the same name. */
const settings = {
  setup: { value: 'COMMAND', help: 'installs and builds one side, in its worktree' },
  start: { value: 'COMMAND', help: 'starts the service on the port in PORT' },
  path: { value: '/', help: 'path that is requested' },
  rate: { value: 'N', help: 'requests a second' },
  'ready-path': { value: '/', help: 'path that answers 2xx when the service is ready' },
  'time-budget': { value: '4m', help: 'time for measuring and confirmation' },
  'working-directory': { value: 'DIR', help: 'the project inside the repository' },
  seed: { value: 'N', help: 'repeats the order, schedule and requests of an earlier job' },
  'fail-on': { value: 'LIST', help: 'what ends with an exit code other than 0' },
} as const;

/** The same as flags of a command. */
export const settingFlags = Object.fromEntries(
  Object.entries(settings).map(([name, flag]) => [name, { type: 'string' as const, ...flag }]),
) as Readonly<Record<keyof typeof settings, Flag>>;

export const gate: Command = {
  name: 'gate',
  usage: 'gate [--baseline REF] [flags]',
  summary: 'Builds candidate (HEAD) and baseline, runs both in turns, and decides.',
  flags: {
    baseline: {
      type: 'string',
      value: 'REF',
      help: 'merge-base (the default), previous, a branch, a tag or a commit',
    },
    ...settingFlags,
    config: { type: 'string', value: 'FILE', help: 'tailgate.yml unless given' },
    'dry-run': { type: 'boolean', help: 'print the plan and what it will be able to see, and stop' },
    json: { type: 'string', value: 'FILE', help: 'also write the verdict as JSON' },
    evidence: {
      type: 'string',
      value: 'FILE',
      help: 'where the evidence goes; tailgate-evidence.json unless given',
    },
    verbose: { type: 'boolean', help: 'show every line of set-up' },
  },
  positionals: { least: 0, most: 0 },
  run: async (flags, _, terminal) => {
    const names = ['baseline', ...Object.keys(settings)];
    const overrides = Object.fromEntries(names.map((name) => [name, text(flags, name)]));
    const request = { directory: terminal.directory, file: text(flags, 'config'), overrides };
    const job = readJobSettings({ ...request, environment: terminal.environment });
    const json = text(flags, 'json');
    const verdictFile = json === undefined ? null : outputFile(terminal, 'json', json);
    const evidence = text(flags, 'evidence') ?? 'tailgate-evidence.json';
    const evidenceFile = outputFile(terminal, 'evidence', evidence);
    for (const warning of job.warnings) tell(terminal, flags, { kind: 'warning', warning });
    return await withLedger(async (ledger) => {
      const gateJob: GateJob = {
        ...job,
        situation: {
          kind: 'local',
          outputs: [json, evidence].flatMap((file) =>
            file === undefined ? [] : [resolve(terminal.directory, file)],
          ),
        },
        environment: terminal.environment,
        clock: realClock,
        signal: terminal.signal,
        ledger,
        tell: (event) => tell(terminal, flags, event),
      };
      if (flags['dry-run'] === true) {
        const { plan, absent, config } = await prepareGate(gateJob);
        if (plan === null) terminal.tell('nothing to do: no changed file matches paths');
        const missing = absentRows(absent, config.judge);
        const fails = config.failOn.includes('missing');
        for (const line of describeMissing(missing, fails)) terminal.tell(line);
        return 0;
      }
      const result = await runGate(gateJob);
      const reported = { ...result, revisions: revisionsOf(result) };
      const context = contextOf(reported, result.config, {
        id: 'default',
        run: { kind: 'local' },
        links: nowhere,
        configFile: job.configFile,
        history: [],
        call: howCalled(terminal),
        evidenceFile: flags['temporary'] === true ? null : evidence,
        overrides: { ...overrides, config: text(flags, 'config') },
      });
      const view = makeView(result.verdict, result.evidence, context);
      terminal.print(renderTerminal(view, { ...terminalDefaults, colour: terminal.interactive }));
      verdictFile?.write(verdictJsonText(result.verdict, result.evidence, context));
      if (result.evidence !== null && result.evidence.rounds.length > 0) {
        evidenceFile.write(serialise(result.evidence));
      }
      return context.exitCode;
    });
  },
};

/** Progress of a job as lines of a terminal. */
export function tell(terminal: Terminal, flags: FlagValues, event: GateEvent): void {
  switch (event.kind) {
    case 'planned': {
      const { plan, config } = event;
      const { baseline, candidate } = event.revisions;
      const revisions = {
        baseline: { ...baseline, outputHash: null },
        candidate: { ...candidate, outputHash: null },
      };
      terminal.tell(
        describePlan({ plan, judge: config.judge, counters: config.metrics, revisions }).join('\n'),
      );
      return;
    }
    case 'output':
      if (flags['verbose'] === true) terminal.tell(`  ${event.side} | ${event.line}`);
      return;
    default: {
      const line = progressLine(event);
      if (line.lasting || flags['verbose'] === true) terminal.tell(line.text);
    }
  }
}
