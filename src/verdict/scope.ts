/** How far into the evidence a look reaches: the rounds of every scenario that it may use, and no later ones. */
import type { JobPlan, ScenarioPlan } from '../config/plan.ts';
import type { Round } from '../evidence/trial.ts';
import type { Side } from '../kernel/words.ts';
import type { ScenarioRounds } from './pairing.ts';
import { causesOf, lossProblem, scenarioRounds, spoilingSide } from './pairing.ts';
import { earlyStop } from './same-work.ts';

export interface ScenarioScope extends ScenarioRounds {
  readonly plan: ScenarioPlan;
}

export interface Scope {
  readonly rounds: readonly Round[];
  /** The side whose unsound slices stay in, because it causes more of them; null when pairs are rejected. */
  readonly spoiling: Side | null;
  readonly scenarios: readonly ScenarioScope[];
}

/** What ends a job whatever its figures say. */
export interface Problem {
  readonly scenario: string;
  readonly reason: string;
}

export function scopeOf(plan: JobPlan, rounds: readonly Round[]): Scope {
  const spoiling = spoilingSide(rounds);
  const exclusion = spoiling === null ? 'by-pairs' : 'nothing';
  return {
    rounds,
    spoiling,
    scenarios: plan.scenarios.map((scenario) => ({
      plan: scenario,
      ...scenarioRounds(rounds, scenario, exclusion),
    })),
  };
}

/** The first `count` usable rounds of every scenario: a look at n means n of each. */
export function firstRounds(scope: Scope, count: number): Scope {
  return {
    ...scope,
    scenarios: scope.scenarios.map((scenario) => ({ ...scenario, usable: scenario.usable.slice(0, count) })),
  };
}

/**
 * The rounds of a look, and for the flagged scenarios at most `most` fresh ones after them. Whose slices are
 * unsound is asked of all rounds together.
 */
export function pooledScope(
  plan: JobPlan,
  looked: { readonly rounds: readonly Round[]; readonly count: number },
  fresh: { readonly rounds: readonly Round[]; readonly most: number },
  flagged: ReadonlySet<string>,
): { readonly scope: Scope; readonly fewestFresh: number } {
  const rounds = [...looked.rounds, ...fresh.rounds];
  const spoiling = spoilingSide(rounds);
  const exclusion = spoiling === null ? 'by-pairs' : 'nothing';
  let fewestFresh = fresh.most;
  const scenarios = plan.scenarios.map((scenario) => {
    const before = scenarioRounds(looked.rounds, scenario, exclusion);
    const usable = before.usable.slice(0, looked.count);
    if (!flagged.has(scenario.name)) return { plan: scenario, ...before, usable };
    const after = scenarioRounds(fresh.rounds, scenario, exclusion);
    fewestFresh = Math.min(fewestFresh, after.usable.length);
    return {
      plan: scenario,
      usable: [...usable, ...after.usable.slice(0, fresh.most)],
      dropped: before.dropped + after.dropped,
      rejectedPairs: before.rejectedPairs + after.rejectedPairs,
      causes: causesOf(rounds, scenario.name),
    };
  });
  return { scope: { rounds, spoiling, scenarios }, fewestFresh };
}

export const fewestUsable = (scope: Scope): number =>
  Math.min(...scope.scenarios.map((scenario) => scenario.usable.length));

/** The first scenario that cannot be judged any more, checked after every round. */
export function problemOf(plan: JobPlan, scope: Scope, phase: Round['phase']): Problem | null {
  for (const scenario of scope.scenarios) {
    const lost = lossProblem(scenario.plan, scenario, plan, phase === 'confirming');
    const blame = scope.spoiling === null ? '' : `, more of them on the ${scope.spoiling}'s side`;
    if (lost !== null) return { scenario: scenario.plan.name, reason: `${lost}${blame}` };
    const reason = earlyStop(scenario.plan, scenario.usable);
    if (reason !== null) return { scenario: scenario.plan.name, reason };
  }
  return null;
}
