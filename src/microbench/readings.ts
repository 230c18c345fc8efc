/** What adapters say of the output of suites beside its rows, gathered over all rounds of a job: nothing is said twice. */
import type { Warning } from '../kernel/errors.ts';
import { type Side, sides } from '../kernel/words.ts';
import type { SuiteReading } from './evidence.ts';
import type { SuiteRun } from './suites.ts';

/** Of one suite; what comes after them is told in one sentence. */
const mostWarnings = 20;

/** Who wants to hear what is new, as it comes. */
export interface Listener {
  /** Once a suite: what its output was taken for. */
  read(name: string, formats: string): void;
  warn(warning: Warning): void;
}

/** The readings of all suites of a job. */
export class SuiteReadings {
  readonly #readings = new Map<string, SuiteReading>();
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** After each run of a suite on both sides. */
  add(name: string, runs: Readonly<Record<Side, SuiteRun>>): void {
    const before = this.#readings.get(name) ?? null;
    const after = readingAfter(before, name, runs);
    if (after === null) return;
    if (before === null) this.#listener.read(name, formatsText(after));
    for (const warning of after.warnings.slice(before?.warnings.length ?? 0)) this.#listener.warn(warning);
    this.#readings.set(name, after);
  }

  get all(): readonly SuiteReading[] {
    return [...this.#readings.values()];
  }
}

/**
 * A reading with what one more round of its suite said.
 * @param before null: nothing was read yet.
 * @returns null as long as nothing was read, and for what prints nothing that is read.
 */
export function readingAfter(
  before: SuiteReading | null,
  name: string,
  runs: Readonly<Record<Side, SuiteRun>>,
): SuiteReading | null {
  const formatOf = (side: Side) => {
    const run = runs[side];
    return before?.formats[side] ?? (run.kind === 'rows' ? run.format : null);
  };
  const formats = { baseline: formatOf('baseline'), candidate: formatOf('candidate') };
  if (formats.baseline === null && formats.candidate === null) return null;
  const warnings = [...(before?.warnings ?? [])];
  const told = new Set(warnings.map((warning) => warning.message));
  for (const warning of [...differing(name, formats), ...warningsOf(name, runs)]) {
    if (told.has(warning.message) || warnings.length > mostWarnings) continue;
    const last = `${name}: more was said about its output, which is left out here`;
    told.add(warning.message);
    warnings.push(warnings.length < mostWarnings ? warning : { code: 'more-warnings', message: last });
  }
  return { name, formats, warnings };
}

/** `go-bench`, or what each side was taken for where they differ. */
export function formatsText({ formats: { baseline, candidate } }: SuiteReading): string {
  if (baseline === candidate || candidate === null) return baseline!;
  return baseline === null ? candidate : `${baseline} on the baseline, ${candidate} on the candidate`;
}

function differing(name: string, { baseline, candidate }: SuiteReading['formats']): readonly Warning[] {
  if (baseline === null || candidate === null || baseline === candidate) return [];
  return [
    {
      code: 'formats-differ',
      message: `${name}: its output is ${baseline} on the baseline and ${candidate} on the candidate: the tools may measure differently`,
      hint: 'give the format with `format`, or run the same tool on both sides',
    },
  ];
}

/** What both sides say is said once, without a side. */
function warningsOf(name: string, runs: Readonly<Record<Side, SuiteRun>>): readonly Warning[] {
  const of = (side: Side): readonly Warning[] => {
    const run = runs[side];
    return run.kind === 'rows' ? run.warnings : [];
  };
  const shared = of('baseline').filter((one) =>
    of('candidate').some((other) => other.message === one.message),
  );
  const common = new Set(shared.map((warning) => warning.message));
  return [
    ...shared.map((warning) => ({ ...warning, message: `${name}: ${warning.message}` })),
    ...sides.flatMap((side) =>
      of(side)
        .filter((warning) => !common.has(warning.message))
        .map((warning) => ({ ...warning, message: `${name} on the ${side}: ${warning.message}` })),
    ),
  ];
}
