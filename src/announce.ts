/** What the gate tells while it runs, as lines and folded groups in the log of a job. */
import type { Revisions } from './builds/revision.ts';
import type { RevisionRecord } from './evidence/trial.ts';
import type { JobLog } from './github/log.ts';
import { assertNever } from './kernel/errors.ts';
import { formatCount, formatDuration } from './kernel/units.ts';
import type { Side } from './kernel/words.ts';
import type { GateEvent } from './live.ts';
import { describePlan } from './report/plan-text.ts';
import { type ProgressEvent, progressLine } from './report/progress.ts';

/** Folds what is long (the plan, set-up, rounds); what was compared and what was found stands outside of folds. */
export function announce(log: JobLog, event: GateEvent): void {
  switch (event.kind) {
    case 'planned':
      announcePlan(log, event);
      break;
    case 'building':
      log.group(`Set up the ${event.side}`);
      break;
    case 'built':
      log.info(progressLine(event).text);
      log.endGroup();
      break;
    case 'output':
      log.info(event.line);
      break;
    case 'warning':
      log.tell(event.warning);
      break;
    case 'round-started':
      // Only its end is worth a line; the first one says how long all of them may take.
      if (event.index === 1) log.group(titleOf(event));
      break;
    case 'confirming':
    case 'settling':
      log.endGroup();
      log.info(progressLine(event).text);
      break;
    case 'benchmarks-found':
      log.endGroup();
      log.group(progressLine(event).text);
      break;
    case 'round-done':
    case 'bench-round':
    case 'bench-timed':
    case 'suite-read':
    case 'waiting':
    case 'looked':
      log.info(progressLine(event).text);
      break;
    default:
      assertNever(event);
  }
}

function announcePlan(log: JobLog, event: Extract<GateEvent, { kind: 'planned' }>): void {
  const { plan, config } = event;
  const revisions = recordsOf(event.revisions);
  const [, ...lines] = describePlan({ plan, judge: config.judge, counters: config.metrics, revisions });
  log.group(
    `Plan: at most ${formatCount(plan.rounds)} rounds, about ${formatDuration(plan.totalTime)}, seed ${plan.seed}`,
  );
  for (const line of lines) log.info(line);
  log.endGroup();
}

const recordsOf = ({ baseline, candidate }: Revisions): Readonly<Record<Side, RevisionRecord>> => ({
  baseline: { ...baseline, outputHash: null },
  candidate: { ...candidate, outputHash: null },
});

function titleOf(event: Extract<ProgressEvent, { kind: 'round-started' }>): string {
  const what = event.phase === 'confirming' ? 'Fresh rounds' : 'Measuring in turns';
  const time = event.timeLeft === null ? '' : `, ${formatDuration(event.timeLeft)} left`;
  return `${what}: at most ${formatCount(event.of)} rounds${time}`;
}
