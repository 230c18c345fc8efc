// Level and power of the whole gate on this machine: many jobs on the demo service, one after another. --help says how.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadProduct } from './bundle.mjs';
import { readOptions, usage } from './options.mjs';
import { showReports } from './report.mjs';
import { runSeries } from './series.mjs';

let options;
try {
  options = readOptions(process.argv.slice(2));
} catch (problem) {
  console.error(`aa: ${problem.message}\n\n${usage}`);
  process.exit(2);
}
if (options === null) {
  console.log(usage);
  process.exit(0);
}
try {
  const product = await loadProduct();
  if (options.kind === 'report') {
    showReports(options.folders, options.page, product);
  } else {
    process.exitCode = await runSeries(options, product);
    if (existsSync(join(options.out, 'jobs.jsonl'))) showReports([options.out], options.page, product);
  }
} catch (problem) {
  console.error(`aa: ${problem.message}`);
  process.exitCode = 1;
}
