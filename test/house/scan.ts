/** Reads source text the way the rules of the house need it: imports, comments set aside, and who may import whom. */

export interface Import {
  readonly from: string;
  /** `import type`: nothing of it is left at run time. */
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** Relative to src/, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** From the ground floor up; a room may name types only of rooms before it. */
export const rooms = [
  'kernel',
  'config',
  'imports',
  'builds',
  'service',
  'load',
  'microbench',
  'evidence',
  'verdict',
  'capacity',
  'report',
  'github',
] as const;

/** Folders of shells: they may import everything, and no room imports them. */
export const shells = ['commands'] as const;

/** Who else may call evidence/histogram.ts. */
const histogramCallers = /^(verdict|report|capacity)\/|^load\/generator\.ts$|^microbench\/child\.ts$/;

/** Text without comments; strings that hold comment signs behind white space do not occur in this code. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/(^|\s)\/\/.*$/gm, '$1');
}

/** Every import and re-export of a text, static and dynamic. */
export function importsOf(text: string): readonly Import[] {
  const code = withoutComments(text);
  const found: Import[] = [];
  for (const match of code.matchAll(
    /^\s*(?:import|export)\s+(type\s+)?(?:[\w*{][^;'"]*?\sfrom\s+)?['"]([^'"]+)['"]/gm,
  )) {
    found.push({ from: match[2]!, typeOnly: match[1] !== undefined });
  }
  for (const match of code.matchAll(/\bimport\(\s*['"`]([^'"`]+)['"`]/g)) {
    // `typeof import('…')` and `import('…').Type` are written as import type in this house.
    found.push({ from: match[1]!, typeOnly: false });
  }
  return found;
}

/** The file in src/ that a relative import names; null for packages and what lies outside src/. */
export function targetOf(path: string, from: string): string | null {
  if (!from.startsWith('.')) return null;
  const url = new URL(from, `file:///src/${path}`);
  return url.pathname.startsWith('/src/') ? url.pathname.slice('/src/'.length) : null;
}

/** `@scope/name` or `name` of a package import; null for files and for Node's own modules. */
export function packageOf(from: string): string | null {
  if (from.startsWith('.') || from.startsWith('node:')) return null;
  return from
    .split('/')
    .slice(0, from.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The first folder of a path; null at the top of src/, where shells and conductors live. */
export const roomOf = (path: string): string | null => (path.includes('/') ? path.split('/')[0]! : null);

const isShell = (room: string | null): boolean =>
  room === null || (shells as readonly string[]).includes(room);

/** What is wrong with one import, as a sentence; null when the arrow may stand. */
export function arrowProblem(path: string, one: Import): string | null {
  const room = roomOf(path);
  const target = targetOf(path, one.from);
  if (isShell(room) || target === null) return null;
  const targetRoom = roomOf(target);
  if (targetRoom === room) return null;
  if (isShell(targetRoom)) return `${path} imports ${target}: no room imports a shell or a conductor`;
  if (targetRoom === 'kernel') return null;
  if (target === 'evidence/histogram.ts' && histogramCallers.test(path)) return null;
  // The generator hands its histograms to the rest of its own process: the load room may name their type.
  if (target === 'evidence/histogram.ts' && room === 'load' && one.typeOnly) return null;
  if (!one.typeOnly) return `${path} imports values of ${target}: have the conductor hand them over`;
  const order = rooms as readonly (string | null)[];
  if (order.indexOf(targetRoom) < order.indexOf(room)) return null;
  return `${path} imports types of ${target}, a room below it`;
}

/** Names that say nothing about what is inside. */
export const emptyName =
  /(^|\/)(index|utils?|helpers?|managers?|common)(\.ts$|\/)|(-|^|\/)(utils?|helpers?|manager)\.ts$/;

/** Time and chance taken from the machine instead of an argument. A socket's own `setTimeout` is none of these. */
export function clockWords(text: string): readonly string[] {
  const words =
    /\bDate\.now\b|\bperformance\.now\b|(?<![.\w])set(?:Timeout|Interval)\b|\bMath\.random\b|\bhrtime\b|\bnew Date\(\)|\bnode:timers\b/g;
  return [...withoutComments(text).matchAll(words)].map((match) => match[0]);
}
