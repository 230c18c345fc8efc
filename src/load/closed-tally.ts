/** What became of the counted shots of a closed loop, added up as they end. Pure. */
import type { LatencyHistogram } from '../evidence/histogram.ts';
import { TailgateError } from '../kernel/errors.ts';
import type { Nanoseconds } from '../kernel/units.ts';
import { ns } from '../kernel/units.ts';
import type { Turn } from './closed.ts';
import type { ClosedResult } from './protocol.ts';

export type ClosedOutcome = 'ok' | 'failed' | 'timedOut' | 'unfinished';

export class ClosedTally {
  readonly #timeout: Nanoseconds;
  readonly #counts = { sent: 0, ok: 0, failed: 0, timedOut: 0, unfinished: 0, unsent: 0 };
  readonly #errors: Record<string, number> = {};
  readonly #statuses: Record<string, number> = {};
  readonly #response: LatencyHistogram;
  readonly #success: LatencyHistogram;
  readonly #service: LatencyHistogram;
  readonly #held: LatencyHistogram;
  readonly #lateness: LatencyHistogram;

  constructor(timeout: Nanoseconds, newHistogram: () => LatencyHistogram) {
    this.#timeout = timeout;
    this.#response = newHistogram();
    this.#success = newHistogram();
    this.#service = newHistogram();
    this.#held = newHistogram();
    this.#lateness = newHistogram();
  }

  sent(turn: Turn, at: Nanoseconds): void {
    if (!turn.counted) return;
    this.#counts.sent++;
    this.#lateness.record(ns(Math.max(0, at - turn.ready)));
  }

  answered(turn: Turn, status: number, right: boolean, service: Nanoseconds): void {
    if (!turn.counted) return;
    count(this.#statuses, String(status));
    this.#service.record(service);
    if (!right) count(this.#errors, `status ${status}`);
  }

  failed(turn: Turn, cause: string): void {
    if (turn.counted) count(this.#errors, cause);
  }

  /** Errors count in `response` at no less than the time-out, so that a fast one never improves a percentile. */
  ended(turn: Turn, sentAt: Nanoseconds, at: Nanoseconds, outcome: ClosedOutcome): void {
    if (!turn.counted) return;
    const age = ns(at - turn.from);
    const isError = outcome === 'failed' || outcome === 'timedOut';
    this.#counts[outcome]++;
    this.#response.record(isError ? ns(Math.max(age, this.#timeout)) : age);
    this.#held.record(ns(at - sentAt));
    if (outcome === 'ok') this.#success.record(age);
  }

  /** A scheduled shot that was never sent, at its age when the run ended. */
  unsent(age: Nanoseconds): void {
    this.#counts.unsent++;
    this.#response.record(age);
  }

  /** @throws TailgateError `invalid` when sent is not ok + failed + timed out + unfinished. */
  result(): Pick<ClosedResult, 'counts' | 'errors' | 'statuses' | 'histograms'> {
    const counts = this.#counts;
    const ended = counts.ok + counts.failed + counts.timedOut + counts.unfinished;
    if (ended !== counts.sent || this.#response.count !== counts.sent + counts.unsent) {
      throw new TailgateError({
        code: 'invalid',
        message: `${counts.sent} requests were sent, but ${ended} are accounted for (${JSON.stringify(counts)})`,
        hint: 'This is a fault of Tailgate; please report it.',
      });
    }
    return {
      counts,
      errors: this.#errors,
      statuses: this.#statuses,
      histograms: {
        response: this.#response.encode(),
        success: this.#success.encode(),
        service: this.#service.encode(),
        held: this.#held.encode(),
        lateness: this.#lateness.encode(),
      },
    };
  }
}

function count(into: Record<string, number>, key: string): void {
  into[key] = (into[key] ?? 0) + 1;
}
