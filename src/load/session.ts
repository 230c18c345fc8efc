/** The set-up request of a side: what of its answer is used afterwards as `${session}`. */
import type { SessionSettings } from '../config/settings.ts';
import { messageOf } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { valueAtPointer } from './json-pointer.ts';
import type { PreparedRequest, Target } from './protocol.ts';
import { type HttpAnswer, httpSend } from './sender.ts';

export type Session =
  | { readonly kind: 'opened'; readonly value: string }
  /** A sentence that does not repeat what may be a secret. */
  | { readonly kind: 'refused'; readonly problem: string };

/** Sends the request once, on a connection of its own. Never throws: what goes wrong comes back as data. */
export async function openSession(
  target: Target,
  request: PreparedRequest,
  take: SessionSettings['take'],
  timeout: Nanoseconds,
): Promise<Session> {
  const name = `${request.method} ${request.path.split('?', 1)[0]}`;
  try {
    const { opened, problem } = takeFrom(await httpSend(target, request, timeout), take);
    return opened === null
      ? { kind: 'refused', problem: `${name} ${problem}` }
      : { kind: 'opened', value: opened };
  } catch (error) {
    const code = (error as { readonly code?: unknown }).code;
    const why = typeof code === 'string' ? code : messageOf(error);
    return { kind: 'refused', problem: `${name} got no answer: ${why}` };
  }
}

type Taken = { readonly opened: string | null; readonly problem: string };
const refused = (problem: string): Taken => ({ opened: null, problem });

/** What is wanted of an answer. A redirect is an answer: sign-ins set their cookie with one. */
export function takeFrom(answer: HttpAnswer, take: SessionSettings['take']): Taken {
  if (answer.status >= 400) return refused(`was answered with status ${answer.status}, wanted one below 400`);
  const value = take.kind === 'cookie' ? cookieOf(answer, take.name) : jsonOf(answer, take.pointer);
  if (value.opened !== null && !/^[\x21-\x7e\x80-\xff]+$/.test(value.opened)) {
    return refused('returned a value that is empty or that no header can carry');
  }
  return value;
}

function cookieOf({ headers }: HttpAnswer, name: string): Taken {
  const lines = [headers['set-cookie'] ?? []].flat();
  const cookies = lines.map((line) => line.split(';', 1)[0]!.trim());
  const found = cookies.find((cookie) => cookie.startsWith(`${name}=`));
  if (found !== undefined) return { opened: found.slice(name.length + 1), problem: '' };
  const names = cookies.map((cookie) => cookie.split('=', 1)[0]);
  const set = names.length === 0 ? 'it set none' : `it set ${names.join(', ')}`;
  return refused(`set no cookie "${name}"; ${set}`);
}

function jsonOf({ body }: HttpAnswer, pointer: string): Taken {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return refused('was answered with something other than JSON (of at most 16 KiB)');
  }
  const value = valueAtPointer(json, pointer);
  if (typeof value === 'string' || typeof value === 'number') return { opened: String(value), problem: '' };
  const keys = typeof json === 'object' && json !== null ? Object.keys(json).slice(0, 12).join(', ') : '';
  const found = value === undefined ? 'nothing' : 'neither text nor number';
  return refused(`returned JSON with ${found} at "${pointer}"; it has ${keys === '' ? 'no keys' : keys}`);
}
