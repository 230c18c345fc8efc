/** Entry point of the process in front of a service: starts it, passes every byte on, and adds what was planted. */
import { spawn } from 'node:child_process';
import { msToNs, secondsToNs } from '../kernel/units.ts';
import { realClock } from '../kernel/world.ts';
import { withPort } from './environment.ts';
import { frontVariable, readFrontOrder } from './front-order.ts';
import { addressOf, startFront } from './front-proxy.ts';

/** How often the service is looked for until it listens, and after its first process has gone. */
const pause = msToNs(20);
const watchPause = msToNs(200);
/** A service whose first process ended well may be a daemon that is about to listen. */
const daemonPatience = secondsToNs(30);

const order = readFrontOrder(process.env[frontVariable]);
const outer = Number(process.env['PORT']);
const { [frontVariable]: _, ...inherited } = process.env;
const child = spawn(withPort(order.start, order.port), {
  shell: true,
  env: { ...inherited, PORT: String(order.port) },
  stdio: ['ignore', 'inherit', 'inherit'],
});

/** Set as soon as the service listens: until then this process does not listen either. */
let answered = false;

child.once('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
child.once('exit', (code, signal) => {
  // Whoever watches this process shall see the service's own end.
  if (signal !== null) process.kill(process.pid, signal);
  else if (code !== 0) process.exit(code ?? 1);
  else void endWithDaemon();
});

async function endWithDaemon(): Promise<never> {
  const until = realClock.now() + daemonPatience;
  for (;;) {
    const alive = (await addressOf(order.port)) !== null;
    if (!alive && (answered || realClock.now() > until)) process.exit(0);
    await realClock.sleep(watchPause);
  }
}

let address = await addressOf(order.port);
while (address === null) {
  await realClock.sleep(pause);
  address = await addressOf(order.port);
}
answered = true;
await startFront({
  host: address,
  port: outer,
  servicePort: order.port,
  planted: order.planted,
  clock: realClock,
});
