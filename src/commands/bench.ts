/** `tailgate bench`: the microbenchmarks alone, on both sides in turns. */
import { runBench } from '../bench.ts';
import { defaultBenchGlobs } from '../config/schema-judging.ts';
import type { GateConfig, MicrobenchmarkSettings } from '../config/settings.ts';
import { serialiseBench } from '../evidence/store.ts';
import { TailgateError } from '../kernel/errors.ts';
import { secondsToNs } from '../kernel/units.ts';
import { freshSeed, realClock } from '../kernel/world.ts';
import type { GateEvent } from '../live.ts';
import { progressLine } from '../report/progress.ts';
import { readJobSettings } from '../settings.ts';
import { benchText } from './bench-text.ts';
import { benchVerdictJson, exitCodeFor } from './bench-verdict.ts';
import { type Command, durationFlag, type FlagValues, numberFlag, type Terminal, text } from './command.ts';
import { formatFlag, formatOf } from './formats.ts';
import { withLedger } from './job-folder.ts';
import { outputFile } from './output-file.ts';

/** Flags that stand in for a key of tailgate.yml of the same name. */
const settings = {
  setup: { value: 'COMMAND', help: 'installs and builds one side, in its worktree' },
  'working-directory': { value: 'DIR', help: 'the project inside the repository' },
  'fail-on': { value: 'LIST', help: 'what ends with an exit code other than 0' },
} as const;

export const bench: Command = {
  name: 'bench',
  usage: 'bench [--baseline REF] [--files "GLOB …"] [--rounds N] [flags]',
  summary: 'Measures the microbenchmarks of candidate (HEAD) and baseline in turns, and decides.',
  flags: {
    baseline: {
      type: 'string',
      value: 'REF',
      help: 'merge-base (the default), previous, a branch, a tag or a commit',
    },
    files: {
      type: 'string',
      value: '"GLOB …"',
      help: `files whose exported functions are benchmarks, instead of \`microbenchmarks\` in tailgate.yml, or ${defaultBenchGlobs.join(' ')}`,
    },
    command: {
      type: 'string',
      value: 'COMMAND',
      help: 'a benchmark suite of any tool, run once a round and side',
    },
    format: { ...formatFlag, help: 'format of what --command prints; recognised unless given' },
    exec: { type: 'string', value: 'COMMAND', help: 'a command whose CPU time and peak memory are measured' },
    rounds: { type: 'string', value: 'N', help: 'rounds before confirmation; 12 unless given' },
    'time-budget': {
      type: 'string',
      value: '5m',
      help: 'of all rounds together; as long as it takes unless given',
    },
    seed: { type: 'string', value: 'N', help: 'repeats the order of an earlier job' },
    'no-confirm': { type: 'boolean', help: 'decide without six fresh rounds of what was flagged' },
    ...Object.fromEntries(
      Object.entries(settings).map(([name, flag]) => [name, { type: 'string' as const, ...flag }]),
    ),
    config: { type: 'string', value: 'FILE', help: 'tailgate.yml unless given' },
    json: { type: 'string', value: 'FILE', help: 'also write the verdict as JSON' },
    evidence: { type: 'string', value: 'FILE', help: 'also write all samples as JSON' },
    verbose: { type: 'boolean', help: 'show every line of set-up' },
  },
  positionals: { least: 0, most: 0 },
  run: async (flags, _, terminal) => {
    const names = ['baseline', ...Object.keys(settings)];
    // A service plays no part here, and a project without one has no command that starts it.
    const noService = { start: 'none' };
    const given = Object.fromEntries(names.map((name) => [name, text(flags, name)]));
    const overrides = { ...given, ...noService };
    const named = namedBy(flags);
    const rounds = numberFlag(flags, 'rounds', { least: 6, most: 100, whole: true }) ?? null;
    const timeBudget = durationFlag(flags, 'time-budget', secondsToNs(24 * 3600)) ?? null;
    const seed = numberFlag(flags, 'seed', { least: 0, most: 2 ** 53, whole: true }) ?? freshSeed();
    const json = writerOf(terminal, flags, 'json');
    const evidence = writerOf(terminal, flags, 'evidence');
    const request = { directory: terminal.directory, file: text(flags, 'config'), overrides };
    const job = readJobSettings({ ...request, environment: terminal.environment });
    const measured = (config: GateConfig) => named ?? configured(config, job.configFile);
    // What it refuses is refused before git is asked for anything.
    measured(job.config);
    for (const warning of job.warnings) tell(terminal, flags, { kind: 'warning', warning });
    return await withLedger(async (ledger) => {
      const result = await runBench({
        directory: job.directory,
        config: job.config,
        trusted: job.trusted,
        settings: (config) => ({
          ...measured(config),
          rounds,
          confirm: flags['no-confirm'] !== true,
          tolerance: config.judge.microbenchmarks,
          onDifferentResult: config.onDifferentBody,
        }),
        situation: { kind: 'local' },
        environment: terminal.environment,
        seed,
        timeBudget,
        clock: realClock,
        signal: terminal.signal,
        ledger,
        tell: (event) => tell(terminal, flags, event),
      });
      const exitCode = exitCodeFor(result.verdict, result.config);
      terminal.print(benchText(result, exitCode));
      json?.write(benchVerdictJson(result.verdict, result.evidence, exitCode));
      evidence?.write(serialiseBench(result.evidence));
      return exitCode;
    });
  },
};

/**
 * What flags name, instead of the key of tailgate.yml; null when they name nothing. Who names a command means that
 * command; files are looked for beside it when they are named too.
 */
function namedBy(flags: FlagValues): MicrobenchmarkSettings | null {
  const command = text(flags, 'command');
  const exec = text(flags, 'exec');
  const files = text(flags, 'files');
  const format = formatOf(bench, flags);
  if (command === undefined && exec === undefined && files === undefined) return null;
  return {
    files: (files ?? '').split(/\s+/).filter((glob) => glob !== ''),
    suites: [
      ...(command === undefined ? [] : [{ kind: 'command' as const, name: 'command', command, format }]),
      ...(exec === undefined ? [] : [{ kind: 'execution' as const, name: 'exec', exec }]),
    ],
    declared: true,
  };
}

/** The key `microbenchmarks` of tailgate.yml, or the files that are looked for without it. */
function configured({ microbenchmarks }: GateConfig, configFile: string): MicrobenchmarkSettings {
  if (microbenchmarks.files.length + microbenchmarks.suites.length === 0) {
    throw new TailgateError({
      code: 'usage',
      message: `\`microbenchmarks\` in ${configFile} is [], which turns them off`,
      hint: 'name them there, or with --files "GLOB …", --command or --exec',
    });
  }
  // Whoever calls `bench` wants benchmarks: that there are none is an error, whoever named the globs.
  return { ...microbenchmarks, declared: true };
}

const writerOf = (terminal: Terminal, flags: FlagValues, name: string) => {
  const file = text(flags, name);
  return file === undefined ? null : outputFile(terminal, name, file);
};

function tell(terminal: Terminal, flags: FlagValues, event: GateEvent): void {
  switch (event.kind) {
    case 'planned':
      return;
    case 'output':
      if (flags['verbose'] === true) terminal.tell(`  ${event.side} | ${event.line}`);
      return;
    default: {
      const line = progressLine(event);
      if (line.lasting || flags['verbose'] === true) terminal.tell(line.text);
    }
  }
}
