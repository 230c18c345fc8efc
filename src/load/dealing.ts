/** One slice dealt to several senders and their results added up again: as if one had sent it. Pure. */
import type { LatencyHistogram } from '../evidence/histogram.ts';
import { type Nanoseconds, ns } from '../kernel/units.ts';
import type { CheckResults } from './checks.ts';
import type { Fit } from './fit.ts';
import type {
  GeneratorHealth,
  PreparedRequest,
  ShotCounts,
  SliceHistograms,
  SliceOrder,
  SliceResult,
} from './protocol.ts';

/** What one sender keeps sound on a small virtual machine (docs/figures.md). */
export const soundRate = 10_000;

/**
 * As many senders as the rate wants, one each 10,000/s; but a CPU must be left for what they send to.
 * @param rate requests a second at most.
 */
export function sendersFor(wanted: number | 'auto', rate: number, cpus: number): number {
  if (wanted !== 'auto') return wanted;
  return Math.max(1, Math.min(Math.ceil(rate / soundRate), Math.floor(cpus) - 1));
}

/** A part of an order, and where its shots were in the whole. */
export interface Hand {
  readonly order: SliceOrder;
  /** Of the first counted shot, after the start of the slice. */
  readonly firstDue: number;
  /** Counted shots of the whole before its first one, and between two of its own. */
  readonly first: number;
  readonly step: number;
}

/**
 * Deals shot by shot: sender j of n gets the shots j, j + n, j + 2n, …, so that each keeps an even grid of its own,
 * shifted against the others', and none sends in bunches.
 * @param senders at most as many hands; each counts a shot at least.
 */
export function deal(order: SliceOrder, senders: number): readonly Hand[] {
  const { due, sequence, leadIn } = order.schedule;
  const hands = Math.max(1, Math.min(senders, due.length - leadIn));
  return Array.from({ length: hands }, (_, hand) => {
    const own = Math.ceil((due.length - hand) / hands);
    const ownLeadIn = Math.ceil(Math.max(0, leadIn - hand) / hands);
    const shots = Array.from({ length: own }, (_, index) => hand + index * hands);
    const { requests, places } = usedOf(
      order.requests,
      shots.map((shot) => sequence[shot]!),
    );
    return {
      order: {
        ...order,
        requests,
        schedule: {
          due: Float64Array.from(shots, (shot) => due[shot]!),
          sequence: places,
          leadIn: ownLeadIn,
        },
        maxSockets: Math.ceil(order.maxSockets / hands),
        maxInFlight: Math.ceil(order.maxInFlight / hands),
      },
      firstDue: due[hand + ownLeadIn * hands]!,
      first: hand + ownLeadIn * hands - leadIn,
      step: hands,
    };
  });
}

/** The requests that one sender needs: where every shot has one of its own, nobody gets those of the others. */
function usedOf(
  requests: readonly PreparedRequest[],
  wanted: readonly number[],
): { readonly requests: readonly PreparedRequest[]; readonly places: Uint16Array } {
  const places = new Map<number, number>();
  for (const index of wanted) if (!places.has(index)) places.set(index, places.size);
  return {
    requests: [...places.keys()].map((index) => requests[index]!),
    places: Uint16Array.from(wanted, (index) => places.get(index)!),
  };
}

/**
 * Adds the results of all hands up: counts and histograms by adding, the worst of what tells whether a sender kept up.
 * @param merge adds histograms that were encoded.
 */
export function gather(
  hands: readonly Hand[],
  results: readonly SliceResult[],
  merge: (encoded: readonly string[]) => LatencyHistogram,
): SliceResult {
  const from = Math.min(...hands.map((hand) => hand.firstDue));
  const until = (length: (result: SliceResult) => number): Nanoseconds =>
    ns(Math.max(...results.map((result, index) => hands[index]!.firstDue + length(result))) - from);
  const sum = (value: (result: SliceResult) => number) => total(results.map(value));
  const histogram = (name: keyof SliceHistograms) =>
    merge(results.map(({ histograms }) => histograms[name])).encode();
  const right = results.filter(({ counts }) => counts.ok > 0).map(({ bodies }) => bodies);
  const checks = results.flatMap((result) => result.checks ?? []);
  return {
    counts: addedCounts(results.map(({ counts }) => counts)),
    released: sum(({ released }) => released),
    onTime: sum(({ onTime }) => onTime),
    span: until(({ span }) => span),
    fit: worstFit(results.map(({ fit }) => fit)),
    elapsed: until(({ elapsed }) => elapsed),
    inFlight: {
      halfway: sum(({ inFlight }) => inFlight.halfway),
      atEnd: sum(({ inFlight }) => inFlight.atEnd),
      // An upper bound: they need not have peaked together.
      peak: sum(({ inFlight }) => inFlight.peak),
    },
    errors: addedNames(results.map(({ errors }) => errors)),
    statuses: addedNames(results.map(({ statuses }) => statuses)),
    bodies: {
      minBytes: right.length === 0 ? 0 : Math.min(...right.map(({ minBytes }) => minBytes)),
      maxBytes: Math.max(...results.map(({ bodies }) => bodies.maxBytes)),
      totalBytes: sum(({ bodies }) => bodies.totalBytes),
      checksums: Object.fromEntries(
        results.flatMap(({ bodies }, index) => {
          const { first, step } = hands[index]!;
          return Object.entries(bodies.checksums).map(([place, checksum]) => [
            String(first + Number(place) * step),
            checksum,
          ]);
        }),
      ),
    },
    histograms: {
      response: histogram('response'),
      onTime: histogram('onTime'),
      success: histogram('success'),
      service: histogram('service'),
      lateness: histogram('lateness'),
    },
    ...(checks.length === 0 ? {} : { checks: addedChecks(checks) }),
    generator: addedHealth(results.map(({ generator }) => generator)),
  };
}

const mostSamples = 5;

function addedChecks(parts: readonly CheckResults[]): CheckResults {
  const sum = (value: (part: CheckResults) => number) => total(parts.map(value));
  const samples = parts.flatMap((part) => part.samples);
  const differ = samples.filter(
    (one, index) => samples.findIndex(({ check, got }) => check === one.check && got === one.got) === index,
  );
  return {
    answers: sum(({ answers }) => answers),
    looked: sum(({ looked }) => looked),
    failed: sum(({ failed }) => failed),
    samples: differ.slice(0, mostSamples),
  };
}

function addedCounts(parts: readonly ShotCounts[]): ShotCounts {
  const sum = (name: keyof ShotCounts) => total(parts.map((part) => part[name]));
  return {
    scheduled: sum('scheduled'),
    ok: sum('ok'),
    failed: sum('failed'),
    timedOut: sum('timedOut'),
    dropped: sum('dropped'),
    unfinished: sum('unfinished'),
  };
}

function addedNames(parts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const all: Record<string, number> = {};
  for (const part of parts) {
    for (const [name, count] of Object.entries(part)) all[name] = (all[name] ?? 0) + count;
  }
  return all;
}

/** Of the sender that strayed furthest from its own plan. */
function worstFit(parts: readonly Fit[]): Fit {
  return parts.reduce((worst, part) => (part.distance > worst.distance ? part : worst));
}

/** CPU, memory and sockets are those of all; how busy and how late is that of the worst. */
function addedHealth(parts: readonly GeneratorHealth[]): GeneratorHealth {
  const sum = (value: (part: GeneratorHealth) => number) => total(parts.map(value));
  const most = (value: (part: GeneratorHealth) => number) => Math.max(...parts.map(value));
  const delays = (name: 'eventLoopDelay' | 'metronomeLateness') => ({
    p50: ns(most((part) => part[name].p50)),
    p99: ns(most((part) => part[name].p99)),
    max: ns(most((part) => part[name].max)),
  });
  return {
    wall: ns(most(({ wall }) => wall)),
    cpu: ns(sum(({ cpu }) => cpu)),
    utilisation: most(({ utilisation }) => utilisation),
    eventLoopDelay: delays('eventLoopDelay'),
    metronomeLateness: delays('metronomeLateness'),
    garbageCollection: {
      count: sum(({ garbageCollection }) => garbageCollection.count),
      total: ns(sum(({ garbageCollection }) => garbageCollection.total)),
      longest: ns(most(({ garbageCollection }) => garbageCollection.longest)),
    },
    peakMemory: sum(({ peakMemory }) => peakMemory),
    poolQueued: sum(({ poolQueued }) => poolQueued),
    socketsOpened: sum(({ socketsOpened }) => socketsOpened),
  };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
