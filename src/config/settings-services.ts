/** Where the cost of a side is read, which other counters there are, and what runs beside the sides. */
import type { Nanoseconds } from '../kernel/units.ts';
import type { StatusRange, Tolerance } from './settings.ts';

/** A page in the text format of Prometheus. */
export interface EndpointSettings {
  readonly path: string;
  /** null: of the service itself. A number, or `{services.NAME.port}`. */
  readonly port: string | null;
}

/** Where the CPU time of a side is read. Labels and paths may hold `{port}` and `{side}`. */
export type CostSettings =
  | { readonly kind: 'process-tree' }
  | {
      readonly kind: 'prometheus';
      readonly endpoint: EndpointSettings;
      /** A counter in seconds. */
      readonly metric: string;
      readonly labels: Readonly<Record<string, string>>;
    }
  /** The directory of a cgroup, version 2. */
  | { readonly kind: 'cgroup'; readonly path: string };

/** A counter whose growth per successful request is a row of its own. */
export interface CounterSettings {
  readonly name: string;
  readonly endpoint: EndpointSettings;
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  /** null: shown, never judged. */
  readonly judge: Tolerance | null;
}

/** Something that the sides need and that we start: a database, a cache. */
export interface CompanionSettings {
  readonly name: string;
  readonly start: string;
  readonly startTimeout: Nanoseconds;
  readonly ready: /** Its port takes connections. */
    | { readonly kind: 'port' }
    | { readonly kind: 'path'; readonly path: string; readonly status: readonly StatusRange[] }
    /** The command ends with 0. */
    | { readonly kind: 'command'; readonly command: string };
  readonly stop: { readonly signal: NodeJS.Signals; readonly grace: Nanoseconds };
  readonly env: Readonly<Record<string, string>>;
  /** `side`: one for each side, started anew in every round; `shared`: one for the whole job. */
  readonly scope: 'shared' | 'side';
  /** Run before every round; null = nothing. */
  readonly reset: string | null;
  /** Whether its CPU time is part of its side's. */
  readonly countCost: boolean;
}

/** A command that gives a side the data it started with; run before each of its rounds. */
export interface ResetSettings {
  /** null: nothing. */
  readonly command: string | null;
  /** Of this one, and of those of companions. */
  readonly timeout: Nanoseconds;
}
