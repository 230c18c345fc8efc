// Our own measurement of functions as `tailgate bench` makes it, without the verdict: both sides are the same folder.
import { join } from 'node:path';
import { interior } from './interior.mjs';

/**
 * @param {string} directory a folder with the benchmark file `file`; both sides are this one
 * @returns names of its functions, and `round(name)`: ns an operation in each of two fresh processes, in turns
 */
export async function oursIn(directory, file) {
  const exports = `
    export { discoverFunctions, measureFunctions } from './src/microbench/functions.ts';
    export { realClock, seededRandom } from './src/kernel/world.ts';`;
  const { inside, folder, end } = await interior(exports, { 'child.mjs': 'src/microbench/child.ts' });
  const random = inside.seededRandom(Date.now());
  const job = {
    entry: join(folder, 'child.mjs'),
    node: process.execPath,
    nodeOptions: [],
    directories: { baseline: directory, candidate: directory },
    files: { baseline: [file], candidate: [file] },
    env: { PATH: process.env.PATH },
    patience: 60e9,
    clock: inside.realClock,
    signal: new AbortController().signal,
    mask: (text) => text,
  };
  const { plans } = await inside.discoverFunctions(job, random);
  return {
    names: plans.map((plan) => plan.benchmark.name),
    async round(name) {
      const plan = plans.find((one) => one.benchmark.name === name);
      const [{ baseline, candidate }] = await inside.measureFunctions(job, [plan], random);
      for (const side of [baseline, candidate]) {
        if (side.kind !== 'measured') throw new Error(`${name}: ${side.reason}`);
      }
      return [baseline.value, candidate.value];
    },
    end,
  };
}
