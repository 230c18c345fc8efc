// Real pairs of package versions through the product's own gate: `npm run cases [-- ID…]`. Takes long, needs a registry.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, platform, release, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { measure } from './measure.mjs';
import { expectedText, groups, select } from './rows.mjs';
import { openStore } from './store.mjs';
import { judgedRows, machineText, page, rowText, summaryText } from './table.mjs';

const usage = `usage: npm run cases -- [ID…] [flags]

  ID                  a pair (R01), its sides exchanged (swap:R01), two in one project (N12+R01),
                      or a group: ${Object.keys(groups).join(', ')}; pairs unless given
  --time-budget 100s  of a row; longer where its rate needs it
  --out DIR           keeps results.jsonl and the verdicts; below the temporary folder unless given
  --resume            leaves out what DIR has measured already
  --page FILE         writes the results of DIR as a Markdown page; what stands below its mark stays
  --list              prints the rows and stops`;

/** Less than any row needs: each takes the shortest budget that its rate allows. */
const defaultBudget = '100s';

function fail(message) {
  console.error(`${message}\n\n${usage}`);
  process.exit(2);
}

function readOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'time-budget': { type: 'string', default: defaultBudget },
        out: { type: 'string', default: join(tmpdir(), 'tailgate-cases') },
        resume: { type: 'boolean', default: false },
        page: { type: 'string' },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const budget = /^([1-9]\d{0,3})(s|m)$/.exec(values['time-budget']);
    if (budget === null)
      throw new Error(`--time-budget ${values['time-budget']}: wanted seconds or minutes, such as 90s or 2m`);
    return { ...values, budget: Number(budget[1]) * (budget[2] === 'm' ? 60 : 1), rows: select(positionals) };
  } catch (error) {
    return fail(error.message);
  }
}

const options = readOptions();
if (options.help) {
  console.log(usage);
  process.exit(0);
}
if (options.list) {
  for (const row of options.rows) {
    for (const route of row.routes) {
      const rate = `${route.rate}/s`.padStart(5);
      console.log(
        `${row.id.padEnd(9)} ${rate}  ${row.package} ${row.a} → ${row.b}: ${route.what}; expected ${expectedText(route)}`,
      );
    }
  }
  process.exit(0);
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const machine = {
  cpu: cpus()[0].model.trim(),
  cpus: cpus().length,
  system: `${platform()} ${release()}`,
  node: process.version,
};
const store = openStore(resolve(options.out));
/** A row that was not judged, because its packages could not be had for example, is measured again. */
const done = new Map(options.resume ? [...store.read()].filter(([, one]) => one.findings.length > 0) : []);
const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => stop.abort());

console.log(`${machineText(machine)}; results in ${store.file}`);
for (const [index, row] of options.rows.entries()) {
  if (stop.signal.aborted) break;
  if (done.has(row.id)) continue;
  console.log(`\n${index + 1}/${options.rows.length} ${row.id} …`);
  const measured = await measure(row, {
    budget: options.budget,
    out: resolve(options.out),
    signal: stop.signal,
  });
  if (stop.signal.aborted) break;
  const result = { ...measured, machine, tailgate: productName() };
  store.add(result);
  done.set(row.id, result);
  console.log(rowText(judgedRows([...done.values()]).find((judged) => judged.row.id === row.id)));
}

const wanted = new Set(options.rows.map((row) => row.id));
const judged = judgedRows([...done.values()])
  .filter(({ row }) => wanted.has(row.id))
  .sort((a, b) => [...wanted].indexOf(a.row.id) - [...wanted].indexOf(b.row.id));
if (judged.length === 0) {
  console.error('nothing was measured');
  process.exit(stop.signal.aborted ? 130 : 2);
}
console.log(`\n${summaryText(judged)}`);
for (const one of judged.filter(({ status }) => status === 'wrong'))
  console.log(`WRONG ${one.row.id}: ${one.reasons.join('; ')}`);
if (options.page !== undefined) {
  const earlier = existsSync(options.page) ? readFileSync(options.page, 'utf8') : null;
  writeFileSync(options.page, page(judged, earlier));
}
process.exitCode = stop.signal.aborted ? 130 : judged.some(({ status }) => status === 'wrong') ? 1 : 0;

/** The commit, and a fingerprint of the bundle that ran, which a work tree may have built differently. */
function productName() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const bundle = createHash('sha256')
    .update(readFileSync(join(root, 'dist/cli.js')))
    .digest('hex')
    .slice(0, 8);
  let commit = 'no commit';
  try {
    commit = execFileSync('git', ['-C', root, 'rev-parse', '--short', 'HEAD'], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    // An unpacked archive has none.
  }
  return `${version} (${commit}, bundle ${bundle})`;
}
