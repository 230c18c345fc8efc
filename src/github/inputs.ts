/** What the workflow gave to the step, and what its main part leaves for its post part. */
import * as core from '@actions/core';

/** Reads the named inputs; one that is absent or blank is left out of the record. */
export function readInputs<Name extends string>(names: readonly Name[]): Partial<Record<Name, string>> {
  const given: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = core.getInput(name).trim();
    if (value !== '') given[name] = value;
  }
  return given;
}

/** Leaves a value for the post part of this step; it is not shown anywhere, but it is no place for secrets. */
export function leaveForPost(name: string, value: unknown): void {
  core.saveState(name, value);
}

/** What the main part left under this name; empty when it left nothing. */
export function leftForPost(name: string): string {
  return core.getState(name);
}
