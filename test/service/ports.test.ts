import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/kernel/world.ts';
import { assertPortFree, pickPorts, whoHolds } from '../../src/service/ports.ts';

describe('ports', () => {
  it('come in pairs, the lower first, with five digits and below those of outgoing connections', async () => {
    for (let seed = 0; seed < 5; seed++) {
      const { lower, higher } = await pickPorts(seededRandom(seed));
      expect(lower).toBeLessThan(higher);
      expect(lower).toBeGreaterThanOrEqual(20_000);
      expect(higher).toBeLessThan(32_768);
    }
  });

  it.each(['127.0.0.1', '::1', '0.0.0.0'])('that are taken on %s are passed over', async (host) => {
    const first = await pickPorts(seededRandom('same'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen({ host, port: first.lower }, resolve));
    const second = await pickPorts(seededRandom('same'));
    const holder = await whoHolds(first.lower);
    const refusal = await assertPortFree(first.lower, 'baseline').catch((error) => error);
    await new Promise((resolve) => server.close(resolve));
    expect([second.lower, second.higher]).not.toContain(first.lower);
    expect([second.lower, second.higher]).toContain(first.higher);
    expect(holder?.address).toBe(host);
    expect(refusal.message).toContain(`baseline: port ${first.lower} is already in use on ${host}`);
    await assertPortFree(first.lower, 'baseline');
  });
});
