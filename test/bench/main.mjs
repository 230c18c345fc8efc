// Benchmarks, not tests: figures of this machine, printed. `node test/bench/main.mjs [name…] [options]`, all without a name.
import { cpus, release } from 'node:os';
import { parseArgs } from 'node:util';
import { accuracy, accuracyOptions } from './accuracy.mjs';
import { actionStart } from './action-start.mjs';
import { capacity, capacityOptions } from './capacity.mjs';
import { level, levelOptions } from './level.mjs';
import { memory } from './memory.mjs';
import { pacing } from './pacing.mjs';
import { peers, peersOptions } from './peers.mjs';
import { senders } from './senders.mjs';

const benches = {
  pacing,
  capacity,
  senders,
  memory,
  'action-start': actionStart,
  accuracy,
  'microbench-level': level,
  peers,
};
const { values, positionals: names } = parseArgs({
  options: { ...accuracyOptions, ...capacityOptions, ...levelOptions, ...peersOptions },
  allowPositionals: true,
});
const unknown = names.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`no bench called ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}`);
  process.exit(2);
}
console.log(
  `${cpus()[0].model}, ${cpus().length} CPUs, ${process.platform} ${release()}, Node ${process.version}`,
);
for (const [name, bench] of Object.entries(benches)) {
  if (names.length === 0 || names.includes(name)) await bench(values);
}
