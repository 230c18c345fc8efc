/** `tailgate judge FILE`: decides again from stored evidence, without measuring. */
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { withSettings } from '../accepted.ts';
import type { GateConfig } from '../config/settings.ts';
import { nearest } from '../config/suggestions.ts';
import { evidenceLimit, parseStored, type Stored } from '../evidence/store.ts';
import type { Evidence } from '../evidence/trial.ts';
import { namingHistogram } from '../evidence/unreadable.ts';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import { contextOf, nowhere } from '../publish.ts';
import type { ReportContext } from '../report/context.ts';
import { renderTerminal, terminalDefaults } from '../report/terminal.ts';
import { verdictJsonText } from '../report/verdict-json.ts';
import { makeView } from '../report/view.ts';
import { type JobSettings, readJobSettings } from '../settings.ts';
import type { Verdict } from '../verdict/finding.ts';
import { judge as decide } from '../verdict/judge.ts';
import { benchText } from './bench-text.ts';
import { benchTime, benchVerdictJson, exitCodeFor, judgedBench } from './bench-verdict.ts';
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
      help: 'tolerances, waivers and fail-on of this tailgate.yml instead of those of the job',
    },
    json: { type: 'string', value: 'FILE', help: 'also write the verdict as JSON' },
  },
  positionals: { least: 1, most: 1 },
  run: async (flags, [file], terminal) => {
    const json = text(flags, 'json');
    const verdictFile = json === undefined ? null : outputFile(terminal, 'json', json);
    const read = readStored(terminal, file!);
    const config = text(flags, 'config');
    const settings = config === undefined ? null : settingsIn(terminal, config);
    if (read.kind === 'microbenchmarks') {
      const { verdict, evidence } = judgedBench(read.evidence, settings?.config ?? null);
      const exitCode = exitCodeFor(verdict, settings?.config ?? usual);
      terminal.print(benchText({ verdict, evidence, elapsed: benchTime(evidence) }, exitCode));
      verdictFile?.write(benchVerdictJson(verdict, evidence, exitCode));
      return exitCode;
    }
    const stored = read.evidence;
    const evidence = settings === null ? stored : withSettings(stored, settings.config);
    const { verdict, context } = inFile(file!, () =>
      settings === null ? judged(evidence) : judged(evidence, settings.config, settings.configFile),
    );
    const view = inFile(file!, () => makeView(verdict, evidence, context));
    terminal.print(renderTerminal(view, { ...terminalDefaults, colour: terminal.interactive }));
    verdictFile?.write(verdictJsonText(verdict, evidence, context));
    return context.exitCode;
  },
};

/** Evidence does not say what its job was asked to fail on: these are the defaults. */
export const usual: Conclusions = {
  failOn: ['regression', 'invalid', 'service-failed'],
  onBaselineFailure: 'fail',
  trustConfig: 'candidate',
};

type Conclusions = Pick<GateConfig, 'failOn' | 'onBaselineFailure' | 'trustConfig'>;

/** The verdict of stored evidence, and what a report of it is told. */
export function judged(
  evidence: Evidence,
  config: Conclusions = usual,
  configFile = 'tailgate.yml',
): { verdict: Verdict; context: ReportContext } {
  const progress = namingHistogram(evidence, () => decide(evidence, { final: true, nearest }));
  if (progress.kind !== 'decided') throw new Error('final evidence is always decided');
  const reported = {
    verdict: progress.verdict,
    evidence,
    revisions: evidence.revisions,
    elapsed: null,
    alone: [],
  };
  const context = contextOf(reported, config, {
    id: 'default',
    run: { kind: 'local' },
    links: nowhere,
    configFile,
    history: [],
    call: 'tailgate',
    evidenceFile: 'tailgate-evidence.json',
    overrides: {},
  });
  return { verdict: progress.verdict, context };
}

/** @throws TailgateError `usage` naming the file and what is wrong with it. */
export function readStored(terminal: Terminal, file: string): Stored {
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
  return inFile(file, () => parseStored(content));
}

/** Names the file in what goes wrong: histograms are read only when they are judged. */
export function inFile<Result>(file: string, work: () => Result): Result {
  try {
    return work();
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

function settingsIn(terminal: Terminal, file: string): JobSettings {
  const request = { directory: terminal.directory, file, environment: terminal.environment };
  // Nothing is started here, and a file that is only about judging need not say how.
  return readJobSettings({ ...request, overrides: { start: 'none' } });
}
