/** A client that talks to the GitHub on this machine and waits for nothing. */
import { connect, type GitHubClient } from '../../src/github/client.ts';
import { nsToSeconds } from '../../src/kernel/units.ts';
import type { GitHubServer } from './server.ts';

export interface Connection {
  readonly client: GitHubClient;
  /** Seconds that the client wanted to wait, in order. */
  readonly waits: readonly number[];
}

export const token = 'ghs_0123456789abcdefghijklmnopqrstuvwxyz';

export async function connectTo(
  server: GitHubServer,
  wanted: { readonly token?: string; readonly repository?: string } = {},
): Promise<Connection> {
  // @actions/github chooses its proxy by this address while it is imported: never one for this machine.
  process.env['GITHUB_API_URL'] = server.url;
  const waits: number[] = [];
  const client = await connect({
    token,
    repository: 'acme/shop',
    apiUrl: server.url,
    clock: {
      sleep: async (duration) => {
        waits.push(nsToSeconds(duration));
      },
    },
    ...wanted,
  });
  return { client, waits };
}
