/** Imports between TypeScript files as people write them: `./parse.js` and `./parse` for parse.ts, which Node takes literally. */
import * as nodeModule from 'node:module';

/** The part of Node's hooks (22.15, 23.5 and later) that is used here. */
interface Hooks {
  registerHooks?: (hooks: { resolve: Resolve }) => unknown;
}
interface Context {
  readonly parentURL?: string;
}
type Next = (specifier: string, context: Context) => unknown;
type Resolve = (specifier: string, context: Context, next: Next) => unknown;

let registered = false;

/** From now on a relative import of a TypeScript file that finds nothing is looked for once more. Only where Node has hooks. */
export function resolveTypeScript(): void {
  const { registerHooks } = nodeModule as Hooks;
  if (registered || registerHooks === undefined) return;
  registered = true;
  registerHooks({
    resolve: (specifier, context, next) => {
      try {
        return next(specifier, context);
      } catch (error) {
        for (const other of isOurs(specifier, context) ? spellings(specifier) : []) {
          try {
            return next(other, context);
          } catch {
            // Not this one either; the first error is the one that names what was written.
          }
        }
        throw error;
      }
    },
  });
}

function isOurs(specifier: string, context: Context): boolean {
  return /^\.{1,2}(\/|$)/.test(specifier) && /\.[cm]?tsx?$/.test(context.parentURL ?? '');
}

/** What a compiler would have looked for. */
export function spellings(specifier: string): readonly string[] {
  const script = /^(.*)\.([cm]?)jsx?$/.exec(specifier);
  if (script !== null) return [`${script[1]}.${script[2]}ts`];
  const folder = specifier.replace(/\/$/, '');
  return [`${folder}.ts`, `${folder}.mts`, `${folder}/index.ts`];
}
