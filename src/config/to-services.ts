/** The words of the file on companions, cost and counters → the settings of the house. */
import type { FileSettings } from './schema.ts';
import type {
  CompanionSettings,
  CostSettings,
  CounterSettings,
  EndpointSettings,
} from './settings-services.ts';

export function toCost(file: FileSettings['cost']): CostSettings {
  if (file === 'process-tree') return { kind: 'process-tree' };
  if (file.prometheus === undefined)
    return { kind: 'cgroup', path: file.cgroup!.replace(/\/(cpu\.stat)?$/, '') };
  const { metric, labels } = file.prometheus;
  return { kind: 'prometheus', endpoint: toEndpoint(file.prometheus), metric, labels };
}

export const toCounters = (file: FileSettings['metrics']): readonly CounterSettings[] =>
  file.map(({ name, metric, labels, judge, ...endpoint }) => ({
    name,
    endpoint: toEndpoint(endpoint),
    metric,
    labels,
    judge,
  }));

const toEndpoint = ({ path, port }: { path: string; port: string | number | null }): EndpointSettings => ({
  path,
  port: port === null ? null : String(port),
});

/** @param environments `env` of each with the job's variables put in. */
export const toCompanions = (
  file: FileSettings['services'],
  environments: readonly Readonly<Record<string, string>>[],
): readonly CompanionSettings[] =>
  file.map((one, index) => ({
    name: one.name,
    start: one.start.trim(),
    startTimeout: one['start-timeout'],
    ready: toReady(one.ready),
    stop: one.stop,
    env: environments[index]!,
    scope: one.scope,
    reset: one.reset,
    countCost: one['count-cost'],
  }));

function toReady(ready: FileSettings['services'][number]['ready']): CompanionSettings['ready'] {
  if (ready === 'port') return { kind: 'port' };
  if (ready.command !== undefined) return { kind: 'command', command: ready.command };
  return { kind: 'path', path: ready.path!, status: ready.status ?? [{ from: 200, to: 299 }] };
}
