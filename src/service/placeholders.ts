/** What is known only when something is started, put into the texts of the configuration: `{port}`, `{services.db.port}` and their like. Pure. */
import type { Side } from '../kernel/words.ts';

/** Where a companion is. */
export interface CompanionPlace {
  readonly port: number;
  /** null where nothing asked for one. */
  readonly directory: string | null;
}

/** What may stand in a text; what is not given stays as it was written. */
export interface Places {
  readonly port?: number;
  readonly side?: Side | null;
  readonly directory?: string | null;
  /** Companions by name. */
  readonly services?: ReadonlyMap<string, CompanionPlace>;
}

/** `{port}`, `{side}`, `{directory}`, `{services.NAME.port}`, `{services.NAME.directory}`. */
const pattern = /\{(?:(port|side|directory)|services\.([A-Za-z0-9_-]+)\.(port|directory))\}/g;

export function fillPlaces(text: string, places: Places): string {
  return text.replace(
    pattern,
    (written: string, own?: 'port' | 'side' | 'directory', name?: string, of?: string) => {
      const value =
        own === undefined
          ? places.services?.get(name!)?.[of as keyof CompanionPlace]
          : (places[own] ?? undefined);
      return value === undefined || value === null ? written : String(value);
    },
  );
}

export const fillAll = (
  texts: Readonly<Record<string, string>>,
  places: Places,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fillPlaces(text, places)]));
