/** A scenario in the words of the file → its settings: one form of body, authorisation and session. */
import { perSecond } from '../kernel/units.ts';
import type { FileSettings } from './schema.ts';
import type {
  AuthSettings,
  BodySettings,
  Expectations,
  FeedSettings,
  MessageSettings,
  PartSettings,
  RequestSettings,
  ScenarioSettings,
  SessionSettings,
} from './settings.ts';

type FileScenario = FileSettings['scenarios'][number];
type FileRequest = NonNullable<FileScenario['requests']>[number];
type FileSession = NonNullable<FileScenario['session']>;

/** @param rate of the file, for a scenario without one of its own. */
export function toScenario(scenario: FileScenario, rate: number): ScenarioSettings {
  return {
    name: scenario.name,
    rate: perSecond(scenario.rate ?? rate),
    requests: scenario.requests?.map(toRequest) ?? [plainGet(scenario.path ?? '/')],
    feed: scenario.feed === null ? null : toFeed(scenario.feed),
    auth: scenario.auth === null ? null : toAuth(scenario.auth),
    session: scenario.session === null ? null : toSession(scenario.session),
  };
}

const anyAnswer: Expectations = {
  status: [{ from: 200, to: 299 }],
  headers: {},
  bodyContains: [],
  json: {},
  size: { min: 0, max: null },
};

function plainGet(path: string): RequestSettings {
  return {
    method: 'GET',
    path,
    query: [],
    headers: {},
    body: null,
    pathLength: null,
    bodySize: null,
    weight: 1,
    expect: anyAnswer,
  };
}

function toRequest(request: FileRequest): RequestSettings {
  const { expect } = request;
  return {
    ...toMessage(request),
    pathLength: request['path-length'],
    bodySize: request['body-size'],
    weight: request.weight,
    expect: {
      status: expect.status,
      headers: expect.headers,
      bodyContains: expect['body-contains'],
      json: expect.json,
      size: expect.size,
    },
  };
}

function toMessage(request: FileRequest | FileSession): MessageSettings {
  const { method, path, query, headers } = request;
  return { method, path, query, headers, body: toBody(request) };
}

function toBody(request: FileRequest | FileSession): BodySettings | null {
  const { body, form, multipart, 'body-file': file } = request;
  if (typeof body === 'string') return { kind: 'text', text: body };
  if (body !== null) return { kind: 'json', value: body };
  if (form !== null) return { kind: 'form', fields: form };
  if (multipart !== null) return { kind: 'multipart', parts: multipart.map(toPart) };
  return file === null ? null : { kind: 'file', file };
}

function toPart(part: NonNullable<FileRequest['multipart']>[number]): PartSettings {
  const { name, value, file, filename } = part;
  const lastOfPath = file?.split(/[\\/]/).at(-1) ?? null;
  return {
    name,
    content: file === undefined ? { kind: 'text', text: value ?? '' } : { kind: 'file', file },
    filename: filename ?? lastOfPath,
    contentType: part['content-type'] ?? (file === undefined ? null : 'application/octet-stream'),
  };
}

function toFeed(feed: NonNullable<FileScenario['feed']>): FeedSettings {
  const { file, order, exponent } = feed;
  const named = /\.(jsonl|ndjson|json)$/i.test(file) ? 'jsonl' : 'csv';
  return { file, order, exponent, format: feed.format ?? named };
}

function toAuth(auth: NonNullable<FileScenario['auth']>): AuthSettings {
  return auth.basic === undefined
    ? { kind: 'bearer', token: auth.bearer! }
    : { kind: 'basic', ...auth.basic };
}

function toSession(session: FileSession): SessionSettings {
  return {
    request: toMessage(session),
    take:
      session.token === undefined
        ? { kind: 'cookie', name: session.cookie! }
        : { kind: 'json', pointer: session.token },
  };
}
