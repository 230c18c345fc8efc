/** JSON pointers (RFC 6901). Pure. */

/** The value a pointer leads to; undefined where there is none. The empty pointer is the whole value. */
export function valueAtPointer(json: unknown, pointer: string): unknown {
  if (pointer === '') return json;
  let value = json;
  for (const step of pointer.slice(1).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value;
}
