/** The words of the file on cost and counters → the settings of the house. */
import type { FileSettings } from './schema.ts';
import type { CostSettings, CounterSettings, EndpointSettings } from './settings-services.ts';

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
