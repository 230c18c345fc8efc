/** `tailgate judge FILE`: decides again from stored evidence, without measuring. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { nearest } from '../config/suggestions.ts';
import { evidenceLimit, parse } from '../evidence/store.ts';
import type { Evidence } from '../evidence/trial.ts';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import type { FailOn } from '../kernel/words.ts';
import { contextOf, nowhere } from '../publish.ts';
import type { ReportContext } from '../report/context.ts';
import { renderTerminal, terminalDefaults } from '../report/terminal.ts';
import { verdictJsonText } from '../report/verdict-json.ts';
import { makeView } from '../report/view.ts';
import { readJobSettings } from '../settings.ts';
import type { Verdict } from '../verdict/finding.ts';
import { judge as decide } from '../verdict/judge.ts';
import { type Command, type Terminal, text } from './command.ts';
import { outputFile } from './output-file.ts';

export const judge: Command = {
  name: 'judge',
  usage: 'judge FILE [--config FILE] [--json FILE]',
  summary: 'Decides again from stored evidence, in seconds and without measuring.',
  flags: {
    config: {
      type: 'string',
      value: 'FILE',
      help: 'tolerances of this tailgate.yml instead of those of the job',
    },
    json: { type: 'string', value: 'FILE', help: 'also write the verdict as JSON' },
  },
  positionals: { least: 1, most: 1 },
  run: async (flags, [file], terminal) => {
    const json = text(flags, 'json');
    const verdictFile = json === undefined ? null : outputFile(terminal, 'json', json);
    const stored = readEvidence(terminal, file!);
    const config = text(flags, 'config');
    const evidence = config === undefined ? stored : withTolerances(stored, terminal, config);
    const { verdict, context } = judged(evidence);
    terminal.print(
      renderTerminal(makeView(verdict, evidence, context), {
        ...terminalDefaults,
        colour: terminal.interactive,
      }),
    );
    verdictFile?.write(verdictJsonText(verdict, evidence, context));
    return context.exitCode;
  },
};

const failOn: readonly FailOn[] = ['regression', 'invalid', 'service-failed'];

/** The verdict of stored evidence, and what a report of it is told. */
export function judged(evidence: Evidence): { verdict: Verdict; context: ReportContext } {
  const progress = decide(evidence, { final: true, nearest });
  if (progress.kind !== 'decided') throw new Error('final evidence is always decided');
  const reported = {
    verdict: progress.verdict,
    evidence,
    revisions: evidence.revisions,
    elapsed: null,
    alone: [],
  };
  const context = contextOf(
    reported,
    { failOn, onBaselineFailure: 'fail' },
    {
      id: 'default',
      run: { kind: 'local' },
      links: nowhere,
      configFile: 'tailgate.yml',
      history: [],
      call: 'tailgate',
      overrides: {},
    },
  );
  return { verdict: progress.verdict, context };
}

/** @throws TailgateError `usage` naming the file and what is wrong with it. */
export function readEvidence(terminal: Terminal, file: string): Evidence {
  const path = resolve(terminal.directory, file);
  let content: string;
  try {
    const { size } = statSync(path);
    if (size > evidenceLimit) {
      throw new Error(
        `${Math.ceil(size / 1e6)} MB is more than the ${Math.floor(evidenceLimit / 1e6)} MB it reads`,
      );
    }
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new TailgateError({
      code: 'usage',
      message: `${file} cannot be read: ${messageOf(error)}`,
      hint: 'name the tailgate-evidence.json of a job, e.g. from its artifacts',
      cause: error,
    });
  }
  try {
    return parse(content);
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

function withTolerances(evidence: Evidence, terminal: Terminal, file: string): Evidence {
  const request = { directory: terminal.directory, file, environment: terminal.environment };
  // The start command does not matter here, and a file that is only about tolerances need not have one.
  const { config } = readJobSettings({ ...request, overrides: {} });
  return { ...evidence, judge: config.judge, onDifferentBody: config.onDifferentBody };
}
