/** A scenario made ready once a job: files read, templates compiled; then each slice's requests drawn before its send. */
import type { Expectations, MessageSettings, ScenarioSettings, SessionSettings } from '../config/settings.ts';
import { messageOf, TailgateError, type Warning } from '../kernel/errors.ts';
import { parseTemplate } from '../kernel/templates.ts';
import { bytes } from '../kernel/units.ts';
import { type Random, seededRandom } from '../kernel/world.ts';
import { checksOf } from './checks.ts';
import { Drawn, tooMany } from './drawn.ts';
import { type Feed, readFeed } from './feeds.ts';
import { compileMessage, fillMessage, type Message, type MessageLimits } from './messages.ts';
import { readProjectFile, readProjectText } from './project-files.ts';
import type { PreparedRequest, Schedule } from './protocol.ts';
import { prepare } from './requests.ts';
import { mostRowsTaken, type Purpose, RowPicker, Stretches } from './rows-taken.ts';
import type { ShotValues } from './templates.ts';

export interface ScenarioOptions {
  /** Of the project: feeds and bodies are relative to it. */
  readonly directory: string;
  /** Variables of the job and of `env`. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Counted shots a side, at most, in the whole job. */
  readonly shots: number;
  readonly limits: MessageLimits;
}

/** One slice of one side, for which requests are drawn. */
export interface DrawOrder {
  /** Its sequence says which request of the scenario each shot is. */
  readonly schedule: Schedule;
  readonly random: Random;
  /** The same text for both sides of a pair: they get the same rows and counts. */
  readonly slot: string;
  readonly purpose: Purpose;
  /** What `${session}` becomes on this side; null in a scenario without one. */
  readonly session: string | null;
}

/** What the generator is given. */
export interface DrawnShots {
  readonly requests: readonly PreparedRequest[];
  readonly schedule: Schedule;
}

const feedLimit = bytes(64 * 1024 * 1024);
const mostHeaderLists = 10_000;

interface CompiledRequest {
  readonly message: Message;
  /** One object for all shots of the request, also on its way to the generator. */
  readonly right: Pick<PreparedRequest, 'expected' | 'checks'>;
}

export class ScenarioShots {
  readonly name: string;
  /** One a request, for the schedule. */
  readonly weights: readonly number[];
  readonly warnings: readonly Warning[];
  /** The set-up request of a side; null in a scenario without one. */
  readonly session: { readonly message: Message; readonly take: SessionSettings['take'] } | null;
  readonly #requests: readonly CompiledRequest[];
  readonly #feed: Feed | null;
  readonly #picker: RowPicker | null;
  readonly #stretches: Stretches;
  readonly #headers = new Map<string, readonly string[]>();

  /** @throws TailgateError `usage` naming what cannot be read or sent. */
  constructor(settings: ScenarioSettings, options: ScenarioOptions) {
    this.name = settings.name;
    const used = settings.requests.filter((request) => request.weight > 0);
    this.weights = used.map((request) => request.weight);
    this.#feed = settings.feed === null ? null : readFeedFile(settings, options.directory);
    const compile = (message: MessageSettings, own: Partial<Parameters<typeof compileMessage>[1]>) =>
      compileMessage(message, {
        scope: { variables: options.variables, columns: this.#feed?.columns ?? [] },
        readBody: (file) =>
          readProjectFile(options.directory, file, 'the file of a body', options.limits.body),
        limits: options.limits,
        auth: null,
        sizing: { pathLength: null, bodySize: null },
        ...own,
      });
    this.#requests = used.map((request) => ({
      message: compile(request, { auth: settings.auth, sizing: request }),
      right: rightOf(request.expect),
    }));
    this.session =
      settings.session === null
        ? null
        : { message: compile(settings.session.request, {}), take: settings.session.take };
    const sum = this.weights.reduce((total, weight) => total + weight, 0);
    const taking = this.#requests.reduce(
      (total, { message }, index) => total + (message.takesRow ? this.weights[index]! : 0),
      0,
    );
    this.#picker =
      this.#feed === null || settings.feed === null
        ? null
        : new RowPicker(this.#feed, settings.feed, mostRowsTaken(options.shots, taking / sum));
    this.#stretches = new Stretches(options.shots);
    this.warnings = this.#tryOut();
  }

  /**
   * The requests of one slice, every template filled in, and its schedule pointing at them. Both sides of a pair get
   * the same, but for what their session returned.
   * @throws TailgateError `usage` naming the request and the row with which it cannot be sent.
   */
  draw(order: DrawOrder): DrawnShots {
    const { sequence } = order.schedule;
    let taking = 0;
    for (const request of sequence) if (this.#requests[request]!.message.takesRow) taking++;
    const start = this.#stretches.take(order.slot, order.purpose, sequence.length, taking);
    const drawn = new Drawn(sequence.length, start.variants);
    let { row } = start;
    for (const [shot, request] of sequence.entries()) {
      const { message } = this.#requests[request]!;
      // A row is taken whether or not a request is made: the same shots take the same rows.
      const position = message.takesRow ? row++ : null;
      const again = drawn.again(request, message.varies);
      if (again !== null) {
        drawn.sequence[shot] = again;
        continue;
      }
      // Chance of its own for each shot: no shot moves what the next one draws.
      const random = order.random.fork(`shot-${shot}`);
      const picked = position === null ? null : this.#picker!.pick(position, order.purpose, random);
      const values = this.#valuesOf(random, start.counter + shot, picked, order.session);
      drawn.sequence[shot] = drawn.add(request, this.#prepare(request, values, picked));
    }
    if (drawn.full && this.#picker?.unique === true) throw tooMany(this.name);
    start.variants ??= drawn.requests.length;
    return { requests: drawn.requests, schedule: { ...order.schedule, sequence: drawn.sequence } };
  }

  /** One request for opening sockets: the first that always looks the same, and otherwise the first of all. */
  opener(random: Random, session: string | null): PreparedRequest {
    const same = this.#requests.findIndex(({ message }) => !message.varies && message.method === 'GET');
    const request = Math.max(0, same);
    const picked = this.#requests[request]!.message.takesRow
      ? this.#picker!.pick(0, 'warm-up', random)
      : null;
    return this.#prepare(request, this.#valuesOf(random, 0, picked, session), picked);
  }

  /**
   * A fixed list of requests for whoever draws his own sequence: of a request whose shots differ as many as its share
   * of `most`, of any other one.
   */
  variants(
    most: number,
    random: Random,
    session: string | null,
  ): { readonly requests: readonly PreparedRequest[]; readonly weights: readonly number[] } {
    const sum = this.weights.reduce((total, weight) => total + weight, 0);
    const counts = this.#requests.map(({ message }, index) =>
      message.varies ? Math.max(1, Math.floor((most * this.weights[index]!) / sum)) : 1,
    );
    const sequence = Uint16Array.from(counts.flatMap((count, index) => Array(count).fill(index)));
    const schedule = { due: new Float64Array(sequence.length), sequence, leadIn: 0 };
    const drawn = this.draw({ schedule, random, slot: 'variants', purpose: 'warm-up', session });
    // Where not all of them could be made, those there are share the weight.
    const requestOf = new Map(Array.from(drawn.schedule.sequence, (variant, at) => [variant, sequence[at]!]));
    const made = this.weights.map((_, index) => [...requestOf.values()].filter((of) => of === index).length);
    const weights = drawn.requests.map((_, variant) => {
      const request = requestOf.get(variant)!;
      return this.weights[request]! / made[request]!;
    });
    return { requests: drawn.requests, weights };
  }

  /**
   * The set-up request, the same for both sides of a round.
   * @throws TailgateError `usage` naming what cannot be sent.
   */
  setUp(random: Random): { readonly request: PreparedRequest; readonly take: SessionSettings['take'] } {
    if (this.session === null) throw new Error(`scenario "${this.name}" has no session`);
    const { message, take } = this.session;
    const problems: string[] = [];
    const filled = fillMessage(message, { random, counter: 1, row: [], session: '' });
    const request = prepare({ ...filled, expect: noStatus }, problems, []);
    if (problems.length === 0) return { request, take };
    throw new TailgateError({
      code: 'usage',
      message: `the session of scenario "${this.name}": ${problems.join('\n')}`,
      hint: 'Change or remove what is named here under `session`.',
    });
  }

  /** Whether two requests of it may differ. */
  get varies(): boolean {
    return this.#requests.some(({ message }) => message.varies);
  }

  #valuesOf(random: Random, counter: number, row: number | null, session: string | null): ShotValues {
    return { random, counter, row: row === null ? [] : this.#feed!.rows[row]!, session: session ?? '' };
  }

  #prepare(index: number, values: ShotValues, row: number | null): PreparedRequest {
    const { message } = this.#requests[index]!;
    const problems: string[] = [];
    let prepared: PreparedRequest | null = null;
    try {
      prepared = prepare({ ...fillMessage(message, values), expect: noStatus }, problems, []);
    } catch (error) {
      problems.push(messageOf(error));
    }
    if (prepared !== null && problems.length === 0) return this.#sharing(index, prepared, values.session);
    const from = row === null ? '' : ` (line ${this.#feed!.lines[row]} of ${this.#feed!.file})`;
    throw new TailgateError({
      code: 'usage',
      message: `scenario "${this.name}"${from}: ${problems.join('\n')}`,
      hint: 'Change or remove what is named here in the scenario’s requests or its feed.',
    });
  }

  /** Headers that are the same for every shot are one list, also on their way to the generator. */
  #sharing(index: number, prepared: PreparedRequest, session: string): PreparedRequest {
    const { message, right } = this.#requests[index]!;
    if (message.headersVary) return { ...prepared, ...right };
    const key = `${index}/${session}`;
    const headers = this.#headers.get(key) ?? prepared.headers;
    if (this.#headers.size > mostHeaderLists) this.#headers.clear();
    this.#headers.set(key, headers);
    return { ...prepared, headers, ...right };
  }

  /** Makes every request once, so that what cannot be sent is said before anything is built. */
  #tryOut(): readonly Warning[] {
    const problems: string[] = [];
    const warnings: Warning[] = [];
    const random = seededRandom('trial');
    for (const { message } of this.#requests) {
      const row = message.takesRow ? this.#feed!.rows[0]! : [];
      try {
        const filled = fillMessage(message, { random, counter: 1, row, session: 'session' });
        prepare({ ...filled, expect: noStatus }, problems, warnings);
      } catch (error) {
        problems.push(`a ${message.method} request: ${messageOf(error)}`);
      }
    }
    if (this.session !== null) this.setUp(random);
    if (problems.length === 0) return warnings;
    throw new TailgateError({
      code: 'usage',
      message: problems.map((problem) => `scenario "${this.name}": ${problem}`).join('\n'),
      hint: 'Change or remove what is named here in the scenario’s requests or its feed.',
    });
  }
}

/** Filled in by whoever asks: the same object for every shot. */
const noStatus = { status: [] };

function rightOf(expect: Expectations): CompiledRequest['right'] {
  const checks = checksOf(expect);
  const expected = expect.status.map(({ from, to }) => ({ from, to }));
  return checks === undefined ? { expected } : { expected, checks };
}

function readFeedFile(settings: ScenarioSettings, directory: string): Feed {
  const feed = settings.feed!;
  const text = readProjectText(directory, feed.file, 'the feed', feedLimit);
  return readFeed(text, feed, columnsOf(settings.requests));
}

/** Every column that a template of these requests names. */
function columnsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    return parseTemplate(value).flatMap((piece) =>
      typeof piece === 'object' && piece.kind === 'feed' ? [piece.column] : [],
    );
  }
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.values(value).flatMap(columnsOf))];
}
