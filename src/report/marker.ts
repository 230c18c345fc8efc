/** The hidden line by which a comment is found again: which gate, which run, and the last five results. */

import { ratio } from '../kernel/units.ts';
import { outcomes } from '../kernel/words.ts';
import type { PastResult } from './context.ts';

export interface Marker {
  readonly id: string;
  readonly run: number;
  readonly attempt: number;
  /** Oldest first, at most five. */
  readonly history: readonly PastResult[];
}

export const historyLength = 5;
const longestMarker = 4096;
const longestId = 100;

/**
 * `<!-- tailgate id=… run=… attempt=… history=… -->`, one line. The id is percent-encoded; the history is JSON in
 * base64url with `.` for `-`, because a comment in HTML must not hold two dashes.
 */
export function makeMarker(marker: Marker): string {
  const history = marker.history
    .slice(-historyLength)
    .map((past) => [
      past.run,
      past.attempt,
      /^[0-9a-f]{7,}$/.test(past.sha) ? past.sha.slice(0, 12) : '',
      past.outcome,
      rounded(past.tail),
      rounded(past.cpu),
    ]);
  const encoded = base64url(JSON.stringify(history));
  return `<!-- tailgate id=${encodeId(marker.id)} run=${marker.run} attempt=${marker.attempt} history=${encoded} -->`;
}

/**
 * Reads the marker of a comment; null when there is none, or more than one, or anything in it has another form
 * than `makeMarker` writes. The caller still has to check who wrote the comment.
 */
export function parseMarker(body: string): Marker | null {
  const first = body.indexOf('<!-- tailgate ');
  if (first < 0 || body.indexOf('<!-- tailgate ', first + 1) >= 0) return null;
  if (first > 0 && body[first - 1] !== '\n') return null;
  const line = body.slice(first, first + longestMarker);
  const match =
    /^<!-- tailgate id=([A-Za-z0-9_.~%]{1,1000}) run=(\d{1,16}) attempt=(\d{1,6}) history=([A-Za-z0-9_.]{0,3000}) -->\s*(?:\n|$)/.exec(
      line,
    );
  if (match === null) return null;
  const id = decodeId(match[1]!);
  const run = Number(match[2]);
  const attempt = Number(match[3]);
  const history = parseHistory(match[4]!);
  if (id === null || history === null || !Number.isSafeInteger(run)) return null;
  return { id, run, attempt, history };
}

/** Whether the marked comment comes from a later run, or a later attempt of the same run, than this one. */
export function isNewer(marker: Marker, run: { readonly id: number; readonly attempt: number }): boolean {
  return marker.run > run.id || (marker.run === run.id && marker.attempt > run.attempt);
}

/** The last five results with this one: a run that was repeated replaces its earlier attempt. */
export function extendHistory(history: readonly PastResult[], latest: PastResult): readonly PastResult[] {
  return [...history.filter((past) => past.run !== latest.run), latest].slice(-historyLength);
}

function parseHistory(encoded: string): readonly PastResult[] | null {
  const text = fromBase64url(encoded);
  if (text === null) return null;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(value) || value.length > historyLength) return null;
  const history = value.map(parsePast);
  return history.every((past) => past !== null) ? history : null;
}

function parsePast(value: unknown): PastResult | null {
  if (!Array.isArray(value) || value.length !== 6) return null;
  const [run, attempt, sha, word, tail, cpu] = value as readonly unknown[];
  const outcome = outcomes.find((known) => known === word);
  if (!isCount(run) || !isCount(attempt) || outcome === undefined) return null;
  if (typeof sha !== 'string' || !/^(?:[0-9a-f]{7,12})?$/.test(sha)) return null;
  if (!isChange(tail) || !isChange(cpu)) return null;
  return {
    run,
    attempt,
    sha,
    outcome,
    tail: tail === null ? null : ratio(tail),
    cpu: cpu === null ? null : ratio(cpu),
  };
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isChange = (value: unknown): value is number | null =>
  value === null || (typeof value === 'number' && Number.isFinite(value) && Math.abs(value) < 1e6);

/** Four digits behind the point: a hundredth of a per cent. */
const rounded = (value: number | null): number | null =>
  value === null || !Number.isFinite(value) ? null : Number(value.toFixed(4));

function encodeId(id: string): string {
  const clamped = Array.from(id.replace(/\p{Cs}/gu, '\ufffd'))
    .slice(0, longestId)
    .join('');
  const encoded = encodeURIComponent(clamped).replace(
    /[-!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return encoded === '' ? 'default' : encoded;
}

function decodeId(encoded: string): string | null {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}

function base64url(text: string): string {
  return btoa(text).replace(/\+/g, '.').replace(/\//g, '_').replace(/=+$/, '');
}

function fromBase64url(encoded: string): string | null {
  try {
    return atob(encoded.replace(/\./g, '+').replace(/_/g, '/'));
  } catch {
    return null;
  }
}
