/** The comment of a gate, published to the GitHub on this machine: what the tests of it share. */
import { expect } from 'vitest';
import { type CommentRequest, type CommentResult, publishComment } from '../../src/github/comment.ts';
import { type Marker, makeMarker, parseMarker } from '../../src/report/marker.ts';
import { connectTo } from './connection.ts';
import type { GitHubServer } from './server.ts';

export const gate = { id: 'default', run: 500, attempt: 1 };

export function text(said: string, marker: Partial<Marker> = {}): string {
  return `${makeMarker({ ...gate, history: [], ...marker })}\n${said}`;
}

export function request(wanted: Partial<CommentRequest<Marker>> = {}): CommentRequest<Marker> {
  const { id, run, attempt } = { ...gate, ...wanted };
  return {
    ...gate,
    number: 7,
    mode: 'always',
    outcome: 'regression',
    moved: true,
    fromFork: false,
    parseMarker,
    render: () => [text('p99 rose', { id, run, attempt })],
    ...wanted,
  };
}

export async function publish(
  github: GitHubServer,
  wanted: Partial<CommentRequest<Marker>> = {},
): Promise<CommentResult> {
  const { client } = await connectTo(github);
  return await publishComment(client, request(wanted));
}

export const writes = (github: GitHubServer): string[] =>
  github.requests
    .filter((seen) => seen.method !== 'GET' && seen.path !== '/graphql')
    .map((seen) => `${seen.method} ${seen.path.replace('/repos/acme/shop/issues/', '')}`);

export function notice(result: CommentResult): string {
  expect(result.kind).toBe('refused');
  return result.kind === 'refused' ? `${result.notice.message} ${result.notice.hint ?? ''}` : '';
}
