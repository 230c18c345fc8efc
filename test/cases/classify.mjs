// Observations against expectations. Pure.
import { percent } from './figures.mjs';

const tails = ['p90', 'p95', 'p99'];
const measures = {
  p50: 'p50',
  cpu: 'cpu',
  'cpu-total': 'cpu',
  microbenchmark: 'micro',
  p90: 'p99',
  p95: 'p99',
  p99: 'p99',
  tail: 'p99',
};

/** From the best to the worst. Only `wrong` says something false about the change, or fails what did not change. */
export const statuses = ['as expected', 'missed', 'unexpected', 'wrong'];

/**
 * @param row as rowOf gives it.
 * @param result as measure gives it.
 * @param forward the result of the same pair with its sides as they are, for a swapped row; null when there is none.
 * @returns `{ status, reasons, remarks }`: the worst status of its routes, and why.
 */
export function classify(row, result, forward = null) {
  const notes = row.routes.flatMap((route) => classifyRoute(route, result));
  if (isNegative(row)) notes.push(...falseReds(row, result));
  if (row.swapped && forward !== null) {
    for (const route of row.routes) notes.push(...mirrorNotes(route, result, forward));
  }
  const several = row.routes.length > 1;
  const textOf = (note) => (several ? `${note.route} ${note.text}` : note.text);
  const worst = Math.max(0, ...notes.map((note) => statuses.indexOf(note.status)));
  return {
    status: statuses[worst],
    reasons: notes.filter((note) => note.status !== 'as expected').map(textOf),
    remarks: notes.filter((note) => note.status === 'as expected').map(textOf),
  };
}

/** A pair that must never turn red: nothing of it may go up. */
export const isNegative = (row) =>
  row.routes.every(({ expected, forbidden = {} }) =>
    ['cpu', 'p99', 'micro'].every((measure) => expected[measure] === 'same' || forbidden[measure] === 'up'),
  );

/** The findings about a route: of its own load, and of the microbenchmarks of its operations. */
export const findingsOf = (route, result) =>
  result.findings.filter((one) =>
    one.metric === 'microbenchmark'
      ? route.run.some((name) => new RegExp(`(^|\\W)${name}$`).test(one.name))
      : one.route === route.id,
  );

function classifyRoute(route, result) {
  const note = (status, text) => ({ route: route.id, status, text });
  const findings = findingsOf(route, result);
  const judged = findings.filter((one) => one.judged);
  const contradictions = judged.flatMap((one) =>
    contradiction(route, one).map(([status, text]) => note(status, text)),
  );
  const { outcome, reason } = result.gate;
  if (judged.length === 0) {
    return [note('missed', `nothing was judged, ${outcome}${reason === null ? '' : `: ${reason}`}`)];
  }
  const gaps = Object.entries(route.expected)
    .filter(([, word]) => word !== 'any')
    .flatMap(([measure, word]) => missed(measure, word, judged).map(([status, text]) => note(status, text)));
  const work =
    route.workDiffers === true && result.bodies === null
      ? [note('missed', 'not told that the sides do not do the same work')]
      : [];
  return [...contradictions, ...gaps, ...work];
}

/** A job can be red without a row that is: where nothing changed that is wrong too. */
function falseReds(row, { gate: { outcome, reason } }) {
  if (outcome !== 'regression' && outcome !== 'invalid') return [];
  const text = `the gate says ${outcome}${reason === null ? '' : `: ${reason}`}`;
  return [{ route: row.id, status: 'wrong', text }];
}

/** What a judged row must not say. */
function contradiction({ expected, forbidden = {} }, one) {
  const said = { regressed: 'up', improved: 'improved' }[one.state];
  if (said === undefined) return [];
  // p50 goes with the tail where nothing is known of it; errors belong to no pair.
  const measure = one.metric === 'p50' && expected.p50 === undefined ? 'p99' : measures[one.metric];
  const [wanted, never] =
    measure === undefined ? ['same', undefined] : [expected[measure], forbidden[measure]];
  const sentence = `${nameOf(one)} reads ${said}`;
  if (never === said) return [['wrong', `${sentence}, which is forbidden`]];
  if (wanted === 'any' || wanted === said) return [];
  if (wanted === 'same' && said === 'improved')
    return [['unexpected', `${sentence} although nothing changed`]];
  return [['wrong', `${sentence}, expected ${wanted}`]];
}

/** What an expected measure does not say; nothing has to be said of what stays the same, but it must have been judged. */
function missed(measure, word, judged) {
  const of = judged.filter((one) => measures[one.metric] === measure && one.metric !== 'tail');
  if (of.length === 0) return [['missed', `${measure} was not judged`]];
  if (word === 'same') return [];
  const state = word === 'up' ? 'regressed' : 'improved';
  // Two CPU metrics look at the same thing; two benchmarks at two.
  const open = of.filter((one) => one.state !== state);
  if (measure === 'micro' ? open.length === 0 : open.length < of.length) return [];
  const [text] = open.map((one) => `${nameOf(one)} is ${one.state}${limit(one)}`);
  // With so few requests p99 itself is out of reach; then CPU and the microbenchmark decide.
  const decisive = measure !== 'p99' || of.some((one) => one.metric === 'p99');
  return [[decisive ? 'missed' : 'as expected', decisive ? text : `p99 is out of reach, ${text}`]];
}

function limit(one) {
  if (one.state !== 'undecided' && one.state !== 'unchanged')
    return one.reason === null ? '' : ` (${one.reason})`;
  const change = one.effect === null ? '' : `${percent(one.effect)}, `;
  return one.detectable === null ? '' : ` (${change}detectable from ${percent(one.detectable)})`;
}

const nameOf = (one) => (one.metric === 'microbenchmark' ? one.name.split(/\W+/).at(-1) : one.metric);

/** The sizes of both directions agree when their intervals overlap, one of them mirrored. */
function mirrorNotes(route, result, forward) {
  const back = findingsOf(route, result).filter((one) => one.judged && one.state === 'improved');
  return back.flatMap((one) => {
    const there = findingsOf(route, forward).find(
      (other) => other.metric === one.metric && other.name === one.name && other.state === 'regressed',
    );
    if (!there?.interval || !one.interval || tails.includes(one.metric)) return [];
    const [low, high] = there.interval.map(Math.log1p);
    const [backLow, backHigh] = one.interval.map((end) => -Math.log1p(end)).reverse();
    if (backLow <= high && low <= backHigh) return [];
    return [
      {
        route: route.id,
        status: 'missed',
        text: `${nameOf(one)} ${percent(one.effect)} does not mirror ${percent(there.effect)}`,
      },
    ];
  });
}
