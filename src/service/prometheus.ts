/** Reads the text format of Prometheus (version 0.0.4) and of OpenMetrics (1.0): the samples of one metric. Pure. */

/** One line of the format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** May be NaN or infinite: both formats allow it. */
  readonly value: number;
}

/** What a text says of one counter: its value, or a sentence on why there is none. */
export type CounterReading =
  | { readonly kind: 'value'; readonly value: number }
  | { readonly kind: 'none'; readonly reason: string };

/**
 * The value of the one series of `metric` that carries all of `labels`; further labels of the series do not matter.
 * A counter of OpenMetrics is found by its name with and without `_total`.
 */
export function readCounter(
  text: string,
  metric: string,
  labels: Readonly<Record<string, string>>,
): CounterReading {
  const none = (reason: string): CounterReading => ({ kind: 'none', reason });
  const wanted = Object.entries(labels);
  let samples: readonly Sample[];
  try {
    samples = readSamples(text, metric);
    if (samples.length === 0) samples = readSamples(text, `${metric}_total`);
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    return none(`a line of \`${metric}\` is not in the text format of Prometheus: ${error.message}`);
  }
  if (samples.length === 0) return none(`the answer has no \`${metric}\``);
  const found = samples.filter((sample) => wanted.every(([name, value]) => sample.labels[name] === value));
  const given = labelText(labels);
  const [only, ...others] = found;
  if (only === undefined) {
    return none(
      `no series of \`${metric}\` has the labels ${given}; the first one has ${labelText(samples[0]!.labels)}`,
    );
  }
  if (others.length > 0) {
    return none(
      `${found.length} series match \`${metric}\`${wanted.length === 0 ? '' : ` with ${given}`}: name the labels of one`,
    );
  }
  if (!Number.isFinite(only.value) || only.value < 0) {
    return none(`\`${metric}\` is ${only.value}, which no counter can be`);
  }
  return { kind: 'value', value: only.value };
}

/**
 * Every sample of one name, in order. Lines of other metrics are passed over unread: an endpoint may have thousands.
 * @throws LineError for a line of this metric that is torn or of another format.
 */
export function readSamples(text: string, metric: string): readonly Sample[] {
  const samples: Sample[] = [];
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end === -1 ? text.length : end).trim();
    from = end === -1 ? text.length : end + 1;
    // `# HELP`, `# TYPE`, `# UNIT`, `# EOF` and remarks.
    if (line === '' || line.startsWith('#')) continue;
    if (!line.startsWith(metric) && !line.startsWith('{')) continue;
    const sample = readLine(line, metric);
    if (sample !== null) samples.push(sample);
  }
  return samples;
}

export class LineError extends Error {}

/** `name{label="value",…} value [timestamp] [# exemplar]`; the name may also stand quoted inside the braces. */
function readLine(line: string, metric: string): Sample | null {
  const [bare] = /^[a-zA-Z_:][a-zA-Z0-9_:]*/.exec(line) ?? [''];
  if (bare !== '' && bare !== metric) return null;
  const rest = line.slice(bare.length).trimStart();
  const { labels, name, after } = rest.startsWith('{')
    ? readLabels(rest)
    : { labels: {}, name: null, after: rest };
  const found = name ?? bare;
  if (found !== metric) return null;
  const [value = ''] = after.trim().split(/\s+/, 1);
  return { name: found, labels, value: readValue(value, line) };
}

/** One `name="value"` or `"name"`, with what separates it from the next. */
const label = /\s*(?:([a-zA-Z_][a-zA-Z0-9_.:]*|"(?:[^"\\]|\\.)*")\s*(?:=\s*"((?:[^"\\]|\\.)*)")?)?\s*([,}])/y;

function readLabels(text: string): { labels: Record<string, string>; name: string | null; after: string } {
  const labels: Record<string, string> = {};
  let name: string | null = null;
  label.lastIndex = 1;
  for (;;) {
    const match = label.exec(text);
    if (match === null) throw new LineError(shown(text));
    const [, key, value, separator] = match;
    if (key !== undefined) {
      const plain = key.startsWith('"') ? unescaped(key.slice(1, -1)) : key;
      if (value !== undefined) labels[plain] = unescaped(value);
      else if (key.startsWith('"')) name = plain;
      else throw new LineError(shown(text));
    }
    if (separator === '}') return { labels, name, after: text.slice(match.index + match[0].length) };
  }
}

/** Go's ParseFloat as both formats name it, but for hexadecimal and underscores, which nobody writes. */
function readValue(text: string, line: string): number {
  const word = text.toLowerCase();
  if (word === 'nan') return Number.NaN;
  const infinite = /^([+-]?)inf(inity)?$/.exec(word);
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/.test(word)) throw new LineError(shown(line));
  return Number(word);
}

const unescaped = (text: string): string =>
  text.replace(/\\(.)/g, (_, letter: string) => (letter === 'n' ? '\n' : letter));

function labelText(labels: Readonly<Record<string, string>>): string {
  const entries = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return entries.length === 0 ? 'none' : shown(`{${entries.join(',')}}`);
}

/** As it may stand in a sentence: short, on one line, without the marks that mean something there. */
const shown = (line: string): string => {
  const plain = line.replace(/[\s`]+/g, ' ');
  return plain.length > 120 ? `${plain.slice(0, 119)}…` : plain;
};
