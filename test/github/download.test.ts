/** What is downloaded of the evidence of an earlier run; in a file of its own, because the package keeps its server. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { zipOf } from './archive.ts';
import { written } from './capture.ts';
import { token } from './connection.ts';
import { type GitHubServer, startGitHub } from './server.ts';

describe('the archive of an artifact', () => {
  /** By artifact; the server looks here while it runs. */
  const archives: Record<number, string> = {};
  let github: GitHubServer;
  let folder: string;
  let store: Server;
  let archive: Buffer;
  let asked: number;

  beforeAll(async () => {
    // The package chooses its server while it is imported, once.
    github = await startGitHub({ archives });
    process.env['GITHUB_API_URL'] = github.url;
    process.env['GITHUB_SERVER_URL'] = 'https://github.com';
  });
  afterAll(() => github.close());

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tailgate-stored-'));
    archive = zipOf('tailgate-evidence.json', '{"version":1}');
    asked = 0;
    store = createServer((_, response) => {
      asked += 1;
      response.writeHead(200, { 'content-type': 'application/zip' }).end(archive);
    });
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
    archives[70] = `http://127.0.0.1:${(store.address() as AddressInfo).port}/blob.zip?sig=hidden`;
  });
  afterEach(async () => {
    store.closeAllConnections();
    await new Promise((resolve) => store.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  async function download(more: { readonly id?: number; readonly size?: number } = {}) {
    const { downloadEvidence } = await import('../../src/github/artifact.ts');
    const from = { repository: 'acme/shop', token };
    let failure: unknown = null;
    const log = await written(async () => {
      try {
        await downloadEvidence({ id: 70, run: 500, size: 1000, ...more }, join(folder, 'in'), from);
      } catch (thrown) {
        failure = thrown;
      }
    });
    return { failure, log };
  }

  it('is unpacked into the folder, and its address stays secret', async () => {
    const { failure, log } = await download();
    expect(failure).toBeNull();
    expect(readFileSync(join(folder, 'in', 'tailgate-evidence.json'), 'utf8')).toBe('{"version":1}');
    expect(log).not.toContain('hidden');
    expect(log).not.toContain(token);
  });

  it('never leaves the folder, whatever its files are called', async () => {
    archive = zipOf('../../outside.json', '{}');
    await download();
    expect(asked).toBe(1);
    expect(existsSync(join(folder, 'outside.json'))).toBe(false);
    expect(existsSync(join(folder, '..', 'outside.json'))).toBe(false);
  });

  it('is not asked for when it is larger than any evidence', async () => {
    const { failure } = await download({ size: 2 ** 30 });
    expect(failure).toMatchObject({ code: 'github', message: expect.stringContaining('more than the') });
    expect(asked).toBe(0);
  });

  it('that GitHub does not give is an error with the permission that may be missing', async () => {
    const { failure } = await download({ id: 71 });
    expect(failure).toMatchObject({ code: 'github', hint: expect.stringContaining('actions: read') });
    expect((failure as unknown as Error).message).not.toContain(token);
  });
});
