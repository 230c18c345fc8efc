// What one and two senders keep sound on this machine, beyond what one is meant for. Not pinned: the senders share the CPUs.
import { evenness, load, row, startResponder } from './rigs.mjs';

const seconds = Number(process.env.SECONDS ?? 6);

export async function senders() {
  console.log(`senders: ${seconds} s each, senders and responder on the same CPUs`);
  const responder = await startResponder({ pin: false });
  try {
    for (const rate of [10_000, 15_000, 20_000]) {
      for (const count of [1, 2]) {
        await responder.arrivals();
        const run = await load(responder.url, rate, `${seconds}s`, {
          pin: false,
          flags: ['--senders', String(count)],
        });
        const seen = evenness(await responder.arrivals(), rate);
        row(`${count} sender${count === 1 ? '' : 's'} ${rate}/s`, {
          'released /s': run.releasedPerSecond,
          'lateness ms p50': run.latenessMs.p50,
          p99: run.latenessMs.p99,
          'on time %': run.onTimeShare * 100,
          'CPU %': run.generator.cpuPercent,
          'busy %': run.generator.utilisation * 100,
          'gap CV': seen.gapCv,
          'off grid ms p50': seen.offGridMs.p50,
          'response ms p50': run.responseTimeMs.p50,
          sound: run.sound ? 'yes' : run.reasons.join('+'),
        });
      }
    }
  } finally {
    await responder.stop();
  }
}
