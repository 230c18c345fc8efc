// The generator's peak memory over a long run: 60 s at 5,000 requests a second.
import { load, row, startResponder, target } from './rigs.mjs';

export async function memory() {
  console.log('memory: 60 s at 5,000/s');
  const responder = await startResponder();
  try {
    const run = await load(responder.url, 5000, '60s');
    const peakMb = run.generator.peakMemoryBytes / 1e6;
    row('tailgate 5000/s', {
      'peak MB': peakMb,
      scheduled: run.scheduled,
      ok: run.ok,
      'CPU %': run.generator.cpuPercent,
    });
    target('generator memory ≤ 200 MB', peakMb, peakMb <= 200);
  } finally {
    await responder.stop();
  }
}
