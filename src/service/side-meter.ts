/** What one side has used so far, from the source that the configuration names, with the other counters of its endpoint. */
import type { CostSettings, CounterSettings, EndpointSettings } from '../config/settings-services.ts';
import { assertNever } from '../kernel/errors.ts';
import type { Bytes } from '../kernel/units.ts';
import { bytes, secondsToNs } from '../kernel/units.ts';
import type { CostSample } from './cost.ts';
import { type CpuReading, readCgroupCpu, readCgroupMemory } from './cost-cgroup.ts';
import { type CounterReading, readCounter } from './prometheus.ts';
import { type Page, type PageAddress, scrape } from './scrape.ts';

/** Read at one moment; everything in it only grows, unless a process was started anew. */
export interface SideReading {
  readonly cpu: CpuReading;
  /** By the name of the counter. */
  readonly counters: Readonly<Record<string, CounterReading>>;
}

export interface SideMeter {
  /** Never rejects: what cannot be read is part of the reading. */
  read(): Promise<SideReading>;
  /** Whether a reading makes the service work: a metrics page is rendered by the service itself. */
  readonly disturbs: boolean;
  /** The highest memory of all readings; null where the source does not tell. */
  peakMemory(): Bytes | null;
  /** False when values were read and all of them were ticks of 10 ms. */
  precise(): boolean;
}

export interface SideMeterOptions {
  readonly cost: CostSettings;
  readonly counters: readonly CounterSettings[];
  /** The process trees whose CPU time is this side's: that of its service, and of companions that count. */
  readonly trees: readonly {
    readonly cost: () => CostSample | null;
    readonly peakMemory: () => Bytes | null;
  }[];
  /** Where the service answers, and how it is asked there. */
  readonly target: PageAddress;
  /** Puts in what is known only now: `{port}`, `{side}`, ports of companions. */
  readonly fill: (text: string) => string;
}

export function sideMeter(options: SideMeterOptions): SideMeter {
  const { counters, target, fill } = options;
  const labelsOf = (labels: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, fill(value)]));
  const page = (endpoint: EndpointSettings): PagePlace => ({
    at: endpoint.port === null ? target : withPort(target, fill(endpoint.port)),
    path: endpoint.path,
  });
  const wanted = counters.map((counter) => ({
    name: counter.name,
    page: page(counter.endpoint),
    metric: counter.metric,
    labels: labelsOf(counter.labels),
  }));
  const cpu = cpuSource(options, page, labelsOf);
  return {
    disturbs: cpu.page !== null || wanted.length > 0,
    peakMemory: cpu.peakMemory,
    precise: cpu.precise,
    read: async () => {
      // Before the page is asked for: a process tree's own time for rendering it then falls into the next stretch.
      const early = cpu.page === null ? cpu.read('') : null;
      const pages = await readPages([
        ...(cpu.page === null ? [] : [cpu.page]),
        ...wanted.map((one) => one.page),
      ]);
      const counted = wanted.map(({ name, page: at, metric, labels }) => {
        const found = pages.get(keyOf(at))!;
        return [name, found.kind === 'page' ? readCounter(found.text, metric, labels) : found] as const;
      });
      return {
        cpu: early ?? fromPage(pages.get(keyOf(cpu.page!))!, cpu.read),
        counters: Object.fromEntries(counted),
      };
    },
  };
}

interface PagePlace {
  readonly at: PageAddress;
  readonly path: string;
}

interface CpuSource {
  /** null: read without asking the service. */
  readonly page: PagePlace | null;
  readonly read: (text: string) => CpuReading;
  readonly peakMemory: () => Bytes | null;
  readonly precise: () => boolean;
}

function cpuSource(
  { cost, trees, fill }: SideMeterOptions,
  page: (endpoint: EndpointSettings) => PagePlace,
  labelsOf: (labels: Readonly<Record<string, string>>) => Record<string, string>,
): CpuSource {
  let highest: Bytes | null = null;
  const see = (memory: Bytes | null): void => {
    if (memory !== null) highest = bytes(Math.max(highest ?? 0, memory));
  };
  switch (cost.kind) {
    case 'process-tree': {
      let precise = false;
      return {
        page: null,
        read: () => {
          const samples = trees.map((tree) => tree.cost());
          const known = samples.filter((sample) => sample !== null);
          if (known.length < samples.length) {
            return {
              kind: 'unread',
              reason: `the CPU time of processes cannot be read on ${process.platform}`,
            };
          }
          precise = known.every((sample) => sample.precise);
          return { kind: 'read', cpu: total(known.map((sample) => sample.cpu)) };
        },
        peakMemory: () => {
          const peaks = trees.map((tree) => tree.peakMemory()).filter((peak) => peak !== null);
          return peaks.length === 0 ? null : total(peaks);
        },
        precise: () => precise,
      };
    }
    case 'prometheus': {
      const labels = labelsOf(cost.labels);
      let precise = false;
      let known = false;
      return {
        page: page(cost.endpoint),
        read: (text) => {
          const seconds = readCounter(text, cost.metric, labels);
          if (seconds.kind === 'none') return { kind: 'unread', reason: seconds.reason };
          const memory = readCounter(text, 'process_resident_memory_bytes', labels);
          if (memory.kind === 'value') see(bytes(memory.value));
          const ticks = seconds.value * 100;
          known = true;
          precise ||= Math.abs(ticks - Math.round(ticks)) > 1e-6;
          return { kind: 'read', cpu: secondsToNs(seconds.value) };
        },
        peakMemory: () => highest,
        precise: () => precise || !known,
      };
    }
    case 'cgroup': {
      const directory = fill(cost.path);
      return {
        page: null,
        read: () => {
          see(readCgroupMemory(directory));
          return readCgroupCpu(directory);
        },
        peakMemory: () => highest,
        precise: () => true,
      };
    }
    default:
      return assertNever(cost);
  }
}

const fromPage = (page: Page, read: CpuSource['read']): CpuReading =>
  page.kind === 'page' ? read(page.text) : { kind: 'unread', reason: page.reason };

/** Each page once, one after the other. */
async function readPages(wanted: readonly PagePlace[]): Promise<ReadonlyMap<string, Page>> {
  const pages = new Map<string, Page>();
  for (const one of wanted) {
    const key = keyOf(one);
    if (!pages.has(key)) pages.set(key, await scrape(one.at, one.path));
  }
  return pages;
}

const keyOf = ({ at, path }: PagePlace): string => `${at.origin}${path}`;

/** Another port of the same address. Its page is plain HTTP: exporters have no certificate of the service. */
function withPort({ origin }: PageAddress, port: string): PageAddress {
  return { origin: `http://${new URL(origin).hostname}:${port}` };
}

const total = <Unit extends number>(values: readonly Unit[]): Unit =>
  values.reduce<number>((sum, value) => sum + value, 0) as Unit;
