/** The verdict as JSON for `--json FILE`: everything that was decided, and of what, without raw measurements. */
import type { Evidence } from '../evidence/trial.ts';
import type { Warning } from '../kernel/errors.ts';
import { sides } from '../kernel/words.ts';
import type { Verdict } from '../verdict/finding.ts';
import type { ReportContext } from './context.ts';
import { isTailPercentile, worstFirst } from './rows.ts';

/** JSON values only: numbers are finite, what cannot be said is null. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Changes, shares and tolerances are ratios (0.05 is 5 %), spreads log-ratios, durations nanoseconds. */
export function verdictJson(verdict: Verdict, evidence: Evidence | null, context: ReportContext): Json {
  const findings = worstFirst(verdict.findings);
  return finite({
    schema: 'tailgate-verdict',
    version: 1,
    id: context.id,
    verdict: verdict.outcome,
    conclusion: context.conclusion,
    exitCode: context.exitCode,
    reason: verdict.reason,
    failure: verdict.failure,
    revisions: Object.fromEntries(
      sides.map((side) => [side, evidence?.revisions[side] ?? context.revisions[side] ?? null]),
    ),
    identicalBuilds: evidence?.identicalBuilds ?? null,
    seed: evidence?.plan.seed ?? null,
    tailPercentiles: Object.fromEntries(
      (evidence?.plan.scenarios ?? []).map((scenario) => [scenario.name, scenario.tailPercentile]),
    ),
    judgedTail: findings.find((finding) => finding.judged && isTailPercentile(finding))?.metric ?? null,
    rounds: verdict.rounds,
    slices: verdict.slices,
    onTimeShare: verdict.onTimeShare,
    findings,
    plan: evidence?.plan ?? null,
    judge: evidence?.judge ?? null,
    waivers: evidence?.waivers ?? [],
    environment: evidence?.environment ?? null,
    warnings: once([...verdict.warnings, ...(evidence?.warnings ?? [])]),
    reproduce: context.commands.reproduce,
    elapsed: context.elapsed,
  });
}

/** A verdict that was judged has the warnings of its evidence already. */
function once(warnings: readonly Warning[]): readonly Warning[] {
  const told = new Set<string>();
  return warnings.filter(({ code, message }) => {
    const key = `${code} ${message}`;
    return !told.has(key) && told.add(key);
  });
}

/** The text of the file: two spaces, a newline at the end. */
export function verdictJsonText(verdict: Verdict, evidence: Evidence | null, context: ReportContext): string {
  return `${JSON.stringify(verdictJson(verdict, evidence, context), null, 2)}\n`;
}

function finite(value: unknown): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(finite);
  if (typeof value === 'object') {
    const entries = Object.entries(value).filter(([, part]) => part !== undefined);
    return Object.fromEntries(entries.map(([key, part]) => [key, finite(part)]));
  }
  return null;
}
