/** How the generator itself fares during a slice: CPU, busy loop, garbage pauses, timers that come late. */
import type { IntervalHistogram } from 'node:perf_hooks';
import { monitorEventLoopDelay, PerformanceObserver, performance } from 'node:perf_hooks';
import type { Nanoseconds } from '../kernel/units.ts';
import { msToNs, ns } from '../kernel/units.ts';
import type { WakeLateness } from './metronome.ts';
import { monotonicNow } from './metronome.ts';
import type { GeneratorHealth } from './protocol.ts';

const resolution = msToNs(10);

/** What the driver knows and this watch does not. */
export interface DriverFigures {
  /** Time spent spinning towards due times: chosen, not suffered. */
  readonly spun: Nanoseconds;
  readonly metronome: WakeLateness;
  readonly poolQueued: number;
  readonly socketsOpened: number;
}

/** Watches from its making until `endOfLoad`; the drain, in which there is nothing to do, would water the figures down. */
export class HealthWatch {
  readonly #start = monotonicNow();
  readonly #cpuStart = process.cpuUsage();
  readonly #loopStart = performance.eventLoopUtilization();
  readonly #startedAt: number;
  readonly #delay: IntervalHistogram;
  readonly #garbage: PerformanceObserver;
  readonly #pauses: number[] = [];
  #load: { wall: Nanoseconds; cpu: Nanoseconds; active: Nanoseconds } | null = null;

  /** @param startedAt the moment on the scale of garbage collection entries, `performance.now()`. */
  constructor(startedAt: number) {
    this.#startedAt = startedAt;
    this.#delay = monitorEventLoopDelay({ resolution: resolution / 1e6 });
    this.#delay.enable();
    this.#garbage = new PerformanceObserver((list) => {
      // What was collected on purpose before the slice may still be reported now.
      for (const entry of list.getEntries()) {
        if (entry.startTime >= this.#startedAt) this.#pauses.push(entry.duration);
      }
    });
    this.#garbage.observe({ entryTypes: ['gc'] });
  }

  /** The last shot was handed over. */
  endOfLoad(): void {
    if (this.#load !== null) return;
    const cpu = process.cpuUsage(this.#cpuStart);
    const loop = performance.eventLoopUtilization(this.#loopStart);
    this.#load = {
      wall: ns(monotonicNow() - this.#start),
      cpu: ns((cpu.user + cpu.system) * 1e3),
      active: msToNs(loop.active),
    };
    this.#delay.disable();
  }

  report(figures: DriverFigures): GeneratorHealth {
    this.endOfLoad();
    this.#garbage.disconnect();
    const { wall, cpu, active } = this.#load!;
    const late = (value: number): Nanoseconds =>
      ns(this.#delay.count === 0 ? 0 : Math.max(0, value - resolution));
    const pause = this.#pauses.reduce((sum, duration) => sum + duration, 0);
    return {
      wall,
      cpu,
      utilisation: Math.min(1, Math.max(0, active - figures.spun) / wall),
      eventLoopDelay: {
        p50: late(this.#delay.percentile(50)),
        p99: late(this.#delay.percentile(99)),
        max: late(this.#delay.max),
      },
      metronomeLateness: {
        p50: figures.metronome.p50,
        p99: figures.metronome.p99,
        max: figures.metronome.max,
      },
      garbageCollection: {
        count: this.#pauses.length,
        total: msToNs(pause),
        longest: msToNs(Math.max(0, ...this.#pauses)),
      },
      peakMemory: process.resourceUsage().maxRSS * 1024,
      poolQueued: figures.poolQueued,
      socketsOpened: figures.socketsOpened,
    };
  }
}
