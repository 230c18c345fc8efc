// Results as text for the terminal and as a Markdown page. Pure.
import { classify, findingsOf, isNegative, statuses } from './classify.mjs';
import { duration, findingText } from './figures.mjs';
import { expectedText, rowOf } from './rows.mjs';

const labels = {
  'as expected': 'as expected',
  missed: 'missed',
  unexpected: 'not as expected',
  wrong: 'WRONG',
};

/** Rows with their verdict, in the order of `results`; swapped ones are held against their counterpart among them. */
export function judgedRows(results) {
  return results.map((result) => {
    const row = rowOf(result.id);
    const forward = results.find((other) => `swap:${other.id}` === result.id) ?? null;
    return { row, result, ...classify(row, result, forward) };
  });
}

const labelOf = ({ status, reasons }) =>
  reasons.length === 0 ? labels[status] : `${labels[status]}: ${reasons.join('; ')}`;

/** A line a metric; benchmarks and whatever tells something come after those that are always judged. */
function linesOf(route, result) {
  const findings = findingsOf(route, result).filter((one) => one.judged);
  const get = (metric) => findings.find((one) => one.metric === metric);
  const tail = result.tail[route.id] ?? 'p99';
  const telling = findings.filter(
    (one) => ['tail', 'errors'].includes(one.metric) && ['regressed', 'improved'].includes(one.state),
  );
  return [
    ...['p50', tail, 'cpu', 'cpu-total'].map((metric) => [metric, get(metric)]),
    ...telling.map((one) => [one.metric, one]),
    ...findings.filter((one) => one.metric === 'microbenchmark').map((one) => [one.name, one]),
  ];
}

/** A finished row for the terminal. */
export function rowText(judged) {
  const { row, result } = judged;
  const lines = [`${row.id}  ${row.package} ${row.a} → ${row.b}  ${labelOf(judged)}`];
  for (const route of row.routes) {
    lines.push(`  ${route.id}: ${route.what}; expected ${expectedText(route)}`);
    for (const [name, one] of linesOf(route, result)) {
      lines.push(
        `    ${name.padEnd(32)} ${findingText(one)}${one === undefined ? '' : `, ${one.rounds} rounds`}`,
      );
    }
  }
  for (const remark of judged.remarks) lines.push(`  ${remark}`);
  if (result.bodies !== null) lines.push(`  told: ${result.bodies}`);
  lines.push(`  gate ${result.gate.outcome}, ${duration(result.seconds)} in all`);
  return lines.join('\n');
}

/** Counts over rows: what was found, missed and false. */
export function summaryOf(rows) {
  const negatives = rows.filter(({ row }) => isNegative(row));
  const others = rows.filter(({ row }) => !isNegative(row));
  const count = (list, status) => list.filter((one) => one.status === status).length;
  const ended = (outcome) => negatives.filter(({ result }) => result.gate.outcome === outcome).length;
  return {
    rows: rows.length,
    changes: others.length,
    found: count(others, 'as expected'),
    missed: count(rows, 'missed'),
    negatives: negatives.length,
    falseReds: count(negatives, 'wrong'),
    passed: ended('pass'),
    inconclusive: ended('inconclusive'),
    unexpected: count(rows, 'unexpected'),
    wrong: count(rows, 'wrong'),
    seconds: rows.reduce((sum, { result }) => sum + result.seconds, 0),
  };
}

const summaryLines = (rows) => {
  const sum = summaryOf(rows);
  return [
    `${sum.found} of ${sum.changes} rows with a change came out as expected`,
    `${sum.falseReds} of ${sum.negatives} true negatives failed, ${sum.passed} passed, ${sum.inconclusive} could not exclude a change`,
    `rows with something missed: ${sum.missed}; with an improvement that is none: ${sum.unexpected}; wrong: ${sum.wrong}`,
    `rows in all: ${sum.rows}, in ${duration(sum.seconds)}`,
  ];
};

export const summaryText = (rows) => summaryLines(rows).join('\n');

const cell = (text) => String(text).replaceAll('|', '\\|').replaceAll('\n', ' ');
const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
const distinct = (values) => [...new Set(values)].join('; ');

function pageRows(judged) {
  const { row, result } = judged;
  return row.routes.map((route, index) => {
    const findings = findingsOf(route, result).filter((one) => one.judged);
    const of = (metric) => findingText(findings.find((one) => one.metric === metric));
    const tail = result.tail[route.id] ?? 'p99';
    const micro = findings.filter((one) => one.metric === 'microbenchmark');
    const rounds = [findings.find((one) => one.metric === 'cpu')?.rounds ?? '–', micro[0]?.rounds ?? '–'];
    return line([
      row.routes.length > 1 ? `${row.id}: ${route.id}` : row.id,
      `${row.package} ${row.a} → ${row.b}: ${route.what}`,
      expectedText(route),
      of('p50'),
      `${tail} ${of(tail)}`,
      of('cpu'),
      of('cpu-total'),
      micro.length === 0 ? '–' : micro.map(findingText).join('; '),
      rounds.join(' / '),
      index === 0 ? result.seconds : '',
      index === 0 ? labelOf(judged) : '',
    ]);
  });
}

/** The same for all, or longer where the rate is low and a round takes long. */
function budgets(results) {
  const seconds = results.map((result) => result.budget).sort((a, b) => a - b);
  const [least, most] = [seconds[0], seconds.at(-1)].map(duration);
  return least === most ? least : `${least} to ${most}, longer at low rates, where a round takes long`;
}

/** What stands below this line of an earlier page stays. */
export const handMark = '<!-- Below this line: written by hand, kept by `npm run cases`. -->';

/** The page of a run. Everything above its mark comes from `rows`; what stood below it in `earlier` stays. */
export function page(rows, earlier = null) {
  const hand = earlier === null ? -1 : earlier.indexOf(handMark);
  const kept = hand < 0 ? '\n' : earlier.slice(hand + handMark.length);
  const results = rows.map(({ result }) => result);
  const days = [...new Set(results.map((result) => result.at.slice(0, 10)))].sort();
  const columns = [
    'row',
    'change',
    'expected',
    'p50',
    'tail',
    'cpu',
    'cpu-total',
    'microbenchmark',
    'rounds',
    's',
    'result',
  ];
  const ranked = [...rows].sort((a, b) => statuses.indexOf(b.status) - statuses.indexOf(a.status));
  const open = ranked.filter(({ status }) => status !== 'as expected');
  return `# Real pairs

The gate on published versions of packages, as \`npm run cases\` runs it: regressions of public reports (R), fixes run
backwards (V), pairs in which nothing should get slower (N), and R with the sides exchanged (swap). What each row does
stands in \`test/cases/\`.

- Machine: ${distinct(results.map((result) => machineText(result.machine)))}
- Date: ${days.length > 1 ? `${days[0]} to ${days.at(-1)}` : days[0]}
- Tailgate: ${distinct(results.map((result) => result.tailgate))}
- Plan: \`tailgate.yml\` with the rates of the rows and otherwise its own values; a time budget of ${budgets(results)}

${summaryLines(rows)
  .map((text) => `- ${text}`)
  .join('\n')}

A figure is the verdict, the change, its 95 % interval and the spread. Rounds are those of the load test and of the
microbenchmark. The tail is the highest percentile that so few requests allow; where that is not p99, CPU and the
microbenchmark decide.

${line(columns)}
${line(columns.map(() => '---'))}
${rows.flatMap(pageRows).join('\n')}

## What did not come out as expected

${open.length === 0 ? 'Nothing.' : open.map((judged) => `- **${judged.row.id}** ${labelOf(judged)}`).join('\n')}

${handMark}${kept}`;
}

export const machineText = ({ cpu, cpus, system, node }) => `${cpu}, ${cpus} CPUs, ${system}, Node ${node}`;
