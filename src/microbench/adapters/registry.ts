/** Every adapter, in the order in which a document is offered to them. */
import type { Format } from '../../kernel/words.ts';
import type { Adapter } from './adapter.ts';
import { autocannon } from './autocannon.ts';
import { bencher } from './bencher.ts';
import { benchmarkJs } from './benchmark-js.ts';
import { benchmarkDotNet } from './benchmarkdotnet.ts';
import { catch2 } from './catch2.ts';
import { criterion } from './criterion.ts';
import { criterionEstimates } from './criterion-estimates.ts';
import { criterionMessages } from './criterion-messages.ts';
import { customBiggerIsBetter, customSmallerIsBetter, githubActionBenchmark } from './custom.ts';
import { tailgateEvidence } from './evidence.ts';
import { goBench } from './go-bench.ts';
import { googleBenchmark } from './google-benchmark.ts';
import { hdrLog } from './hdr-log.ts';
import { hyperfine } from './hyperfine.ts';
import { jmh } from './jmh.ts';
import { k6 } from './k6.ts';
import { libtest } from './libtest.ts';
import { mitata } from './mitata.ts';
import { oha } from './oha.ts';
import { pyperf } from './pyperf.ts';
import { pytestBenchmark } from './pytest-benchmark.ts';
import { tinybench } from './tinybench.ts';
import { vegeta } from './vegeta.ts';
import { vitest } from './vitest.ts';
import { wrk, wrk2 } from './wrk.ts';

export { parseFormat } from '../../kernel/formats.ts';

/** At equal confidence the earlier one wins, so the order is part of what `auto` promises. */
export const adapters: readonly Adapter[] = [
  tailgateEvidence,
  goBench,
  criterion,
  libtest,
  catch2,
  benchmarkJs,
  wrk2,
  wrk,
  hdrLog,
  googleBenchmark,
  pytestBenchmark,
  pyperf,
  jmh,
  benchmarkDotNet,
  hyperfine,
  mitata,
  vitest,
  tinybench,
  k6,
  autocannon,
  oha,
  vegeta,
  criterionEstimates,
  criterionMessages,
  githubActionBenchmark,
  customSmallerIsBetter,
  customBiggerIsBetter,
  bencher,
];

export function adapterOf(format: Format): Adapter {
  return adapters.find((adapter) => adapter.format === format)!;
}
