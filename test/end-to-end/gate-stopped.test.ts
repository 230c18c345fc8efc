import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nothing, Rig, service, tinyPlan } from './gate-rig.ts';

const start = 'start: node server.mjs\n';
const project = (code: string, settings = start): Record<string, string> => ({
  'server.mjs': code,
  'tailgate.yml': `${settings}${tinyPlan}`,
});
const works = { baseline: project(service(50)), candidate: {} };

/** Starts the gate and waits until its progress holds these words. */
async function gateUntil(rig: Rig, words: string) {
  const child = rig.start('gate', '--baseline', 'main', '--verbose');
  const closed = once(child, 'close');
  const running = { child, closed, err: '' };
  child.stderr!.on('data', (data) => {
    running.err += data;
  });
  child.stdout!.resume();
  while (!running.err.includes(words)) {
    await Promise.race([
      once(child.stderr!, 'data'),
      closed.then(() => expect.fail(`it ended before "${words}": ${running.err}`)),
    ]);
  }
  return running;
}

/** Starts the gate and waits until both services have started and are under load. */
async function gateInARound(rig: Rig) {
  const running = await gateUntil(rig, 'round 1 of');
  expect(await until(() => rig.servicesStarted() === 2, 10), running.err).toBe(true);
  await new Promise((resolve) => setTimeout(resolve, 700));
  return running;
}

/** Processes whose parent this is. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => statusOf(pid).includes(`\nPPid:\t${parent}\n`))
    .map(Number);
}

function statusOf(pid: string | number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

async function until(holds: () => boolean, seconds: number): Promise<boolean> {
  for (let left = seconds * 20; left > 0 && !holds(); left--) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return holds();
}

describe('being stopped', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'by %s in the middle of a round leaves nothing behind',
    async (signal) => {
      using rig = new Rig(works);
      const running = await gateInARound(rig);
      running.child.kill(signal);
      const [code] = await running.closed;
      expect(code, running.err).toBe(130);
      expect(running.err).toContain('nothing was decided');
      expect(rig.leftovers()).toEqual(nothing);
    },
  );

  it('by Ctrl-C in a terminal, which every process of the foreground gets, leaves nothing behind', async () => {
    using rig = new Rig(works);
    const running = await gateInARound(rig);
    process.kill(-running.child.pid!, 'SIGINT');
    const [code] = await running.closed;
    expect(code, running.err).toBe(130);
    expect(running.err).not.toContain('defect');
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('during set-up ends what set-up had started', async () => {
    const build = `
      import { spawn } from 'node:child_process';
      import { appendFileSync } from 'node:fs';
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      appendFileSync(process.env.PIDS, process.pid + '\\n' + child.pid + '\\n');
      console.log('compiling');
    `;
    using rig = new Rig({
      baseline: { ...project(service(50), `${start}setup: node build.mjs\n`), 'build.mjs': build },
      candidate: {},
    });
    const running = await gateUntil(rig, 'compiling');
    running.child.kill('SIGINT');
    const [code] = await running.closed;
    expect(code, running.err).toBe(130);
    expect(rig.servicesStarted()).toBeGreaterThan(0);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('while a service is waited for does not wait for start-timeout', async () => {
    const never = service(50).replace("response.end('ok')", "response.writeHead(503).end('starting')");
    using rig = new Rig({ baseline: project(never), candidate: {} });
    const running = await gateUntil(rig, 'What it will be able to see');
    expect(await until(() => rig.servicesStarted() === 2, 10)).toBe(true);
    const began = performance.now();
    running.child.kill('SIGINT');
    const [code] = await running.closed;
    expect(code, running.err).toBe(130);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it.each([
    ['SIGINT', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
  ] as const)('by %s and %s at once leaves no worktree in the list of git', async (first, second) => {
    using rig = new Rig(works);
    const running = await gateInARound(rig);
    process.kill(-running.child.pid!, first);
    await new Promise((resolve) => setTimeout(resolve, 50));
    process.kill(-running.child.pid!, second);
    const [code] = await running.closed;
    expect(code, running.err).toBe(130);
    expect(running.err).toMatch(
      /cancelled: nothing was decided, and everything that was started has been \w+\n$/,
    );
    expect(await until(() => rig.leftovers().pids.length === 0, 2)).toBe(true);
    expect(rig.leftovers()).toEqual(nothing);
  });

  it('twice, when a service ignores TERM for long, kills the service at once', async () => {
    const stubborn = service(50, "process.on('SIGTERM', () => {});");
    const settings = `${start}stop: { signal: SIGTERM, grace: 60s }\n`;
    using rig = new Rig({ baseline: project(stubborn, settings), candidate: {} });
    const running = await gateUntil(rig, 'What it will be able to see');
    expect(await until(() => rig.servicesStarted() === 2, 10)).toBe(true);
    running.child.kill('SIGINT');
    expect(await until(() => running.err.includes('SIGINT: '), 5)).toBe(true);
    running.child.kill('SIGINT');
    const [code] = await running.closed;
    expect(code, running.err).toBe(130);
    expect(await until(() => rig.leftovers().pids.length === 0, 2)).toBe(true);
    expect(rig.leftovers().files).toEqual([]);
  });

  it('by SIGKILL leaves what the next job ends and removes', async () => {
    using rig = new Rig(works);
    const { child, closed } = await gateInARound(rig);
    child.kill('SIGKILL');
    await closed;
    expect(rig.leftovers().worktrees).toBe(2);
    const next = await rig.run('gate', '--baseline', 'main', '--start', 'node gone.mjs');
    expect(next.code, next.err).toBe(4);
    expect(rig.leftovers()).toEqual(nothing);
  });

  // No process can clean up after its own SIGKILL: services and worktrees stay. In the action the post step ends them.
  it('by SIGKILL ends the generator too, since its owner is gone', async () => {
    using rig = new Rig(works);
    const { child, closed } = await gateInARound(rig);
    const generators = childrenOf(child.pid!).filter((pid) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('generator.js'),
    );
    expect(generators).toHaveLength(1);
    child.kill('SIGKILL');
    await closed;
    expect(await until(() => !/^State:\t[^Z]/m.test(statusOf(generators[0]!)), 5)).toBe(true);
  });
});
