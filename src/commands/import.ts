/** `tailgate import FILE`: a scenario from an access log, a HAR or an OpenAPI description, and what it could not take over. */
import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { parseConfigText, yamlText } from '../config/document.ts';
import { readLogLine } from '../imports/access-log.ts';
import { type Fragment, toFragment } from '../imports/fragment.ts';
import { readHar } from '../imports/har.ts';
import { type Kind, kindOf, kinds } from '../imports/kinds.ts';
import { readLines } from '../imports/lines.ts';
import { type Loss, Losses } from '../imports/observed.ts';
import { readOpenApi } from '../imports/openapi.ts';
import { type Traffic, TrafficCount } from '../imports/routes.ts';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import { type Bytes, bytes, formatBytes, formatCount, formatRate, perSecond } from '../kernel/units.ts';
import { visible } from '../report/escape.ts';
import { type Command, type FlagValues, numberFlag, type Terminal, text, usage } from './command.ts';
import { acceptable, changeLines } from './import-check.ts';
import { outputFile } from './output-file.ts';

/** What is held in memory as a whole. */
const wholeLimit = bytes(64 * 1024 * 1024);
/** What is read of a log, line by line. */
const logLimit = bytes(4 * 1024 ** 3);
const mostTop = 100;

export const importTraffic: Command = {
  name: 'import',
  usage: 'import access.log|file.har|openapi.yml [flags]',
  summary: 'Makes a scenario with observed proportions, and lists what it could not take over.',
  flags: {
    format: {
      type: 'string',
      value: kinds.join('|'),
      help: 'kind of the file; told by its content unless given',
    },
    out: { type: 'string', value: 'FILE', help: 'a new file for the YAML; printed unless given' },
    feed: {
      type: 'string',
      value: 'FILE.csv',
      help: 'a new file for the paths of routes with many ids; without it the most frequent ones stand for all',
    },
    top: {
      type: 'string',
      value: 'N',
      help: `the N most frequent routes, at most ${mostTop}; 50 unless given`,
    },
    host: {
      type: 'string',
      value: 'HOST',
      help: 'of a HAR: whose requests; the host with the most unless given',
    },
    name: { type: 'string', value: 'NAME', help: 'of the scenario; of the file unless given' },
  },
  positionals: { least: 1, most: 1 },
  run: async (flags, [file], terminal) => {
    const path = resolve(terminal.directory, file!);
    const kind = readKind(flags, path, file!);
    const top = numberFlag(flags, 'top', { least: 1, most: mostTop, whole: true }) ?? 50;
    const [out, feedOut] = [newFile(flags, 'out', terminal), newFile(flags, 'feed', terminal)];
    const losses = new Losses();
    const name = text(flags, 'name') ?? nameOf(file!);
    const options = { name, top, feedFile: text(flags, 'feed') ?? null };
    const { fragment, notes } = await read(kind, path, file!, options, text(flags, 'host'), losses);
    const comments = notes.map((note) => `# ${visible(note, 200)}\n`).join('');
    const { scenario, requests } = acceptable(fragment.scenario, losses);
    if (requests.length === 0) throw nothingFound(file!, losses.list());
    const yaml = `${comments}${yamlText({ scenarios: [scenario] })}`;
    if (fragment.feed !== null) feedOut?.write(fragment.feed);
    else if (feedOut !== null)
      terminal.tell('no route has so many paths that it needs a feed: none was written');
    if (out === null) terminal.print(yaml.trimEnd());
    else out.write(yaml);
    for (const line of lossLines(losses.list())) terminal.tell(line);
    for (const line of changeLines(requests)) terminal.tell(line);
    return 0;
  },
};

interface ReadOptions {
  readonly name: string;
  readonly top: number;
  readonly feedFile: string | null;
}

async function read(
  kind: Kind,
  path: string,
  file: string,
  options: ReadOptions,
  host: string | undefined,
  losses: Losses,
): Promise<{ readonly fragment: Fragment; readonly notes: readonly string[] }> {
  if (kind === 'openapi') {
    const document = parseConfigText(readWhole(path, file), file).keys;
    const scenario = readOpenApi(document, options.name, losses);
    return { fragment: { scenario, feed: null }, notes: [`read from ${file}`] };
  }
  const count = new TrafficCount(losses);
  if (kind === 'har') {
    for (const seen of readHar(readWhole(path, file), host, losses)) count.add(seen, 'HAR', null);
  } else {
    const cut = (): void => losses.add(`what comes after the first ${formatBytes(logLimit)}`);
    await readLog(readLines(path, logLimit, cut), count, losses, file);
  }
  const traffic = count.result();
  if (traffic.count === 0) throw nothingFound(file, losses.list());
  return { fragment: toFragment(traffic, options, losses), notes: notesOf(file, traffic) };
}

async function readLog(
  lines: ReturnType<typeof readLines>,
  count: TrafficCount,
  losses: Losses,
  file: string,
): Promise<void> {
  try {
    for await (const { number, text: line } of lines) {
      if (line === null) {
        losses.add('lines of more than 64 KiB', number);
        continue;
      }
      const found = readLogLine(line);
      if (found.kind === 'unread') losses.add(found.why, number);
      else if (found.kind === 'request') count.add(found.seen, 'access log', number);
    }
  } catch (error) {
    if (error instanceof TailgateError) throw error;
    throw unreadable(file, messageOf(error), 'it must be a readable text, or one packed with gzip as .gz');
  }
}

function notesOf(file: string, { count, span, busiestMinute }: Traffic): readonly string[] {
  const notes = [`read from ${file}: ${formatCount(count)} requests`];
  const seconds = span === null ? 0 : (span.to - span.from) / 1000;
  if (span !== null && seconds >= 1) {
    const mean = formatRate(perSecond(count / seconds));
    const busiest =
      seconds >= 120 ? `, ${formatRate(perSecond(busiestMinute / 60))} in the busiest minute` : '';
    notes.push(`observed: ${mean} on average${busiest}; the rate to test with is yours to choose`);
  }
  return notes;
}

function lossLines(losses: readonly Loss[]): readonly string[] {
  if (losses.length === 0) return ['everything was taken over'];
  const sorted = [...losses].sort((one, other) => other.count - one.count);
  return [
    'not taken over, or not as it was:',
    ...sorted.map(({ what, count, line }) => {
      const times = count === 1 ? '' : `${formatCount(count)} × `;
      return `  ${times}${visible(what, 300)}${line === null ? '' : ` (first on line ${formatCount(line)})`}`;
    }),
  ];
}

function readKind(flags: FlagValues, path: string, file: string): Kind {
  const given = text(flags, 'format');
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw unreadable(
      file,
      `there is no such file (looked for ${path})`,
      'name an access log, a HAR or an OpenAPI description',
    );
  if (!stat.isFile())
    throw unreadable(file, 'it is no file', 'name an access log, a HAR or an OpenAPI description');
  if (given === undefined) return kindOf(file, firstCharacters(path, file));
  const kind = kinds.find((one) => one === given);
  if (kind === undefined) throw usage(importTraffic, `--format is "${given}"; it wants ${kinds.join(', ')}`);
  return kind;
}

function firstCharacters(path: string, file: string): string {
  try {
    const opened = openSync(path, 'r');
    try {
      const start = Buffer.alloc(64 * 1024);
      return startOf(path, start.subarray(0, readSync(opened, start))).toString('utf8');
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    throw unreadable(file, messageOf(error), 'it must be readable');
  }
}

/** What the start of a packed file unpacks to; as it is where it is not packed. */
function startOf(path: string, start: Buffer): Buffer {
  if (!path.endsWith('.gz')) return start;
  try {
    return gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    // Reading all of it says what is wrong with it.
    return start;
  }
}

/** @returns its text, unpacked when its name ends in .gz. */
function readWhole(path: string, file: string): string {
  const { size } = statSync(path);
  if (size > wholeLimit) {
    const limit: Bytes = wholeLimit;
    throw unreadable(
      file,
      `it has ${formatBytes(bytes(size))}, wanted at most ${formatBytes(limit)}`,
      'give a smaller file',
    );
  }
  try {
    const read = readFileSync(path);
    const content = path.endsWith('.gz') ? gunzipSync(read, { maxOutputLength: wholeLimit }) : read;
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch (error) {
    throw unreadable(
      file,
      messageOf(error),
      `it must be a readable text in UTF-8, at most ${formatBytes(wholeLimit)} when unpacked`,
    );
  }
}

/** A file that is not there yet: what a user wrote is never overwritten. */
function newFile(flags: FlagValues, flag: string, terminal: Terminal): ReturnType<typeof outputFile> | null {
  const file = text(flags, flag);
  if (file === undefined) return null;
  if (existsSync(resolve(terminal.directory, file))) {
    throw usage(importTraffic, `--${flag} is "${file}", which exists; it wants the name of a new file`);
  }
  return outputFile(terminal, flag, file);
}

/** A name that a scenario may have. */
function nameOf(file: string): string {
  const plain = basename(file.replace(/\.gz$/, ''), extname(file.replace(/\.gz$/, '')));
  return (
    plain
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')
      .slice(0, 60) || 'imported'
  );
}

function nothingFound(file: string, losses: readonly Loss[]): TailgateError {
  return new TailgateError({
    code: 'usage',
    message: `${file} has no request that can be sent`,
    hint: 'name the kind of file with --format, or see above what was found instead',
    tail: losses.length === 0 ? ['the file is empty'] : lossLines(losses),
  });
}

function unreadable(file: string, problem: string, hint: string): TailgateError {
  return new TailgateError({ code: 'usage', message: `${file} cannot be read: ${problem}`, hint });
}
