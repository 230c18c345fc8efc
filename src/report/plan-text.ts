/** The plan in words, printed before the run: what will be done, for how long, and what it will be able to see. */
import type { JobPlan, ScenarioPlan } from '../config/plan.ts';
import type { JudgeSettings, Tolerance } from '../config/settings.ts';
import type { CounterSettings } from '../config/settings-services.ts';
import type { RevisionRecord } from '../evidence/trial.ts';
import { formatCount, formatDuration, formatRate } from '../kernel/units.ts';
import type { MetricName, Side } from '../kernel/words.ts';
import { sides } from '../kernel/words.ts';
import { wrapped } from './columns.ts';
import { shortSha } from './diagnostics.ts';
import { visible } from './escape.ts';
import { metricLabel, toleranceText } from './figures.ts';
import { capital, sentence } from './phrase.ts';
import { plainPhrase } from './terminal.ts';

export interface PlanDescription {
  readonly plan: JobPlan;
  readonly judge: JudgeSettings;
  /** Counters that are asked for beside the usual metrics. */
  readonly counters: readonly Pick<CounterSettings, 'name' | 'judge'>[];
  /** Null where they are not known yet. */
  readonly revisions: Readonly<Record<Side, RevisionRecord | null>>;
}

const mostScenarios = 20;

/** @returns lines of at most `width` columns, without colour. */
export function describePlan(
  { plan, judge, counters, revisions }: PlanDescription,
  width = 100,
): readonly string[] {
  const lines: string[] = ['Plan'];
  const add = (text: string): void => {
    lines.push(...wrapped(text, width, '  '));
  };
  for (const side of sides) {
    const revision = revisions[side];
    if (revision === null) continue;
    const how = revision.how === '' ? '' : `: ${plainPhrase(sentence(revision.how, ''))}`;
    add(`${side} ${visible(shortSha(revision.sha))}${how}`);
  }
  add(`seed ${plan.seed}; the same seed repeats the same order, schedule and requests`);
  add(roundsText(plan));
  if (plan.confirm) {
    add(
      `a regression has to show again in ${formatCount(plan.confirmationRounds)} fresh rounds before the job fails; a job that is still open after its last look gets them too when they could settle it`,
    );
  }
  add(
    `time: about ${formatDuration(plan.roundTime)} a round and ${formatDuration(plan.totalTime)} in all, set-up of both sides excluded; when rounds take longer, there are fewer of them`,
  );
  if (plan.benchmarks > 0) {
    add('a third of the time budget is kept for microbenchmarks; `microbenchmarks: []` frees it');
  }
  lines.push('Scenarios');
  for (const scenario of plan.scenarios.slice(0, mostScenarios)) add(scenarioText(scenario));
  const left = plan.scenarios.length - mostScenarios;
  if (left > 0) add(`… and ${formatCount(left)} more`);
  lines.push('What it will be able to see');
  for (const text of toleranceTexts(plan, judge)) add(text);
  for (const text of counterTexts(counters)) add(text);
  if (plan.benchmarks > 0) add(benchmarksText(judge));
  add('"fails from": no smaller change turns the job red; "passes under": what a pass has to rule out');
  add(
    'How small a change this machine can show depends on its spread, which only the run can measure: the report gives the smallest detectable change of every row.',
  );
  if (plan.notes.length > 0) {
    lines.push('Please note');
    for (const note of plan.notes) {
      const hint = note.hint === undefined ? '' : ` ${plainPhrase(sentence(capital(note.hint)))}`;
      add(`${plainPhrase(sentence(capital(note.message)))}${hint}`);
    }
  }
  return lines;
}

function roundsText(plan: JobPlan): string {
  const early = plan.looks.filter((look) => look < plan.rounds);
  const most = `at most ${formatCount(plan.rounds)} rounds, each with fresh processes of both sides`;
  return early.length === 0 ? most : `${most}; may be decided after ${early.join(' or ')} already`;
}

function scenarioText(scenario: ScenarioPlan): string {
  const requests = `${scenario.slices} slices of ${formatCount(scenario.sliceRequests)} requests a side and round`;
  const judged = scenario.judged.map(metricLabel).join(', ');
  return `${visible(scenario.name)}: ${formatRate(scenario.rate)}, ${requests}; judged: ${judged}`;
}

/** One line a tolerance; percentiles in the place of p99 share its line. */
function toleranceTexts(plan: JobPlan, judge: JudgeSettings): readonly string[] {
  const judged = new Set<MetricName>(plan.scenarios.flatMap((scenario) => scenario.judged));
  const tails = (['p99', 'p95', 'p90'] as const).filter((metric) => judged.has(metric));
  const texts: string[] = [];
  const full = (metric: MetricName, label: string, tolerance: Tolerance): void => {
    texts.push(`${label} ${toleranceText(metric, tolerance)}`);
  };
  if (judged.has('p50')) full('p50', 'p50', judge.p50);
  if (tails[0] !== undefined) full(tails[0], tails.join(', '), judge.p99);
  if (judged.has('cpu')) full('cpu', metricLabel('cpu'), judge.cpu);
  if (judged.has('cpu-total')) full('cpu-total', metricLabel('cpu-total'), judge.cpuTotal);
  if (judged.has('tail')) {
    texts.push(`${metricLabel('tail')} ${toleranceText('tail', { min: judge.tail.min, detect: null })}`);
  }
  if (judged.has('errors')) {
    texts.push(
      `${metricLabel('errors')} ${toleranceText('errors', { min: judge.errors.min, detect: null })}`,
    );
  }
  return texts;
}

function benchmarksText({ microbenchmarks }: JudgeSettings): string {
  const tolerance = toleranceText('microbenchmark', microbenchmarks);
  return `microbenchmarks ${tolerance}; how many of their rounds fit into the third of the time budget that is kept for them is told when the first has been timed`;
}

function counterTexts(counters: PlanDescription['counters']): readonly string[] {
  const judged = counters.flatMap(({ name, judge }) =>
    judge === null ? [] : [`${visible(name)} a request ${toleranceText('counter', judge)}`],
  );
  const shown = counters.filter(({ judge }) => judge === null).map(({ name }) => visible(name));
  return shown.length === 0 ? judged : [...judged, `shown, never judged: ${shown.join(', ')}`];
}
