/** A service in a process of its own, for load to be sent at: quick, slow, or stopped for a while. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const source = `
const busyMs = Number(process.argv[1]);
require('node:http').createServer((request, response) => {
  const until = performance.now() + busyMs;
  while (performance.now() < until);
  response.setHeader('content-length', '2');
  response.end('ok');
}).listen(0, '127.0.0.1', function () {
  this.keepAliveTimeout = 60000;
  console.log(this.address().port);
});
`;

/** As little as a service can do: more requests a second than one generator can send. */
const bareSource = `
const answer = Buffer.from('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\nok');
require('node:net').createServer({ noDelay: true }, (socket) => {
  socket.on('error', () => {});
  socket.on('data', () => socket.write(answer));
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port);
});
`;

export interface LoadService extends AsyncDisposable {
  readonly origin: string;
  readonly pid: number;
  /** Stops the whole process for a while; resolves to how long it really stood still, in milliseconds. */
  freeze(durationMs: number): Promise<number>;
}

/** @param busyMs how long a request keeps the service's only thread busy. */
export const loadService = (busyMs = 0): Promise<LoadService> => startService(source, String(busyMs));

/** A service that answers one request a packet, as every request on loopback is. */
export const bareService = (): Promise<LoadService> => startService(bareSource);

/** A service of test/capacity/services, such as `admission`. */
export const capacityService = (name: string): Promise<LoadService> =>
  startProcess([fileURLToPath(new URL(`../capacity/services/${name}.mjs`, import.meta.url))]);

const startService = (code: string, ...args: readonly string[]): Promise<LoadService> =>
  startProcess(['-e', code, ...args]);

async function startProcess(args: readonly string[]): Promise<LoadService> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = (await once(child.stdout, 'data')) as [Buffer];
  const gone = once(child, 'exit');
  return {
    origin: `http://127.0.0.1:${said.toString().trim()}`,
    pid: child.pid!,
    async freeze(durationMs) {
      const from = performance.now();
      child.kill('SIGSTOP');
      await sleep(durationMs);
      child.kill('SIGCONT');
      return performance.now() - from;
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

export const sleep = (durationMs: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, durationMs));
