// autocannon at a fixed rate in a process of its own, so that its CPU time is its own: node autocannon.mjs URL RATE SECONDS
import autocannon from 'autocannon';

const [url, rate, seconds] = process.argv.slice(2);
const cpuBefore = process.cpuUsage();
const from = performance.now();
const result = await autocannon({
  url,
  connections: 10,
  duration: Number(seconds),
  overallRate: Number(rate),
});
const cpu = process.cpuUsage(cpuBefore);
console.log(
  JSON.stringify({
    cpuPercent: (cpu.user + cpu.system) / 10 / (performance.now() - from),
    requests: result.requests.total,
    latencyMs: { p50: result.latency.p50, p90: result.latency.p90, p99: result.latency.p99 },
  }),
);
