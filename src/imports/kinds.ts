/** Which kind of file it is, by its name and its first characters. Pure. */

export const kinds = ['access-log', 'har', 'openapi'] as const;
export type Kind = (typeof kinds)[number];

/** @param start of the text; a log in JSON Lines is an access log. */
export function kindOf(name: string, start: string): Kind {
  const file = name.toLowerCase().replace(/\.gz$/, '');
  if (file.endsWith('.har')) return 'har';
  if (/\.ya?ml$/.test(file)) return 'openapi';
  const text = start.replace(/^\ufeff/, '').trimStart();
  if (!text.startsWith('{')) return /^(openapi|swagger):/m.test(text) ? 'openapi' : 'access-log';
  if (/^\{\s*"log"\s*:\s*\{\s*"(version|creator|browser|pages|entries|comment)"/.test(text)) return 'har';
  if (isWhole(text.split('\n', 1)[0]!))
    return file.endsWith('.json') && describes(text) ? 'openapi' : 'access-log';
  if (describes(text)) return 'openapi';
  return /^\{\s*"log"\s*:/.test(text) ? 'har' : 'access-log';
}

const describes = (text: string): boolean => /"(openapi|swagger)"\s*:/.test(text);

/** One line that is an object by itself: a log has one a request. */
function isWhole(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
