import type { Server } from 'node:net';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { holderOf, ownershipOf, parseTable, portsOf } from '../../src/service/listeners.ts';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listening(host: string): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen({ host, port: 0 }, resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

describe('the table of sockets', () => {
  it('is read with its addresses, and only what listens', () => {
    const tcp = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      '   0: 0100007F:5B26 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 100 0 0 10 0',
      '   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0',
      '   2: 0100007F:5B27 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0',
      '',
    ].join('\n');
    expect(parseTable(tcp)).toEqual([
      { address: '127.0.0.1', port: 23334, inode: '4711' },
      { address: '0.0.0.0', port: 22, inode: '4712' },
    ]);
    const row = (local: string): string =>
      `header\n 0: ${local}:5B26 ${'0'.repeat(32)}:0000 0A 0:0 00:0 0 0 0 9 1\n`;
    expect(parseTable(row('00000000000000000000000001000000'))[0]?.address).toBe('::1');
    expect(parseTable(row('0'.repeat(32)))[0]?.address).toBe('::');
    expect(parseTable(row('0000000000000000FFFF00000100007F'))[0]?.address).toBe('::ffff:127.0.0.1');
    expect(parseTable(row('B80D0120000000000000000001000000'))[0]?.address).toBe(
      '2001:0db8:0000:0000:0000:0000:0000:0001',
    );
  });
});

describe('the owner of a port', () => {
  it.each([
    ['127.0.0.1', 'ours', 'nobody'],
    ['0.0.0.0', 'ours', 'nobody'],
    ['::1', 'nobody', 'ours'],
    ['::', 'ours', 'ours'],
  ])('that listens on %s takes 127.0.0.1: %s, ::1: %s', async (host, four, six) => {
    const port = await listening(host);
    expect(ownershipOf('127.0.0.1', port, [process.pid]).kind).toBe(four);
    expect(ownershipOf('::1', port, [process.pid]).kind).toBe(six);
  });

  it('is foreign to a tree that does not hold it, and is named', async () => {
    const port = await listening('127.0.0.1');
    const found = ownershipOf('127.0.0.1', port, [process.ppid]);
    expect(found).toMatchObject({ kind: 'foreign', owner: { pid: process.pid } });
    expect(ownershipOf('127.0.0.1', port, [])).toMatchObject({ kind: 'foreign' });
    expect(holderOf(port)).toMatchObject({ address: '127.0.0.1', owner: { pid: process.pid } });
  });

  it('is found by the ports of a process', async () => {
    const ports = [await listening('127.0.0.1'), await listening('::1')];
    expect(portsOf([process.pid])).toEqual(expect.arrayContaining(ports));
    expect(portsOf([])).toEqual([]);
    expect(holderOf(1)).toBeNull();
  });
});
