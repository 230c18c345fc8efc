// CPU a request of the unchanged demo service under the load of the series: what a planted share is a share of.
import { execFile, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @returns microseconds. @throws Error where the kernel has no schedstat, naming the way out. */
export async function costOfRequest({ cli, repository, rate, scratch, signal }) {
  const port = await freePort();
  const service = spawn(process.execPath, ['server.mjs'], {
    cwd: repository,
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
    signal,
  });
  service.on('error', () => undefined);
  try {
    await answering(port, signal);
    const url = `http://127.0.0.1:${port}/`;
    const json = join(scratch, 'load.json');
    const load = (seconds) =>
      run(
        process.execPath,
        [cli, 'load', url, '--rate', String(rate), '--duration', `${seconds}s`, '--json', json],
        {
          signal,
        },
      ).catch((problem) => {
        // Unsound is a result, too: the requests were sent and answered.
        if (problem.code !== 3) throw problem;
      });
    await load(4);
    const before = cpuOf(service.pid);
    await load(6);
    const spent = cpuOf(service.pid) - before;
    return spent / JSON.parse(readFileSync(json, 'utf8')).ok / 1000;
  } finally {
    service.kill('SIGKILL');
  }
}

/** Nanoseconds of all threads. */
function cpuOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]))
      .reduce((sum, nanoseconds) => sum + nanoseconds, 0);
  } catch (cause) {
    throw new Error(
      'the CPU time of the service cannot be read here; give --slow cpu=9us instead of a share',
      {
        cause,
      },
    );
  }
}

async function answering(port, signal) {
  for (let attempt = 0; attempt < 100; attempt++) {
    signal.throwIfAborted();
    const answered = await fetch(`http://127.0.0.1:${port}/`).then(
      (response) => response.ok,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the demo service did not answer within 5 s');
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
