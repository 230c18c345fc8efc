import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type UploadResult, uploadEvidence } from '../../src/github/artifact.ts';
import { withVariables, written } from './capture.ts';

const run = { serverUrl: 'https://github.com', repository: 'acme/shop', run: 500 };
/** A token as the runner gives it: only its claims are read here. */
const claims = { scp: 'Actions.Results:11111111:22222222' };
const runtimeToken = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.e30`;

let folder: string;
let server: Server;
let url: string;
let creation: { status: number; body: Record<string, unknown> };
let calls: { name: string; body: string }[];
let stored: Buffer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tailgate-artifact-'));
  await writeFile(join(folder, 'tailgate-evidence.json'), '{"version":1}');
  calls = [];
  stored = Buffer.alloc(0);
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const target = new URL(request.url ?? '', url);
      const name = target.pathname.split('/').at(-1) ?? '';
      calls.push({ name, body: body.toString('utf8') });
      if (request.method === 'PUT') {
        if (target.searchParams.get('comp') !== 'blocklist') stored = Buffer.concat([stored, body]);
        response.writeHead(201, { 'x-ms-request-id': '1' }).end();
        return;
      }
      const answer =
        name === 'CreateArtifact' ? creation : { status: 200, body: { ok: true, artifact_id: '77' } };
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  creation = { status: 200, body: { ok: true, signed_upload_url: `${url}/container/blob.zip?sig=hidden` } };
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

async function upload(
  name: string,
  variables: Readonly<Record<string, string | undefined>> = {},
): Promise<UploadResult> {
  const runner = {
    ACTIONS_RUNTIME_TOKEN: runtimeToken,
    ACTIONS_RESULTS_URL: url,
    GITHUB_SERVER_URL: 'https://github.com',
    ...variables,
  };
  let result: UploadResult | undefined;
  await withVariables(runner, () =>
    written(async () => {
      result = await uploadEvidence(name, [join(folder, 'tailgate-evidence.json')], folder, run);
    }),
  );
  return result!;
}

describe('the evidence of a job', () => {
  it('is uploaded, and has a page', async () => {
    const result = await upload('tailgate-evidence');
    expect(result).toEqual({
      kind: 'uploaded',
      name: 'tailgate-evidence',
      url: 'https://github.com/acme/shop/actions/runs/500/artifacts/77',
    });
    expect(stored.subarray(0, 2).toString()).toBe('PK');
    expect(stored.includes('tailgate-evidence.json')).toBe(true);
  });

  it('may have any name: what artifacts may not have in theirs becomes a dash', async () => {
    expect(await upload('gate: a/b\\c "d" <e>|f*?')).toMatchObject({
      kind: 'uploaded',
      name: 'gate- a-b-c -d- -e--f--',
    });
  });

  it('is a notice when another job took the name', async () => {
    creation = {
      status: 409,
      body: { code: 'already_exists', msg: 'an artifact with this name already exists' },
    };
    const result = await upload('tailgate-evidence');
    expect(result).toMatchObject({
      kind: 'refused',
      notice: { code: 'artifact-failed', hint: expect.stringContaining('`id`') },
    });
  });

  it.each([
    ['the runner offers no uploads', { ACTIONS_RUNTIME_TOKEN: undefined }],
    ['its token is broken', { ACTIONS_RUNTIME_TOKEN: 'x' }],
    ['it does not say where to', { ACTIONS_RESULTS_URL: undefined }],
    ['the server is one that has no such artifacts', { GITHUB_SERVER_URL: 'https://github.example.org' }],
  ])('is a notice when %s', async (_, variables) => {
    const result = await upload('tailgate-evidence', variables);
    expect(result).toMatchObject({
      kind: 'refused',
      notice: { hint: expect.stringContaining('evidence-path') },
    });
  });
});
