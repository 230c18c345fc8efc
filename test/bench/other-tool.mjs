// One function in one fresh process by another tool, as its documentation shows it: node other-tool.mjs TOOL FILE NAME
// Prints {median, mean, low, high} in ns an operation; low and high bound the mean where the tool bounds it, else null.
import { pathToFileURL } from 'node:url';

const [tool, file, name] = process.argv.slice(2);
const call = (await import(pathToFileURL(file).href))[name];

/** Where any code could still read it. */
const kept = { value: null };
globalThis.kept = kept;

const tools = {
  mitata: () => mitata(call),
  /** With the result kept, as its documentation advises where the engine could drop the work. */
  async 'mitata-kept'() {
    const { do_not_optimize: keep } = await import('mitata');
    // What is awaited cannot be dropped; a function around it would only add a turn.
    return mitata((await isPromise()) ? call : () => keep(call()));
  },
  tinybench: () => tinybench(call, 1),
  /** What a careful user of tinybench does: many operations in each call that it times. */
  async 'tinybench-batched'() {
    const isAsync = await isPromise();
    const batch = await batchOf(call, isAsync);
    // Text, so that the loop learns about one function only; the sum keeps the work alive.
    const loop = new Function(
      'call',
      'kept',
      `return ${isAsync ? 'async ' : ''}() => {
        for (let index = 0; index < ${batch}; index++) kept.value = ${isAsync ? 'await ' : ''}call();
      }`,
    )(call, kept);
    return tinybench(loop, batch);
  },
};

async function isPromise() {
  const value = call();
  await value;
  return typeof value?.then === 'function';
}

async function mitata(timed) {
  const { measure } = await import('mitata');
  const { p50, avg } = await measure(timed);
  return { median: p50, mean: avg, low: null, high: null };
}

async function tinybench(timed, operations) {
  const { Bench } = await import('tinybench');
  const bench = new Bench({ throws: true });
  bench.add(name, timed);
  await bench.run();
  const { latency } = bench.tasks[0].result;
  const each = (ms) => (ms * 1e6) / operations;
  return {
    median: each(latency.p50),
    mean: each(latency.mean),
    low: each(latency.mean - latency.moe),
    high: each(latency.mean + latency.moe),
  };
}

/** How many calls take about a fifth of a millisecond. */
async function batchOf(run, isAsync) {
  for (let batch = 1; ; batch *= 2) {
    const begun = performance.now();
    for (let index = 0; index < batch; index++) {
      const value = run();
      if (isAsync) await value;
    }
    if (performance.now() - begun > 0.2 || batch > 1e8) return batch;
  }
}

console.log(JSON.stringify(await tools[tool]()));
