/** The written forms of single values in tailgate.yml: what is accepted, and the sentence that says so. */
import type { StatusRange } from './settings.ts';

/** A form as the schema uses it: `wanted` ends the sentence "…, wanted …" of a problem. */
export interface Form {
  readonly pattern: RegExp;
  readonly wanted: string;
}

/** Durations as `parseDuration` reads them, with a unit. */
export const durationPattern = /^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/;
export const ratioForm: Form = { pattern: /^\d+(\.\d+)?\s*%$/, wanted: 'wanted a share such as 5%' };
export const pointsForm: Form = {
  pattern: /^\d+(\.\d+)?\s*points?$/,
  wanted: 'wanted percentage points such as 0.1 points',
};
export const nameForm: Form = {
  // No slash and no backtick: names stand in `scenario/metric` and in tables.
  pattern: /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,58}[A-Za-z0-9._-])?$/,
  wanted: 'wanted 1 to 60 letters, digits, spaces, dots, dashes or underscores, a letter or digit first',
};
/** A path in which `${…}` may stand, also at its start. Each character can be read in one way only: no backtracking. */
export const pathTemplateForm: Form = {
  pattern: /^(?=\/|\$\{)(?:[!"%-~]|\$\{[^}\n]*\}|\$(?!\{))*$/,
  wanted:
    'wanted a path that starts with / and has no spaces, # or unescaped letters beyond ASCII (/caf%C3%A9); templates may stand in it',
};
export const fileForm: Form = {
  pattern: /^(?!\/)(?![A-Za-z]:)(?!(?:.*[\\/])?\.\.(?:[\\/]|$))[^\0]*[^\0/\\]$/,
  wanted: 'wanted a file inside the repository, relative to the project, without ..',
};
/** Certificates may lie anywhere, so that they need not be in the repository. */
export const tlsFileForm: Form = {
  pattern: /^[^\0]*[^\0/\\]$/,
  wanted: 'wanted a file in PEM, relative to the project or absolute',
};
export const serverNameForm: Form = {
  pattern: /^(?!\d+(\.\d+){3}$)[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?$/,
  wanted: 'wanted a host name such as localhost, no address',
};
export const sizeForm: Form = {
  pattern: /^\d+(\.\d+)?\s*(B|KB|KiB|MB|MiB)?$/,
  wanted: 'wanted a size such as 200, 2KB or 1MB',
};
export const pointerForm: Form = {
  pattern: /^(\/[^\0]*)?$/,
  wanted: 'wanted a JSON pointer such as /items/0/id',
};
export const pathForm: Form = {
  // What a request line can carry: printable ASCII without space and without the fragment sign.
  pattern: /^\/[!"$-~]*$/,
  wanted:
    'wanted a path that starts with / and has no spaces, # or unescaped letters beyond ASCII (/caf%C3%A9)',
};
export const commandForm: Form = {
  pattern: /^[^\0]*[^\s\0][^\0]*$/,
  wanted: 'wanted a command such as node server.js',
};
export const revisionForm: Form = {
  // A leading dash would be read as an option by git.
  pattern: /^(?!.*\.\.)[^\s\0:?*[\\-][^\s\0:?*[\\]*$/,
  wanted: 'wanted merge-base, previous, or a branch, tag or commit',
};
export const directoryForm: Form = {
  pattern: /^(?!\/)(?![A-Za-z]:)(?!(?:.*[\\/])?\.\.(?:[\\/]|$))[^\0]+$/,
  wanted: 'wanted a directory inside the repository, relative to its root, without ..',
};
export const globForm: Form = {
  pattern: /^[^\s\0](?:[^\0]*[^\s\0])?$/,
  wanted: 'wanted a glob such as src/**',
};
export const dateForm: Form = {
  pattern: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
  wanted: 'wanted a day such as 2027-01-31',
};
export const ceilingWanted = 'wanted a share such as 12%, or points such as 2 points for tail and errors';
export const variableForm: Form = {
  pattern: /^[A-Za-z_][A-Za-z0-9_]*$/,
  wanted: 'wanted a name of letters, digits and underscores, no digit first',
};

export const statusWanted = 'wanted a status such as 200 or 2xx, or a list of them';
/** One status or class of statuses as text; a bare number is accepted beside it. */
export const statusPattern = /^[1-5](xx|\d\d)$/;

/** Reads `2xx`, `200` or 200; null when it is none of them. */
export function parseStatus(value: string | number): StatusRange | null {
  const text = String(value);
  if (!statusPattern.test(text)) return null;
  const from = Number(text.replace('xx', '00'));
  return { from, to: text.endsWith('xx') ? from + 99 : from };
}

const sizeUnits = { B: 1, KB: 1000, KiB: 1024, MB: 1e6, MiB: 1024 ** 2 } as const;

/** Reads `200`, `2KB`, `1.5MiB` in bytes; null when the text has another form. */
export function parseSize(value: string | number): number | null {
  const match = /^(\d+(?:\.\d+)?)\s*(B|KB|KiB|MB|MiB)?$/.exec(String(value).trim());
  if (match === null) return null;
  return Math.round(Number(match[1]) * sizeUnits[(match[2] ?? 'B') as keyof typeof sizeUnits]);
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** What the HTTP client refuses to send, or writes by itself (undici 7, lib/core/request.js). */
const clientHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
]);

/** What is wrong with a header, as a sentence; null when it can be sent. Values are not repeated: they may be secret. */
export function headerProblem(name: string, value: string): string | null {
  if (!headerName.test(name)) return 'wanted a header name of letters, digits and dashes';
  if (clientHeaders.has(name.toLowerCase())) {
    return `the HTTP client sets \`${name.toLowerCase()}\` itself: remove this header`;
  }
  if (!headerValue.test(value)) return 'its value has characters that no header can carry: encode it';
  return null;
}

/** What is wrong with a variable of the service's environment, as a sentence; null when it can be set. */
export function variableProblem(name: string, value: string): string | null {
  if (!variableForm.pattern.test(name)) return variableForm.wanted;
  if (name === 'PORT') {
    return 'Tailgate sets PORT, a different one for each side: remove it, or use {port} in `start`';
  }
  if (value.includes('\0')) return 'its value has a zero byte, which no environment can carry';
  return null;
}

/**
 * Replaces `${NAME}` by a variable of the job; `$${` stands for a plain `${`.
 * @returns the text, and the names that the job does not have.
 */
export function fillVariables(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly text: string; readonly missing: readonly string[] } {
  const missing: string[] = [];
  const filled = text.replace(/(\$?)\$\{([^}]*)\}/g, (whole, sign: string, name: string) => {
    if (sign !== '') return whole.slice(1);
    const value = environment[name];
    if (value === undefined) missing.push(name);
    return value ?? '';
  });
  return { text: filled, missing };
}
