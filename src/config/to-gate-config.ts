/** The words of the file → the settings of the house: camel case and brands. */
import { perSecond, ratio } from '../kernel/units.ts';
import type { FileSettings } from './schema.ts';
import { defaultBenchGlobs } from './schema-judging.ts';
import { toTransport } from './schema-transport.ts';
import type { GateConfig, MicrobenchmarkSettings } from './settings.ts';
import { toScenario } from './to-scenario.ts';
import { toCompanions, toCost, toCounters } from './to-services.ts';

/** Every `env` of a file with the job's variables put in. */
export interface FilledEnvironments {
  readonly plain: Readonly<Record<string, string>>;
  /** What refers to companions. */
  readonly linked: Readonly<Record<string, string>>;
  /** Of each of `services`. */
  readonly services: readonly Readonly<Record<string, string>>[];
}

export function toGateConfig(file: FileSettings, env: FilledEnvironments): GateConfig {
  return {
    setup: file.setup.trim(),
    setupTimeout: file['setup-timeout'],
    start: file.start.trim(),
    startTimeout: file['start-timeout'],
    workingDirectory: file['working-directory'],
    env: env.plain,
    linkedEnv: env.linked,
    ready: file.ready,
    stop: file.stop,
    listenerCheck: file['listener-check'] === 'on' || file['listener-check'] === true,
    baseline: file.baseline,
    paths: file.paths,
    submodules: file.submodules,
    lfs: file.lfs,
    arrivals: file.arrivals,
    timeout: file.timeout,
    maxSockets: file['max-sockets'],
    maxInFlight: file['max-in-flight'],
    senders: file.senders,
    transport: toTransport(file.transport),
    scenarios: file.scenarios.map((scenario) => toScenario(scenario, file.rate)),
    microbenchmarks: toMicrobenchmarks(file.microbenchmarks),
    services: toCompanions(file.services, env.services),
    reset: { command: file.reset.trim() === '' ? null : file.reset.trim(), timeout: file['reset-timeout'] },
    cost: toCost(file.cost),
    metrics: toCounters(file.metrics),
    timeBudget: file['time-budget'],
    rounds: file.rounds,
    slices: file.slices,
    sliceRequests: file['slice-requests'],
    warmUp: {
      requests: file['warm-up'].requests,
      rate: file['warm-up'].rate === 'auto' ? 'auto' : perSecond(file['warm-up'].rate),
      most: file['warm-up'].most,
    },
    confirm: file.confirm,
    seed: file.seed === 'random' ? null : file.seed,
    judge: {
      p50: file.judge.p50,
      p99: file.judge.p99,
      cpu: file.judge.cpu,
      cpuTotal: file.judge['cpu-total'],
      tail: file.judge.tail,
      errors: file.judge.errors,
      microbenchmarks: file.judge.microbenchmarks,
    },
    onDifferentBody: file['on-different-body'],
    failOn: [...new Set(file['fail-on'])],
    onBaselineFailure: file['on-baseline-failure'],
    waivers: file.waivers.map((waiver) => ({ ...waiver, ceiling: ratio(waiver.ceiling) })),
    trustConfig: file['trust-config'],
    comment: file.comment,
  };
}

function toMicrobenchmarks(
  entries: FileSettings['microbenchmarks'] = [...defaultBenchGlobs],
): MicrobenchmarkSettings {
  const suites = entries
    .filter((entry) => typeof entry !== 'string')
    .map(({ name, command, format, exec }) =>
      command === undefined
        ? { kind: 'execution' as const, name, exec: exec! }
        : { kind: 'command' as const, name, command, format: format ?? ('auto' as const) },
    );
  const files = entries.filter((entry) => typeof entry === 'string');
  return { files, declared: files.join('\n') !== defaultBenchGlobs.join('\n'), suites };
}
