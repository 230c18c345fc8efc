/** Exported functions of both sides: found and calibrated once, then sampled in turns in fresh processes each round. */
import { ns } from '../kernel/units.ts';
import { otherSide, type Side, sides } from '../kernel/words.ts';
import type { Random } from '../kernel/world.ts';
import type { BenchResult, BenchSubject, SideResult } from './evidence.ts';
import { type Finished, type FunctionJob, finishPair, openPair, type Pair } from './pair.ts';
import type { FunctionName } from './protocol.ts';
import { type FunctionPlan, measureInTurns, sampleTarget, samplingOf } from './sampling.ts';
import type { Answer } from './side-process.ts';

export interface Discovery {
  readonly subjects: readonly BenchSubject[];
  /** Of the subjects that both sides have and that can be measured. */
  readonly plans: readonly FunctionPlan[];
  readonly warnings: readonly string[];
}

/** Below this an operation is no work any more. */
const suspicious = ns(0.5);

export const subjectName = ({ file, name }: FunctionName): string => `${file} > ${name}`;

const fileOf = (name: string): string => name.slice(0, name.lastIndexOf(' > '));

const outOfTime =
  'both sides: it was not tried, because benchmarks before it that did not end took the whole time budget';

const time = { kind: 'time', normalised: 'ns', text: 'ns' } as const;

/**
 * Loads both sides once and calibrates every function that both have.
 * @throws TailgateError as `openPair`.
 */
export async function discoverFunctions(job: FunctionJob, random: Random): Promise<Discovery> {
  const subjects = new Map<string, BenchSubject>();
  const plans: FunctionPlan[] = [];
  const warnings: string[] = [];
  let pair = await openPair(job, drawSide(random));
  try {
    for (const subject of fileProblems(pair)) subjects.set(subject.name, subject);
    const began = job.clock.now();
    const isOver = (): boolean => job.clock.now() - began > (job.finding ?? Number.POSITIVE_INFINITY);
    let lost = false;
    for (const benchmark of everyFunction(pair)) {
      const name = subjectName(benchmark);
      if (lost && isOver()) {
        subjects.set(name, { ...blank(name), problem: outOfTime });
        continue;
      }
      const found = await calibrateBoth(pair, benchmark, drawSide(random));
      subjects.set(name, found.subject);
      if (found.plan !== null) plans.push(found.plan);
      if (!isBroken(pair)) continue;
      lost = true;
      await pair[Symbol.asyncDispose]();
      pair = await openPair(job, drawSide(random));
    }
    const finished = await finishPair(pair);
    warnings.push(...finished.warnings);
    for (const [name, subject] of subjects) {
      const end = finished.hung.get(fileOf(name));
      if (end === undefined || subject.problem !== null) continue;
      const who = end.sides.length === 2 ? 'both sides' : end.sides[0];
      subjects.set(name, { ...blank(name), problem: `${who}: ${end.reason}` });
    }
    const isKept = (plan: FunctionPlan): boolean => !finished.hung.has(plan.benchmark.file);
    plans.splice(0, plans.length, ...plans.filter(isKept));
  } finally {
    await pair[Symbol.asyncDispose]();
  }
  // Last: until here a name is what its process is asked for.
  const masked = <Named extends { readonly name: string }>(one: Named): Named => ({
    ...one,
    name: job.mask(one.name),
  });
  return { subjects: [...subjects.values()].map(masked), plans: plans.map(masked), warnings };
}

/** One row for a file that no side can load; functions of a file that one side can load have rows of their own. */
function fileProblems(pair: Pair): readonly BenchSubject[] {
  const { baseline, candidate } = pair.loaded;
  const files = new Set([...baseline.problems.keys(), ...candidate.problems.keys()]);
  const loads = (file: string): boolean =>
    sides.some((side) => pair.loaded[side].benchmarks.some((one) => one.file === file));
  return [...files]
    .filter((file) => !loads(file))
    .map((file) => {
      const known = sides.filter((side) => pair.loaded[side].problems.has(file));
      const problem = `${known.join(' and ')}: ${pair.loaded[known[0]!].problems.get(file)}`;
      return { ...blank(file), problem };
    });
}

function everyFunction(pair: Pair): readonly FunctionName[] {
  const all = new Map<string, FunctionName>();
  for (const side of sides) for (const one of pair.loaded[side].benchmarks) all.set(subjectName(one), one);
  return [...all.keys()].sort().map((name) => all.get(name)!);
}

const blank = (name: string): BenchSubject => ({
  name,
  source: 'function',
  unit: time,
  direction: 'smaller-is-better',
  presence: 'both',
  alone: null,
  iterations: null,
  problem: null,
  remark: null,
});

interface Calibrated {
  readonly subject: BenchSubject;
  readonly plan: FunctionPlan | null;
}

/** A process was lost: what is left of the pair measures nothing any more. */
const isBroken = (pair: Pair): boolean => sides.some((side) => pair.processes[side].isGone);

async function calibrateBoth(pair: Pair, benchmark: FunctionName, first: Side): Promise<Calibrated> {
  const name = subjectName(benchmark);
  const has = (side: Side): boolean => pair.loaded[side].benchmarks.some((one) => subjectName(one) === name);
  const problemOf = (side: Side): string | undefined => pair.loaded[side].problems.get(benchmark.file);
  const present = [first, otherSide(first)].filter(has);
  const broken = sides.find((side) => problemOf(side) !== undefined);
  if (broken !== undefined) {
    return refuse(`${broken}: ${problemOf(broken)}`);
  }
  const answers: Extract<Answer, { kind: 'calibrated' }>[] = [];
  for (const side of present) {
    const begun = await pair.processes[side].ask({ kind: 'begin', benchmark });
    const answer =
      begun.kind === 'problem'
        ? begun
        : await pair.processes[side].ask({ kind: 'calibrate', benchmark, target: sampleTarget });
    // On one side or on both: the other side is asked too, so that the reader knows which.
    if (answer.kind === 'problem') return refuse(await blame(pair, side, benchmark, answer));
    if (answer.kind === 'calibrated') answers.push(answer);
  }
  const sampling = samplingOf(answers);
  const each = Math.min(...answers.map((answer) => answer.elapsed / answer.iterations));
  const subject: BenchSubject = {
    ...blank(name),
    iterations: sampling.iterations,
    presence: present.length === 2 ? 'both' : present[0]!,
    alone: present.length === 2 ? null : each,
    remark:
      each < suspicious
        ? 'an operation takes less than half a nanosecond: the engine may have removed the work; return a result that depends on it'
        : null,
  };
  if (present.length < 2) return { subject, plan: null };
  return { subject, plan: { name, benchmark, ...sampling } };

  function refuse(problem: string): Calibrated {
    return { subject: { ...blank(name), problem }, plan: null };
  }
}

/** `candidate: threw: …`, or `both sides: …` when the other one fails as well. */
async function blame(
  pair: Pair,
  side: Side,
  benchmark: FunctionName,
  answer: Extract<Answer, { kind: 'problem' }>,
): Promise<string> {
  const other = await pair.processes[otherSide(side)].ask({ kind: 'begin', benchmark });
  return `${other.kind === 'problem' ? 'both sides' : side}: it ${answer.reason}`;
}

/**
 * One round: fresh processes, every function in a drawn order, its samples in quads of both sides.
 * @param plans the functions to measure; the others are not loaded.
 */
export async function measureFunctions(
  job: FunctionJob,
  plans: readonly FunctionPlan[],
  random: Random,
): Promise<readonly BenchResult[]> {
  if (plans.length === 0) return [];
  const wanted = new Set(plans.map((plan) => plan.benchmark.file));
  const of = (side: Side): readonly string[] => job.files[side].filter((file) => wanted.has(file));
  const files = { baseline: of('baseline'), candidate: of('candidate') };
  const results: BenchResult[] = [];
  let pair = await openPair(job, drawSide(random), files);
  try {
    for (const plan of random.shuffle(plans)) {
      results.push(await measureInTurns(pair.processes, plan, drawSide(random), random));
      if (!isBroken(pair)) continue;
      await pair[Symbol.asyncDispose]();
      pair = await openPair(job, drawSide(random), files);
    }
    const { hung } = await finishPair(pair);
    const byName = new Map(plans.map((plan) => [plan.name, hung.get(plan.benchmark.file)]));
    return results.map((result) => withoutEnd(result, byName.get(result.name)));
  } finally {
    await pair[Symbol.asyncDispose]();
  }
}

/** Values of a process that never came to its end do not count. */
function withoutEnd(result: BenchResult, end: ReturnType<Finished['hung']['get']>): BenchResult {
  if (end === undefined) return result;
  const of = (side: Side): SideResult =>
    end.sides.includes(side) ? { kind: 'failed', reason: end.reason } : { kind: 'unmeasured' };
  return { name: result.name, baseline: of('baseline'), candidate: of('candidate') };
}

const drawSide = (random: Random): Side => (random.coin() ? 'baseline' : 'candidate');
