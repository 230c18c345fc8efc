/** YAML text → plain values, and the line on which each was written. */
import { isMap, isScalar, isSeq, LineCounter, parseDocument, stringify } from 'yaml';
import { messageOf, TailgateError } from '../kernel/errors.ts';
import type { KeyPath } from './problems.ts';

export interface ConfigDocument {
  readonly keys: Readonly<Record<string, unknown>>;
  /** 1-based line of the key or list item at `path`, or of the nearest one above it; null when there is none. */
  lineOf(path: KeyPath): number | null;
}

/**
 * Reads YAML 1.2, with merge keys (`<<`). An empty text is a file without keys.
 * @throws TailgateError `usage` with line and column: broken syntax, a key twice, unknown tags, no group of keys.
 */
export function parseConfigText(text: string, source: string): ConfigDocument {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, merge: true });
  // A warning (an unknown tag) means that a value was read otherwise than it was written.
  const faults = [...document.errors, ...document.warnings].map((fault) => {
    const { line, col } = counter.linePos(fault.pos[0]);
    const twice = fault.code === 'DUPLICATE_KEY' ? /^[^\s:#]+/.exec(text.slice(fault.pos[0])) : null;
    return `  - line ${line}, column ${col}: ${twice === null ? fault.message : `${twice[0]} stands there twice`}`;
  });
  if (faults.length > 0) {
    const doubled = [...document.errors, ...document.warnings].every(({ code }) => code === 'DUPLICATE_KEY');
    throw syntaxError(source, faults.join('\n'), doubled ? 'keep one of the two' : quoting);
  }
  const value = toPlain(document, source);
  if (value === null || value === undefined) return { keys: {}, lineOf: () => null };
  if (typeof value !== 'object' || Array.isArray(value)) {
    const found = Array.isArray(value) ? 'a list' : JSON.stringify(value);
    throw syntaxError(
      source,
      `  - line 1: ${found} stands at the top, wanted keys such as start: node server.js`,
    );
  }
  return {
    keys: value as Record<string, unknown>,
    lineOf: (path) => {
      const offset = offsetOf(document.contents, path);
      return offset === null ? null : counter.linePos(offset).line;
    },
  };
}

function toPlain(document: ReturnType<typeof parseDocument>, source: string): unknown {
  try {
    return document.toJS();
  } catch (thrown) {
    throw syntaxError(source, `  - ${messageOf(thrown)}`);
  }
}

const quoting = 'put texts with : # { } [ ] , & * ! | > or quotes into quotes, and indent with spaces';

function syntaxError(source: string, faults: string, hint = quoting): TailgateError {
  return new TailgateError({
    code: 'usage',
    message: `${source} cannot be read as YAML:\n${faults}`,
    hint,
  });
}

function offsetOf(contents: unknown, path: KeyPath): number | null {
  let node = contents;
  let offset: number | null = null;
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (pair === undefined) return offset;
      offset = (isScalar(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step];
      offset = (node as { range?: readonly number[] } | undefined)?.range?.[0] ?? offset;
    } else {
      return offset;
    }
  }
  return offset;
}

/** Keys and values as YAML; what the reader of this file reads back is the same. */
export const yamlText = (value: unknown): string =>
  stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
