/** Conductor of `mode: self-test` in a workflow: three jobs on the commit that is checked out, told in log, summary and outputs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { announce } from './announce.ts';
import { writeOutputs } from './github/outputs.ts';
import { writeSummary } from './github/summary.ts';
import { onDisk } from './kernel/folders.ts';
import type { Ledger } from './kernel/leftovers.ts';
import { realClock } from './kernel/world.ts';
import { plantingText, selfTestMarkdown, selfTestText } from './report/self-test-text.ts';
import { runSelfTest } from './self-test.ts';
import type { Job } from './tell-github.ts';

/**
 * Runs the self-test; there is no comment and no artifact, because nothing of it is about a pull request.
 * @param environment of everything that is started.
 * @returns the exit code.
 */
export async function selfTestInAction(
  job: Job,
  ledger: Ledger,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<number> {
  const { log } = job;
  const result = await runSelfTest({
    directory: job.settings.directory,
    config: job.settings.config,
    situation: { kind: 'other', event: 'self-test' },
    environment,
    clock: realClock,
    signal: job.signal,
    ledger,
    tell: (event) => {
      // That both sides are one commit is the point here.
      if (event.kind === 'warning' && event.warning.code === 'same-commit') return;
      announce(log, event);
    },
    next: (planting, sizes) => {
      log.endGroup();
      log.info(`Self-test: ${plantingText(planting, sizes)}`);
    },
  });
  log.endGroup();
  const markdown = selfTestMarkdown(result);
  const reportPath = join(job.folder, 'tailgate-self-test.md');
  onDisk(job.folder, () => writeFileSync(reportPath, `${markdown}\n`));
  const summary = await writeSummary(job.environment, [markdown]);
  if (summary.kind === 'refused') log.tell(summary.notice);
  const conclusion = result.exitCode === 0 ? 'success' : 'failure';
  const problem = writeOutputs({ conclusion, 'report-path': reportPath });
  if (problem !== null) log.tell(problem);
  log.info(`\n${selfTestText(result)}`);
  for (const check of result.checks) {
    if (check.result === 'shown' || check.verdict === null) continue;
    log.error(`${plantingText(check.planting, result.sizes)}: ${check.reason}`);
  }
  return result.exitCode;
}
