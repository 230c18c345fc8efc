/** The outputs of the step, for the steps after it. */
import * as core from '@actions/core';
import { messageOf, type Warning } from '../kernel/errors.ts';

/**
 * Sets every output of the record; a value that is not a text is written as JSON.
 * @returns a notice when the runner's file cannot be written; never throws, because the verdict is known by then.
 */
export function writeOutputs(outputs: Readonly<Record<string, unknown>>): Warning | null {
  try {
    for (const [name, value] of Object.entries(outputs)) core.setOutput(name, value);
    return null;
  } catch (thrown) {
    return { code: 'outputs-failed', message: `The outputs were not all set: ${messageOf(thrown)}.` };
  }
}
