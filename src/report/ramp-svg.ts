/** Pictures of a ramp as SVG text: latency over offered load, and achieved over offered. Pure. */
import type { CurvePoint } from '../capacity/curve.ts';
import { kneeText, msText, type RampView, rateText } from './ramp-view.ts';

interface Scale {
  readonly at: (value: number) => number;
  readonly ticks: readonly number[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Wide enough for a screen, and still read when it is shrunk to a phone. */
const size = { width: 480, height: 300, left: 62, right: 14, top: 14, bottom: 44 } as const;
const plot = {
  x0: size.left,
  x1: size.width - size.right,
  y0: size.height - size.bottom,
  y1: size.top,
} as const;

/** p50 and p99 over the offered rate, both axes logarithmic, with the knee and the objective. */
export function latencyPicture({ result, curve }: RampView): string {
  const series = [
    { name: 'p50', points: pointsOf(curve, ({ step }) => step.responseTimeMs.p50) },
    { name: 'p99', points: pointsOf(curve, ({ step }) => step.responseTimeMs.p99) },
  ];
  const times = series.flatMap(({ points }) => points.map(({ y }) => y));
  if (times.length === 0) return '';
  const x = logScale(
    curve.map(({ rate }) => rate),
    plot.x0,
    plot.x1,
  );
  const y = logScale([...times, result.objectiveMs], plot.y0, plot.y1);
  return picture(
    `Response time over offered load: ${rateText(curve[0]!.rate)} to ${rateText(curve.at(-1)!.rate)}, p99 from ${msText(Math.min(...series[1]!.points.map((one) => one.y)))} to ${msText(Math.max(...series[1]!.points.map((one) => one.y)))}${result.knee === null ? '' : `, knee at ${kneeText(result)}`}`,
    [
      ...axes(x, y, 'offered, requests a second', rateLabel, msText),
      line('objective', plot.x0, y.at(result.objectiveMs), plot.x1, y.at(result.objectiveMs)),
      label('objective', plot.x0 + 4, y.at(result.objectiveMs) - 5, 'objective', 'start'),
      ...kneeMark(result, x),
      ...series.flatMap(({ name, points }) => curveLine(name, points, x, y)),
      ...legend(series.map(({ name }) => name)),
    ],
  );
}

/** What succeeds over what is offered, both axes linear, with the diagonal on which nothing is lost. */
export function achievedPicture({ result, curve }: RampView): string {
  const points = pointsOf(curve, ({ step }) => step.successfulPerSecond);
  if (points.length === 0) return '';
  const most = Math.max(...points.flatMap(({ x, y }) => [x, y]));
  const x = linearScale(most, plot.x0, plot.x1);
  const y = linearScale(most, plot.y0, plot.y1);
  return picture(
    `Successful over offered requests a second: ${result.kneeBeyond === null ? 'at least' : 'at most'} ${rateText(result.ceiling)} of up to ${rateText(curve.at(-1)!.rate)} offered`,
    [
      ...axes(x, y, 'offered, requests a second', rateLabel, rateLabel),
      line('diagonal', x.at(0), y.at(0), x.at(most), y.at(most)),
      ...kneeMark(result, x),
      ...curveLine('p50', points, x, y),
      ...legend(['p50'], ['successful']),
    ],
  );
}

const rateLabel = (value: number): string => rateText(value).replace(/\/s$/, '');

function pointsOf(curve: readonly CurvePoint[], of: (point: CurvePoint) => number | null): readonly Point[] {
  return curve.flatMap((point) => {
    const y = of(point);
    return y === null ? [] : [{ x: point.rate, y }];
  });
}

/** Places of ticks in a decade, from coarse to fine: a single value with its room, an eighth of a decade, holds two of the last. */
const finer = [1, 0.5, 0.2, 0.1].map((step) =>
  Array.from({ length: Math.round(9 / step) }, (_, index) => 1 + index * step),
);

/**
 * Covers all values with a little room; ticks at 1, 2 and 5 of every decade, fewer when there are many. Where that gives
 * fewer than two, which would be no scale, they are as much finer as they must.
 */
export function logScale(values: readonly number[], from: number, to: number): Scale {
  const low = Math.min(...values.map(positive)) / 1.15;
  const high = Math.max(...values.map(positive)) * 1.15;
  const span = Math.log(high / low);
  const at = (value: number): number => from + ((to - from) * Math.log(positive(value) / low)) / span;
  const usual = span > Math.log(10) * 2.5 ? [1] : span > Math.log(10) * 1.2 ? [1, 3] : [1, 2, 5];
  const ticks = [usual, ...finer].map((steps) => ticksAt(steps, low, high));
  return { at, ticks: ticks.find((found) => found.length >= 2) ?? ticks.at(-1)! };
}

function ticksAt(steps: readonly number[], low: number, high: number): readonly number[] {
  const ticks: number[] = [];
  for (let decade = Math.floor(Math.log10(low)); decade <= Math.ceil(Math.log10(high)); decade++) {
    for (const step of steps) {
      const tick = Number((step * 10 ** decade).toPrecision(3));
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}

/** From 0, with four to eight round ticks. */
export function linearScale(most: number, from: number, to: number): Scale {
  const high = positive(most);
  const rough = high / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((one) => one * power >= rough)! * power;
  const ticks: number[] = [];
  for (let tick = 0; tick <= high * 1.0001; tick += step) ticks.push(Number(tick.toPrecision(6)));
  return { at: (value) => from + ((to - from) * value) / (high * 1.05), ticks };
}

const positive = (value: number): number => Math.max(1e-6, value);
const short = (value: number): string => String(Math.round(value * 10) / 10);

function picture(title: string, parts: readonly string[]): string {
  return [
    `<svg viewBox="0 0 ${size.width} ${size.height}" role="img" aria-label="${title}">`,
    `<title>${title}</title>`,
    ...parts,
    '</svg>',
  ].join('\n');
}

function axes(
  x: Scale,
  y: Scale,
  title: string,
  xLabel: (value: number) => string,
  yLabel: (value: number) => string,
): readonly string[] {
  return [
    ...x.ticks.flatMap((tick) => [
      line('grid', x.at(tick), plot.y0, x.at(tick), plot.y1),
      label('tick', x.at(tick), plot.y0 + 17, xLabel(tick), 'middle'),
    ]),
    ...y.ticks.flatMap((tick) => [
      line('grid', plot.x0, y.at(tick), plot.x1, y.at(tick)),
      label('tick', plot.x0 - 6, y.at(tick) + 4, yLabel(tick), 'end'),
    ]),
    line('axis', plot.x0, plot.y0, plot.x1, plot.y0),
    line('axis', plot.x0, plot.y0, plot.x0, plot.y1),
    label('tick', (plot.x0 + plot.x1) / 2, size.height - 6, title, 'middle'),
  ];
}

function kneeMark(result: RampView['result'], x: Scale): readonly string[] {
  if (result.knee === null) return [];
  const at = x.at(result.knee);
  const side = at > (plot.x0 + plot.x1) / 2 ? 'end' : 'start';
  return [
    line('knee', at, plot.y0, at, plot.y1),
    label('knee', at + (side === 'end' ? -5 : 5), plot.y1 + 12, `knee ${kneeText(result)}`, side),
  ];
}

function curveLine(name: string, points: readonly Point[], x: Scale, y: Scale): readonly string[] {
  const at = points.map((point) => `${short(x.at(point.x))},${short(y.at(point.y))}`);
  return [
    `<polyline class="curve ${name}" points="${at.join(' ')}"/>`,
    ...points.map(
      (point) =>
        `<circle class="dot ${name}" cx="${short(x.at(point.x))}" cy="${short(y.at(point.y))}" r="3"/>`,
    ),
  ];
}

function legend(classes: readonly string[], names: readonly string[] = classes): readonly string[] {
  return classes.flatMap((one, index) => {
    const left = plot.x0 + 10 + index * 62;
    const top = plot.y1 + 30;
    return [
      `<line class="curve ${one}" x1="${left}" y1="${top - 4}" x2="${left + 18}" y2="${top - 4}"/>`,
      label('tick', left + 23, top, names[index]!, 'start'),
    ];
  });
}

function line(kind: string, x1: number, y1: number, x2: number, y2: number): string {
  return `<line class="${kind}" x1="${short(x1)}" y1="${short(y1)}" x2="${short(x2)}" y2="${short(y2)}"/>`;
}

function label(kind: string, x: number, y: number, text: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text class="${kind}" x="${short(x)}" y="${short(y)}" text-anchor="${anchor}">${text}</text>`;
}
