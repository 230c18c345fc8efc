/** Beyond the knee: how far to go, whether goodput falls there, how errors begin, and how long recovery takes. Pure. */
import { ceilingOf, findKnee } from './knee.ts';
import { roundedRate } from './search.ts';
import { byRate, type Step } from './step.ts';

export type Shape =
  /** What succeeds stays near the ceiling. */
  | 'holds'
  | 'gradual'
  /** Most of it is lost from one step to the next. */
  | 'cliff';

/** Of the steps beyond the knee, or of all steps where there is no knee. */
export interface Collapse {
  /** Whether what succeeds falls clearly below the ceiling as more is offered. */
  readonly collapses: boolean;
  readonly shape: Shape;
  /** The lowest offered rate at which it has fallen; null: it has not. */
  readonly atRate: number | null;
  /** The highest offered rate, and what succeeded there. */
  readonly highestRate: number;
  readonly successfulAtHighest: number;
  /** Beyond the knee: least successful ÷ what could have succeeded, the ceiling or the offered rate where that is less. */
  readonly leastShare: number;
  readonly errors: {
    /** The lowest offered rate at which more than the budget failed; null: nowhere. */
    readonly startAtRate: number | null;
    readonly shareAtHighest: number;
    /** Failed requests beyond the knee by kind, most frequent first. */
    readonly kinds: Readonly<Record<string, number>>;
  };
}

/** One stretch at half the knee after the overload. */
export interface RecoveryWindow {
  /** Since the last request of the overload. */
  readonly fromSeconds: number;
  readonly p99Ms: number | null;
  readonly errorShare: number;
}

export interface Recovery {
  /** The rate gone back to: half the knee. */
  readonly rate: number;
  readonly afterRate: number;
  readonly recovered: boolean;
  /** From the last request of the overload until p99 is within the objective for good; null: not within the limit. */
  readonly seconds: number | null;
  readonly withinSeconds: number;
  readonly windows: readonly RecoveryWindow[];
}

/** Between two steps on the way to failure. */
const climb = 1.25;
const failed = { rate: 2, errors: 0.5 } as const;
/** Below this share of the ceiling goodput has fallen; noise and a little queueing stay above. */
const fallen = 0.8;
/** What a cliff loses of the ceiling from one step to the next. */
const cliff = 0.4;
/** Steps as close as this are one. */
const near = 1.1;
/** So many windows in a row within the objective are a recovery. */
const recoveredWindows = 2;

/** The next rate on the way to failure; null when 2× the knee or half of all requests failing has been seen, or `most`. */
export function nextToFailure(steps: readonly Step[], most: number): number | null {
  const knee = findKnee(steps);
  const base = knee.rate ?? steps[0]?.rate;
  if (base === undefined) return null;
  const climbed = steps.filter((step) => step.phase === 'failure');
  const last = climbed.at(-1);
  if (last !== undefined && (last.errorShare > failed.errors || !last.sound)) return null;
  // While the plateau has no end there is no knee to take twice.
  const aim = Math.min(most, knee.beyond === null ? most : roundedRate(failed.rate * base));
  if (last !== undefined && last.rate >= aim) return null;
  const from = last?.rate ?? knee.beyond ?? Math.max(...steps.map((step) => step.rate));
  // Bracketing may have been there already; recovery is watched from there, so it is gone to once more.
  if (from >= aim) return last === undefined && knee.beyond !== null ? aim : null;
  const next = roundedRate(Math.min(aim, from * climb));
  const rate = aim / next < near ? aim : next;
  return rate > base ? rate : null;
}

/** How the service behaves beyond its knee; null when no step went there. */
export function describeBeyond(steps: readonly Step[], errorBudget: number): Collapse | null {
  const knee = findKnee(steps);
  const ceiling = ceilingOf(steps);
  const curve = byRate(steps.filter((step) => step.sound)).map(worstOf);
  const beyond = curve.filter((step) => step.rate > (knee.rate ?? 0));
  const highest = beyond.at(-1);
  if (ceiling === null || ceiling === 0 || highest === undefined || knee.beyond === null) return null;
  const shares = beyond.map((step) => step.successfulPerSecond / Math.min(ceiling, step.offeredPerSecond));
  const firstFallen = fallenFrom(shares);
  const collapses = firstFallen < shares.length;
  const drops = shares.map((share, index) => (index === 0 ? 1 : shares[index - 1]!) - share);
  const kinds: Record<string, number> = {};
  for (const step of steps.filter((one) => one.rate > (knee.rate ?? 0))) {
    for (const [kind, count] of Object.entries(step.errors)) kinds[kind] = (kinds[kind] ?? 0) + count;
  }
  return {
    collapses,
    shape: !collapses ? 'holds' : Math.max(...drops) > cliff ? 'cliff' : 'gradual',
    atRate: collapses ? beyond[firstFallen]!.rate : null,
    highestRate: highest.rate,
    successfulAtHighest: highest.successfulPerSecond,
    leastShare: Math.round(1e4 * Math.min(...shares)) / 1e4,
    errors: {
      startAtRate: curve.find((step) => step.errorShare > errorBudget)?.rate ?? null,
      shareAtHighest: highest.errorShare,
      kinds: Object.fromEntries(Object.entries(kinds).sort(([, a], [, b]) => b - a)),
    },
  };
}

/**
 * The step from which goodput stays below, or has mostly fallen: one step that something else on the machine disturbed is
 * no collapse, and one that went well before a service gave in, as its queue was still short, is no recovery.
 */
function fallenFrom(shares: readonly number[]): number {
  const below = shares.filter((share) => share < fallen).length;
  return 2 * below > shares.length
    ? shares.findIndex((share) => share < fallen)
    : shares.findLastIndex((share) => share >= fallen) + 1;
}

/** Whether the windows so far hold a recovery, and when it began. */
export function recoveredAt(
  windows: readonly RecoveryWindow[],
  objectiveMs: number,
  errorBudget: number,
): number | null {
  const within = windows.map(
    ({ p99Ms, errorShare }) => p99Ms !== null && p99Ms <= objectiveMs && errorShare <= errorBudget,
  );
  for (let first = 0; first + recoveredWindows <= within.length; first++) {
    if (within.slice(first, first + recoveredWindows).every(Boolean)) return windows[first]!.fromSeconds;
  }
  return null;
}

/** Of several runs at one rate the middle one by what succeeded, in doubt the worse. */
function worstOf(runs: readonly Step[]): Step {
  const order = [...runs].sort((a, b) => a.successfulPerSecond - b.successfulPerSecond);
  return order[(order.length - 1) >> 1]!;
}
