// How punctual and how cheap the generator is at 1,000, 5,000 and 10,000 requests a second, beside autocannon.
import { autocannon, evenness, load, pinned, row, startResponder, target } from './rigs.mjs';

const seconds = Number(process.env.SECONDS ?? 20);

export async function pacing() {
  console.log(
    `pacing: ${seconds} s each, ${pinned ? 'generator and responder on a core each' : 'not pinned'}`,
  );
  const responder = await startResponder();
  try {
    for (const rate of [1000, 5000, 10_000]) {
      await responder.arrivals();
      const run = await load(responder.url, rate, `${seconds}s`);
      const seen = evenness(await responder.arrivals(), rate);
      row(`tailgate ${rate}/s`, {
        'lateness ms p50': run.latenessMs.p50,
        p90: run.latenessMs.p90,
        p99: run.latenessMs.p99,
        'on time %': run.onTimeShare * 100,
        'CPU %': run.generator.cpuPercent,
        'busy %': run.generator.utilisation * 100,
        'gap CV': seen.gapCv,
        'off grid ms p50': seen.offGridMs.p50,
        'response ms p50': run.responseTimeMs.p50,
        p99_: run.responseTimeMs.p99,
        dropped: run.dropped,
        sound: run.sound ? 'yes' : run.reasons.join('+'),
      });
      judge(rate, run, seen);
      await responder.arrivals();
      const other = await autocannon(responder.url, rate, seconds);
      const otherSeen = evenness(await responder.arrivals(), rate);
      row(`autocannon ${rate}/s`, {
        'CPU %': other.cpuPercent,
        'gap CV': otherSeen.gapCv,
        'off grid ms p50': otherSeen.offGridMs.p50,
        requests: other.requests,
        'response ms p50': other.latencyMs.p50,
        p99_: other.latencyMs.p99,
      });
    }
  } finally {
    await responder.stop();
  }
}

function judge(rate, run, seen) {
  const { latenessMs, onTimeShare, generator } = run;
  if (rate === 1000) {
    target('lateness p50 ≤ 0.05 ms', latenessMs.p50, latenessMs.p50 <= 0.05);
    target('lateness p90 ≤ 0.2 ms', latenessMs.p90, latenessMs.p90 <= 0.2);
    target('≥ 95 % within 0.5 ms', onTimeShare * 100, onTimeShare >= 0.95);
    target('generator CPU ≤ 20 %', generator.cpuPercent, generator.cpuPercent <= 20);
    target('gap CV ≤ 0.4', seen.gapCv, seen.gapCv <= 0.4);
  } else if (rate === 5000) {
    target('lateness p50 ≤ 0.2 ms', latenessMs.p50, latenessMs.p50 <= 0.2);
    target('nothing dropped', run.dropped, run.dropped === 0);
  } else {
    target('sound', run.sound ? 'yes' : run.reasons.join(', '), run.sound);
  }
}
