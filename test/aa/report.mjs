// A stored series → summary, the open choices from its evidence, text and page.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readLines } from './series.mjs';

/** Rounds of the first look: every job that was decided has as many. */
const firstLook = 6;

export function reportOn(folder, product) {
  const file = join(folder, 'series.json');
  if (!existsSync(file)) throw new Error(`${folder} holds no series: series.json is missing`);
  const series = JSON.parse(readFileSync(file, 'utf8'));
  const settings = product.judgeOf(series.tolerances);
  const jobs = [];
  const lines = readLines(folder).map((line) => {
    if (line.evidence === null) return line;
    const source = gunzipSync(readFileSync(join(folder, line.evidence))).toString('utf8');
    jobs.push(product.openChoices(line.job, source, settings));
    // A job that failed half-way has its verdict from the gate alone; all others are decided by the rules of now.
    const failed = line.outcome === 'service-failed' || line.outcome === 'error';
    return failed ? line : { ...line, ...product.lineFromEvidence(source, settings) };
  });
  const choices = jobs.flatMap((job) => job.choices);
  const planned = Math.max(0, ...jobs.map((job) => job.planned));
  const depths = [...new Set([planned, ...(series.full ? [] : [firstLook])])].filter((depth) => depth > 0);
  const verdicts = jobs.filter((job) => job.before.outcome !== 'invalid');
  return {
    series,
    machine: jobs[0]?.environment ?? null,
    plan: jobs[0]?.plan ?? null,
    lines,
    summary: product.summarise(lines),
    choices: depths
      .map((depth) => ({ depth, rows: product.choiceRows(choices, depth) }))
      .filter((table) => table.rows.length > 0),
    whatIf: verdicts.length === 0 ? null : product.whatIf('p95', verdicts),
  };
}

export function showReports(folders, page, product) {
  const reports = folders.map((folder) => reportOn(folder, product));
  for (const report of reports) console.log(`\n${product.renderSeries(report).join('\n')}`);
  if (page === null) return;
  const earlier = existsSync(page) ? readFileSync(page, 'utf8') : null;
  writeFileSync(page, product.renderPage(reports, earlier));
  console.log(`\nwritten: ${page}`);
}
