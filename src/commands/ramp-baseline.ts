/** `tailgate ramp --baseline REF`: the capacity of two builds in turns, with spread and a verdict. */
import { builtFile } from '../kernel/installation.ts';
import { realClock } from '../kernel/world.ts';
import { startGenerator } from '../load/remote.ts';
import { hashOf } from '../ramp.ts';
import { boundTo, loadOf, type RampWishes, shotsOf } from '../ramp-of-config.ts';
import { fewestRounds, type PairEvent, type PairResult, runPair, usualRounds } from '../ramp-pair.ts';
import { scenarioOf } from '../ramp-service.ts';
import { progressLine } from '../report/progress.ts';
import { type PairFacts, pairMarkdown, pairTerminal } from '../report/ramp-pair-text.ts';
import { rateText } from '../report/ramp-view.ts';
import { readEnvironment, usableCpus } from '../service/machine.ts';
import { pinGenerator, planPlacement } from '../service/placement.ts';
import { readJobSettings } from '../settings.ts';
import { type FlagValues, numberFlag, type Terminal, text } from './command.ts';
import { withLedger } from './job-folder.ts';
import type { OutputFile } from './output-file.ts';
import { generatorLine } from './ramp-progress.ts';

const reportWidth = 110;

export interface PairFiles {
  readonly json: OutputFile | null;
  readonly markdown: OutputFile | null;
}

/** @returns the exit code, see `pairExitCode`. */
export async function rampOfBaseline(
  wishes: RampWishes,
  flags: FlagValues,
  files: PairFiles,
  terminal: Terminal,
): Promise<number> {
  const { directory, environment, signal } = terminal;
  const file = text(flags, 'config');
  const rounds = numberFlag(flags, 'rounds', { least: fewestRounds, most: 50, whole: true }) ?? usualRounds;
  const settings = readJobSettings({ directory, file, overrides: {}, environment });
  for (const { message } of settings.warnings) terminal.tell(`warning: ${message}`);
  const { config } = settings;
  const scenario = scenarioOf(config, text(flags, 'scenario'));
  const result = await withLedger(async (ledger) => {
    await using generator = await startGenerator({ entry: builtFile('generator.js'), signal });
    await pinGenerator(generator.pid);
    return await runPair({
      directory: settings.directory,
      config,
      baseline: text(flags, 'baseline')!,
      situation: { kind: 'local' },
      settings: { ...wishes, ...loadOf(config) },
      rounds,
      shotsFor: (service, round) =>
        shotsOf(
          { directory: settings.directory, environment, seed: wishes.seed },
          config,
          scenario,
          service,
          round,
        ),
      bound: boundTo(config, scenario, null),
      generator,
      environment,
      clock: realClock,
      signal,
      ledger,
      tell: (event) => tellPair(event, terminal),
    });
  });
  const facts: PairFacts = {
    ...result,
    objectiveMs: wishes.criteria.objectiveMs,
    relative: planPlacement(usableCpus()).kind === 'shared',
  };
  terminal.print(pairTerminal(facts, reportWidth));
  files.markdown?.write(pairMarkdown(facts));
  files.json?.write(`${JSON.stringify(pairJson(result, facts, terminal.environment), null, 2)}\n`);
  return pairExitCode(result);
}

/** 0: unchanged or improved; 1: a regression; 3: undecided; 4: the service of one side died; 130: stopped. */
export function pairExitCode({ stopped, verdict }: Pick<PairResult, 'stopped' | 'verdict'>): number {
  if (stopped === 'signal') return 130;
  if (stopped === 'failure') return 4;
  if (verdict.state === 'regressed') return 1;
  return verdict.state === 'undecided' ? 3 : 0;
}

/** What `--json` writes. */
export const pairJson = (
  result: PairResult,
  { objectiveMs, relative }: PairFacts,
  environment: Terminal['environment'],
): object => ({
  schema: 'tailgate-ramp-pair',
  version: 1,
  createdAt: realClock.today().toISOString(),
  objectiveMs,
  partial: result.stopped !== null,
  relative,
  ...result,
  environmentHash: hashOf(readEnvironment(environment)),
  environment: readEnvironment(environment),
});

function tellPair(event: PairEvent, terminal: Terminal): void {
  if (event.kind === 'calibrated') {
    terminal.tell(generatorLine(event.calibration));
    return;
  }
  if (event.kind === 'pilot') {
    terminal.tell(`pilot: the baseline does about ${rateText(event.capacity)}`);
    return;
  }
  if (event.kind === 'capacity-round') {
    const { round } = event;
    const values =
      round === null
        ? 'no bracket on one side'
        : `baseline ${rateText(round.baseline)}, candidate ${rateText(round.candidate)}`;
    terminal.tell(`round ${event.index + 1} of ${event.of}: ${values}`);
    return;
  }
  if (event.kind === 'output') return;
  if (event.kind === 'warning') terminal.tell(`warning: ${event.warning.message}`);
  else if (event.kind !== 'planned') terminal.tell(progressLine(event).text);
}
