// Ours and other load generators against the same responder in one run, seen from outside: evenness of the sends by
// kernel time stamps, CPU time, and what each reports of a freeze of one second.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { evenness, onCore, startResponder } from './rigs.mjs';
import { findTools } from './tools.mjs';

const rates = [200, 1000, 5000];
const freeze = { seconds: 6, at: 2, length: 1, rates: [200, 1000] };
const canDump = spawnSync('sh', ['-c', 'command -v tcpdump && [ "$(id -u)" = 0 ]']).status === 0;

export const peersOptions = { seconds: { type: 'string' } };

export async function peers(values) {
  const seconds = Number(values.seconds ?? 10);
  const { tools, remove } = await findTools();
  const seen = canDump
    ? 'by time stamps of the kernel (tcpdump)'
    : 'by the responder itself, since there is no tcpdump for root';
  console.log(
    `peers: ${seconds} s each, sends seen ${seen}; generators on one core, the responder on the other`,
  );
  try {
    for (const rate of rates) await sends(tools, rate, seconds);
    for (const rate of freeze.rates) await frozen(tools, rate);
  } finally {
    remove();
  }
}

async function sends(tools, rate, seconds) {
  console.log(
    `\n| ${rate}/s | sent | off grid p50 ms | p99 ms | gap CV | CPU s |\n|:--|--:|--:|--:|--:|--:|`,
  );
  for (const tool of tools.filter((one) => one.fixedRate)) {
    const responder = await startResponder();
    try {
      const dump = canDump ? await startDump(new URL(responder.url).port) : null;
      const { cpu } = await timed(tool.command(responder.url, rate, seconds));
      const came = dump === null ? await responder.arrivals() : await dump.stop();
      const even = evenness(came, rate);
      const cells = [even.offGridMs.p50, even.offGridMs.p99, even.gapCv, cpu].map(digits);
      console.log(`| ${tool.name} | ${came.length.toLocaleString('en-US')} | ${cells.join(' | ')} |`);
    } finally {
      await responder.stop();
    }
  }
}

/** A constant schedule through a freeze: shots due while it lasts wait for its end. */
const impliedP99 = (rate) => {
  const shots = rate * freeze.seconds;
  const waits = Array.from({ length: shots }, (_, index) => {
    const due = index / rate;
    return due >= freeze.at && due < freeze.at + freeze.length ? freeze.at + freeze.length - due : 0;
  }).sort((a, b) => a - b);
  return waits[Math.ceil(shots * 0.99) - 1] * 1e3;
};

async function frozen(tools, rate) {
  const implied = impliedP99(rate);
  console.log(
    `\n| ${rate}/s through a freeze of ${freeze.length} s | reported p99 ms | the schedule implies ms |\n|:--|--:|--:|`,
  );
  for (const tool of tools) {
    const responder = await startResponder();
    try {
      // The first request starts the clock of the freeze, so that a slow start of a tool does not move it.
      responder.freeze(freeze.at * 1e3, freeze.length * 1e3);
      const { output } = await timed(tool.command(responder.url, rate, freeze.seconds));
      const p99 = tool.p99(output);
      console.log(`| ${tool.name} | ${p99 === null ? 'not found' : digits(p99)} | ${digits(implied)} |`);
    } finally {
      await responder.stop();
    }
  }
}

/** Runs a command to its end: what it printed, and user and system time of all its processes in seconds. */
async function timed(command) {
  const [bash, ...rest] = onCore(0, ['bash', '-c', 'TIMEFORMAT="cpu %U %S"; time "$@"', 'bash', ...command]);
  const child = spawn(bash, rest, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (errors += data));
  await once(child, 'close');
  const found = /cpu ([\d.]+) ([\d.]+)/.exec(errors);
  return { output, cpu: found === null ? Number.NaN : Number(found[1]) + Number(found[2]) };
}

/** Time stamps in ns of packets that carry a request to `port`. */
async function startDump(port) {
  const filter = `tcp dst port ${port} and (tcp[tcpflags] & tcp-push != 0)`;
  const child = spawn('tcpdump', ['-i', 'lo', '-nn', '-tt', '-q', '-l', filter], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (data) => (text += data));
  // It says so when it listens.
  await once(child.stderr, 'data');
  return {
    async stop() {
      child.kill('SIGINT');
      await once(child, 'close');
      const times = text
        .split('\n')
        .map((line) => Number.parseFloat(line))
        .filter(Number.isFinite);
      const first = times[0] ?? 0;
      return Float64Array.from(times, (at) => (at - first) * 1e9);
    },
  };
}

const digits = (value) =>
  Number.isFinite(value) ? (value >= 100 ? value.toFixed(0) : value.toPrecision(3)) : 'n/a';
