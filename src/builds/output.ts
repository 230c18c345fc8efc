/** What the setup of a side made, as one hash: two sides that came out byte for byte the same deserve a warning. */
import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Warning } from '../kernel/errors.ts';
import type { Bytes } from '../kernel/units.ts';
import { bytes, formatBytes, formatCount, secondsToNs } from '../kernel/units.ts';
import { type Side, sides } from '../kernel/words.ts';
import type { Git } from './git.ts';

export interface OutputLimits {
  readonly files: number;
  readonly size: Bytes;
}

export type Output =
  | { readonly kind: 'hashed'; readonly sha256: string; readonly files: number }
  /** Setup left no file behind, other than fetched dependencies and caches. */
  | { readonly kind: 'nothing' }
  /** Nothing can be said. */
  | { readonly kind: 'not-hashed'; readonly why: string };

const defaultLimits: OutputLimits = { files: 50_000, size: bytes(512 * 1024 * 1024) };

/** Fetched, not made: the same on both sides whatever the change is. */
const setAside: ReadonlySet<string> = new Set([
  'node_modules',
  'vendor',
  'venv',
  '.venv',
  '__pycache__',
  '.cache',
  '.gradle',
  '.npm',
  '.pnpm-store',
  '.yarn',
]);

/**
 * SHA-256 over the files that setup made or changed in a worktree: every file that is not as the commit has it,
 * ignored ones included. The commit's own files stay out, since they differ whenever the change is not empty, and so
 * do fetched dependencies. The worktree's own path inside a file counts as the same text on both sides.
 * @param git in the root of the worktree.
 */
export async function hashOutput(git: Git, limits: OutputLimits = defaultLimits): Promise<Output> {
  const listed = await git.ask(['ls-files', '--others', '--modified', '-z'], {
    captureLimit: bytes(64 * 1024 * 1024),
    timeout: secondsToNs(60),
  });
  if (!listed.ok || listed.truncated) return { kind: 'not-hashed', why: 'its files could not be listed' };
  const names = [...new Set(listed.stdout.split('\0'))]
    .filter((name) => name !== '' && !name.split('/').some((part) => setAside.has(part)))
    .sort();
  if (names.length === 0) return { kind: 'nothing' };
  if (names.length > limits.files) {
    return { kind: 'not-hashed', why: `it has more than ${formatCount(limits.files)} files` };
  }
  const hash = createHash('sha256');
  const root = Buffer.from(git.directory).toString('latin1');
  let size = 0;
  for (const name of names) {
    const path = join(git.directory, name);
    const status = await lstat(path).catch(() => null);
    if (status?.isSymbolicLink()) {
      hash.update(`link ${name}\0${(await readlink(path)).replaceAll(git.directory, '')}\0`);
    } else if (status?.isFile()) {
      size += status.size;
      if (size > limits.size) {
        return { kind: 'not-hashed', why: `it is larger than ${formatBytes(limits.size)}` };
      }
      const text = (await readFile(path)).toString('latin1').replaceAll(root, '');
      hash.update(`file ${name}\0${text.length}\0`).update(Buffer.from(text, 'latin1'));
    } else {
      hash.update(`${status === null ? 'gone' : 'other'} ${name}\0`);
    }
  }
  return { kind: 'hashed', sha256: hash.digest('hex'), files: names.length };
}

/**
 * A loud warning when setup made the same bytes on both sides although the change is not empty: a stale cache, or a
 * build of the wrong folder, would compare a program with itself. Null when that is not so or cannot be known.
 * @param changedFiles how many files differ between the two commits.
 */
export function identicalBuilds(baseline: Output, candidate: Output, changedFiles: number): Warning | null {
  if (changedFiles === 0 || baseline.kind !== 'hashed' || candidate.kind !== 'hashed') return null;
  if (baseline.sha256 !== candidate.sha256) return null;
  const made = candidate.files === 1 ? 'the 1 file' : `all ${formatCount(candidate.files)} files`;
  const changed = changedFiles === 1 ? '1 file' : `${formatCount(changedFiles)} files`;
  return {
    code: 'identical-builds',
    message: `setup made the same on both sides: ${made} it left ${candidate.files === 1 ? 'is' : 'are'} byte for byte equal, although the change touches ${changed}`,
    hint: 'if the service runs what setup makes, both sides are the same program: look for a cache, or for a build of another folder than the worktree',
  };
}

/** A note that the sides could not be looked at for this; null where they could, or where nothing could be equal. */
export function buildsNotCompared(
  outputs: Readonly<Record<Side, Output>>,
  changedFiles: number,
): Warning | null {
  if (changedFiles === 0 || sides.some((side) => outputs[side].kind === 'nothing')) return null;
  const unseen = sides.flatMap((side) => {
    const output = outputs[side];
    return output.kind === 'not-hashed' ? [{ side, why: output.why }] : [];
  });
  const [first] = unseen;
  if (first === undefined) return null;
  const whose = unseen.length === sides.length ? 'both sides' : `the ${first.side}`;
  return {
    code: 'builds-not-compared',
    message: `whether setup made the same on both sides was not looked at: what it left on ${whose} was not read, since ${first.why}`,
    hint: 'only the warning about equal builds is missing; nothing else depends on it',
  };
}
