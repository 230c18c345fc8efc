/** Conductor of `mode: ramp` in a workflow: the capacity of the commit that is checked out, or of two builds in turns. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { announce } from './announce.ts';
import { earlierRelease } from './builds/earlier-release.ts';
import { openRepository } from './builds/git.ts';
import { curveOf } from './capacity/curve.ts';
import { exitCodeOf } from './commands/ramp.ts';
import { pairExitCode, pairJson } from './commands/ramp-baseline.ts';
import { rampSettings } from './commands/ramp-flags.ts';
import { generatorLine, tellRamp } from './commands/ramp-progress.ts';
import { releasedTag } from './github/event.ts';
import { writeOutputs } from './github/outputs.ts';
import { writeSummary } from './github/summary.ts';
import { TailgateError } from './kernel/errors.ts';
import { onDisk } from './kernel/folders.ts';
import { builtFile } from './kernel/installation.ts';
import type { Ledger } from './kernel/leftovers.ts';
import { version } from './kernel/version.ts';
import { realClock } from './kernel/world.ts';
import { startGenerator } from './load/remote.ts';
import { boundTo, loadOf, type RampWishes, rampOfSettings, shotsOf } from './ramp-of-config.ts';
import { runPair, usualRounds } from './ramp-pair.ts';
import { scenarioOf } from './ramp-service.ts';
import { rampHtml } from './report/ramp-html.ts';
import { type PairFacts, pairMarkdown, pairTerminal } from './report/ramp-pair-text.ts';
import { rampMarkdown, rampTerminal } from './report/ramp-text.ts';
import { rateText } from './report/ramp-view.ts';
import { usableCpus } from './service/machine.ts';
import { pinGenerator, planPlacement } from './service/placement.ts';
import type { Job } from './tell-github.ts';

type Variables = Readonly<Record<string, string | undefined>>;

interface Told {
  readonly text: string;
  readonly markdown: string;
  /** By what is added to `tailgate-ramp`. */
  readonly files: Readonly<Record<string, string>>;
  readonly exitCode: number;
}

const width = 110;

/**
 * Runs the ramp to failure or, where `baseline` is given or a release has an earlier one, the comparison. There is no
 * comment: a capacity is for releases, not for pull requests.
 * @param environment of everything that is started.
 * @returns the exit code.
 */
export async function rampInAction(job: Job, ledger: Ledger, environment: Variables): Promise<number> {
  const { log, given } = job;
  if (given['objective'] === undefined) {
    throw new TailgateError({
      code: 'usage',
      message: '`mode: ramp` needs the input `objective`: what p99 may be at most.',
      hint: 'Write for example `objective: 50ms` beside `mode: ramp`.',
    });
  }
  const baseline =
    given['baseline'] === 'none' ? null : (given['baseline'] ?? (await beforeThisRelease(job)));
  const budget = given['time-budget'];
  // A curve begins where the service has nothing to do; two builds are compared near what it is used to.
  const { rate } = scenarioOf(job.settings.config, undefined);
  const from = baseline === null ? rate / 4 : rate;
  const wishes = rampSettings({
    objective: given['objective'],
    from: String(Math.max(1, Math.round(from))),
    'to-failure': baseline === null,
    ...(budget === undefined ? {} : { 'time-budget': budget }),
  });
  const told =
    baseline === null
      ? await alone(job, wishes, ledger, environment)
      : await inTurns(job, baseline, wishes, ledger, environment);
  log.endGroup();
  const path = (ending: string): string => join(job.folder, `tailgate-ramp${ending}`);
  for (const [ending, content] of Object.entries({ '.md': told.markdown, ...told.files }))
    onDisk(job.folder, () => writeFileSync(path(ending), content));
  const summary = await writeSummary(job.environment, [told.markdown]);
  if (summary.kind === 'refused') log.tell(summary.notice);
  const problem = writeOutputs({
    conclusion: told.exitCode === 0 ? 'success' : 'failure',
    'report-path': path(told.files['.html'] === undefined ? '.md' : '.html'),
    'evidence-path': path('.json'),
  });
  if (problem !== null) log.tell(problem);
  log.info(`\n${told.text}`);
  if (told.exitCode !== 0) log.error(told.text.split('\n\n')[0]!.replaceAll('\n', ' '));
  return told.exitCode;
}

/** A release is compared with the one before it. */
async function beforeThisRelease({ environment, settings, signal, log }: Job): Promise<string | null> {
  const tag = releasedTag(environment);
  if (tag === null) return null;
  const git = await openRepository({ directory: settings.directory, environment, signal });
  const earlier = await earlierRelease(git, tag);
  log.info(
    earlier === null
      ? `No tag of the form of ${tag} comes before it: its capacity is measured alone.`
      : `The capacity of ${tag} is compared with that of ${earlier.replace('refs/tags/', '')}, the release before it.`,
  );
  return earlier;
}

async function alone(job: Job, wishes: RampWishes, ledger: Ledger, environment: Variables): Promise<Told> {
  const { settings, signal, log } = job;
  const result = await rampOfSettings({
    wishes,
    settings,
    scenario: undefined,
    environment,
    signal,
    ledger,
    tell: (event) => tellRamp(event, { tell: (text) => log.info(text) }),
  });
  const view = { result, curve: curveOf(result.steps) };
  return {
    text: rampTerminal(view, width),
    markdown: rampMarkdown(view),
    files: { '.json': `${JSON.stringify(result, null, 2)}\n`, '.html': rampHtml(view, version) },
    exitCode: exitCodeOf(result),
  };
}

async function inTurns(
  job: Job,
  baseline: string,
  wishes: RampWishes,
  ledger: Ledger,
  environment: Variables,
): Promise<Told> {
  const { settings, signal, log, client } = job;
  const { config, directory } = settings;
  const scenario = scenarioOf(config, undefined);
  await using generator = await startGenerator({ entry: builtFile('generator.js'), signal });
  await pinGenerator(generator.pid);
  const result = await runPair({
    directory,
    config,
    baseline,
    situation: job.situation,
    ...(client === null ? {} : { mergeBaseByApi: (one, other) => client.mergeBase(one, other) }),
    settings: { ...wishes, ...loadOf(config) },
    rounds: usualRounds,
    shotsFor: (service, round) =>
      shotsOf({ directory, environment, seed: wishes.seed }, config, scenario, service, round),
    bound: boundTo(config, scenario, null),
    generator,
    environment,
    clock: realClock,
    signal,
    ledger,
    tell: (event) => {
      if (event.kind === 'calibrated') log.info(generatorLine(event.calibration));
      else if (event.kind === 'pilot') log.info(`Pilot: the baseline does about ${rateText(event.capacity)}`);
      else if (event.kind === 'capacity-round') {
        const { baseline: before, candidate } = event.round ?? { baseline: null, candidate: null };
        log.info(
          `Round ${event.index + 1} of ${event.of}: baseline ${rateText(before)}, candidate ${rateText(candidate)}`,
        );
      } else announce(log, event);
    },
  });
  const facts: PairFacts = {
    ...result,
    objectiveMs: wishes.criteria.objectiveMs,
    relative: planPlacement(usableCpus()).kind === 'shared',
  };
  return {
    text: pairTerminal(facts, width),
    markdown: pairMarkdown(facts),
    files: { '.json': `${JSON.stringify(pairJson(result, facts, job.environment), null, 2)}\n` },
    exitCode: pairExitCode(result),
  };
}
