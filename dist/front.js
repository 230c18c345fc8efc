import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);

// src/service/front.ts
import { spawn } from "node:child_process";

// src/kernel/units.ts
var ns = (value) => value;
var ratio = (value) => value;
var msToNs = (value) => ns(value * 1e6);
var secondsToNs = (value) => ns(value * 1e9);

// src/kernel/world.ts
import { setTimeout as delay } from "node:timers/promises";
var realClock = {
  now: () => ns(Number(process.hrtime.bigint())),
  today: () => /* @__PURE__ */ new Date(),
  sleep: async (duration, signal) => {
    await delay(duration / 1e6, void 0, signal === void 0 ? {} : { signal });
  }
};

// src/service/environment.ts
function withPort(command, port) {
  return command.replaceAll("{port}", String(port));
}

// src/kernel/errors.ts
var TailgateError = class extends Error {
  code;
  hint;
  tail;
  constructor(details) {
    super(details.message, details.cause === void 0 ? void 0 : { cause: details.cause });
    this.name = "TailgateError";
    this.code = details.code;
    this.hint = details.hint;
    this.tail = details.tail ?? [];
  }
};

// src/service/front-order.ts
var nothingPlanted = { cpu: ns(0), delay: ns(0), delayed: ratio(0), held: true };
var frontVariable = "TAILGATE_FRONT";
function readFrontOrder(text) {
  if (text !== void 0) return JSON.parse(text);
  throw new TailgateError({
    code: "usage",
    message: `${frontVariable} is not set: this process is started by tailgate self-test only`,
    hint: "run tailgate self-test"
  });
}

// src/service/front-proxy.ts
import { connect, createServer } from "node:net";

// src/service/listeners.ts
var loopbackAddresses = ["127.0.0.1", "::1"];
var isLittleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;

// src/service/front-proxy.ts
async function addressOf(port) {
  for (const host of loopbackAddresses) if (await answers(host, port)) return host;
  return null;
}
function answers(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
async function startFront(options) {
  const plant = planter(options.planted, options.clock);
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const service = connect({
      host: options.host,
      port: options.servicePort,
      allowHalfOpen: true,
      noDelay: true
    });
    join(client, service, plant);
  });
  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.host, port: options.port }, () => resolve());
  });
  return server;
}
function planter(planted, clock) {
  const burn = planted.cpu > 0 ? burner(clock) : null;
  let due = 0;
  return () => {
    burn?.(planted.cpu);
    if (planted.delay <= 0) return null;
    due += planted.delayed;
    if (due < 1 - 1e-9) return null;
    due -= 1;
    const over = clock.sleep(planted.delay);
    return planted.held ? over : null;
  };
}
function join(client, service, plant) {
  let asked = false;
  const endBoth = () => {
    client.destroy();
    service.destroy();
  };
  const passOn = (bytes) => {
    if (service.write(bytes)) return;
    client.pause();
    service.once("drain", () => client.resume());
  };
  client.on("data", (bytes) => {
    const held = asked ? null : plant();
    asked = true;
    if (held === null) return passOn(bytes);
    client.pause();
    void held.then(() => {
      if (service.destroyed) return;
      client.resume();
      passOn(bytes);
    });
  });
  service.on("data", () => {
    asked = false;
  });
  service.pipe(client);
  client.once("end", () => service.end());
  for (const socket of [client, service]) {
    socket.once("error", endBoth);
    socket.once("close", endBoth);
  }
}
var finest = msToNs(0.1);
var longestProbe = msToNs(50);
function burner(clock) {
  const used = () => {
    const { user, system } = process.cpuUsage();
    return ns((user + system) * 1e3);
  };
  const now = isFine(used, clock) ? used : () => clock.now();
  return (cpu) => {
    const end = now() + cpu;
    while (now() < end) ;
  };
}
function isFine(used, clock) {
  const until = clock.now() + longestProbe;
  for (let before = used(); clock.now() < until; ) {
    const after = used();
    if (after > before && after - before <= finest) return true;
    before = after;
  }
  return false;
}

// src/service/front.ts
var pause = msToNs(20);
var watchPause = msToNs(200);
var daemonPatience = secondsToNs(30);
var order = readFrontOrder(process.env[frontVariable]);
var outer = Number(process.env["PORT"]);
var { [frontVariable]: _, ...inherited } = process.env;
var child = spawn(withPort(order.start, order.port), {
  shell: true,
  env: { ...inherited, PORT: String(order.port) },
  stdio: ["ignore", "inherit", "inherit"]
});
var answered = false;
child.once("error", (error) => {
  process.stderr.write(`${error.message}
`);
  process.exit(127);
});
child.once("exit", (code, signal) => {
  if (signal !== null) process.kill(process.pid, signal);
  else if (code !== 0) process.exit(code ?? 1);
  else void endWithDaemon();
});
async function endWithDaemon() {
  const until = realClock.now() + daemonPatience;
  for (; ; ) {
    const alive = await addressOf(order.port) !== null;
    if (!alive && (answered || realClock.now() > until)) process.exit(0);
    await realClock.sleep(watchPause);
  }
}
var address = await addressOf(order.port);
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
  clock: realClock
});
