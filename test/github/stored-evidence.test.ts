/** The evidence of an earlier run: which one is found for a pull request. */
import { afterEach, describe, expect, it } from 'vitest';
import { bytes } from '../../src/kernel/units.ts';
import { connectTo } from './connection.ts';
import type { StoredArtifact } from './fixtures.ts';
import { type GitHubServer, type ServerSettings, startGitHub } from './server.ts';

const head = 'c'.repeat(40);
const artifact = (more: Partial<StoredArtifact> = {}): StoredArtifact => ({
  id: 70,
  name: 'tailgate-evidence',
  run: 500,
  attempt: 1,
  event: 'pull_request',
  headSha: head,
  numbers: [7],
  size: 1000,
  expired: false,
  ...more,
});

let server: GitHubServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function clientOf(settings: Partial<ServerSettings>) {
  server = await startGitHub(settings);
  return (await connectTo(server)).client;
}

describe('a pull request', () => {
  it('is asked for as it is now', async () => {
    const client = await clientOf({ pulls: [{ number: 7, headSha: head, body: 'Perf-Accepted: x' }] });
    expect(await client.pullRequest(7)).toEqual({ headSha: head, body: 'Perf-Accepted: x' });
    await expect(client.pullRequest(8)).rejects.toThrow(/404/);
  });
});

describe('the artifact of a gate', () => {
  const found = async (artifacts: readonly StoredArtifact[]) => {
    const client = await clientOf({ artifacts });
    return client.artifact('tailgate-evidence', { number: 7, headSha: head });
  };

  it('is that of the newest run, with the attempt that the run is at', async () => {
    const older = artifact({ id: 71, run: 499 });
    expect(await found([older, artifact({ attempt: 3 })])).toEqual({
      id: 70,
      run: 500,
      attempt: 3,
      size: bytes(1000),
    });
  });

  it('is the newest of a run that was repeated', async () => {
    expect(await found([artifact(), artifact({ id: 90 })])).toMatchObject({ id: 90 });
  });

  it('is that of an older run where the newest has none', async () => {
    const other = artifact({ run: 502, name: 'coverage' });
    const gone = artifact({ run: 501, expired: true });
    expect(await found([other, gone, artifact()])).toMatchObject({ run: 500 });
  });

  it.each([
    ['is of another commit', { headSha: 'd'.repeat(40) }],
    ['is of a push', { event: 'push' }],
    ['is of another pull request with the same head', { numbers: [8] }],
    ['has another name', { name: 'tailgate-evidence-checkout' }],
    ['has expired', { expired: true }],
  ])('is not one that %s', async (_, change) => {
    expect(await found([artifact(change)])).toBeNull();
  });

  it('is not one of another commit on a server that does not filter by commit', async () => {
    const artifacts = [artifact({ id: 80, run: 600, headSha: 'd'.repeat(40) }), artifact()];
    const client = await clientOf({ artifacts, filtersByCommit: false });
    const newest = await client.artifact('tailgate-evidence', { number: 7, headSha: head });
    expect(newest).toMatchObject({ id: 70, run: 500 });
  });

  it('is found for a head in a fork, for which GitHub names no pull request', async () => {
    expect(await found([artifact({ numbers: [] })])).toMatchObject({ id: 70 });
  });
});
