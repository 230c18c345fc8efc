/** Takes the values of secrets out of text before anyone reads it: logs, errors, reports. */
import { TailgateError } from './errors.ts';

/** Variables whose values nobody should read. */
const secretName = /(TOKEN|SECRET|KEY|PASSWORD)$/i;
/** Fields, parameters and headers whose values nobody should read. */
const secretField =
  /token|secret|passw|pwd|api_?-?key|^key$|^sig$|signature|credential|^code$|session|^auth|jwt|(^|[^a-z])otp|otp$|assertion/i;
/** Shorter values would blot out half of every text. */
const shortestSecret = 6;

export type Mask = (text: string) => string;

/** Whether what stands in a field, a parameter or a header of that name should not be shown or copied. */
export const isSecretName = (name: string): boolean => secretField.test(name);

/** @param environments variables by name; later ones add to earlier ones. */
export function maskFor(...environments: readonly Readonly<Record<string, string | undefined>>[]): Mask {
  return maskValues(secretValues(...environments));
}

/** The values of variables that are secrets by their name. */
export function secretValues(
  ...environments: readonly Readonly<Record<string, string | undefined>>[]
): readonly string[] {
  return environments
    .flatMap((environment) => Object.entries(environment))
    .filter(([name]) => secretName.test(name))
    .map(([, value]) => value ?? '');
}

/**
 * @param secrets the values themselves; those too short to be told from other text are left in. Each line of a value
 *   counts, and so does every value in Base64, wherever it begins in what was encoded, and in the escapes of addresses
 *   and of JSON.
 */
export function maskValues(secrets: Iterable<string>): Mask {
  const plain = [...secrets]
    .flatMap((value) => [value, ...value.split(/\r?\n/).map((line) => line.trim())])
    .filter(isLong);
  const values = [...new Set(plain.flatMap((value) => [value, ...spellings(value)]))]
    .filter(isLong)
    // The longest first: one secret may begin with another.
    .sort((one, other) => other.length - one.length);
  return (text) => values.reduce((masked, value) => masked.replaceAll(value, '***'), text);
}

const isLong = (value: string): boolean => value.length >= shortestSecret;

/** The characters of Base64 that depend on the value alone, for each of the three places where it may begin. */
function spellings(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const encoded = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const whole = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
  // As scripts encode a value, as our requests do (RFC 3986), and as forms are sent.
  const inAddress = encodeURIComponent(value);
  const strictly = inAddress.replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const inForm = strictly.replaceAll('~', '%7E').replaceAll('%2A', '*').replaceAll('%20', '+');
  return [...encoded, inAddress, strictly, inForm, JSON.stringify(value).slice(1, -1)];
}

/** The same error with every text of it masked. */
export function maskedError(error: TailgateError, mask: Mask): TailgateError {
  const hint = error.hint === undefined ? {} : { hint: mask(error.hint) };
  return new TailgateError({
    code: error.code,
    message: mask(error.message),
    tail: error.tail.map(mask),
    ...hint,
  });
}

/**
 * Runs it, and masks the error it ends with.
 * @param secrets asked for when it ends: others may join them while it runs.
 */
export async function maskingErrors<Result>(
  secrets: () => Iterable<string>,
  run: () => Promise<Result>,
): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    throw error instanceof TailgateError ? maskedError(error, maskValues(secrets())) : error;
  }
}

/**
 * Takes out what a command line itself gives away: values set for or after a name such as `API_KEY` or `--token`,
 * and the user part of addresses. For commands that a workflow wrote with a secret in the middle of them.
 */
export function maskInline(command: string): string {
  return command
    .replace(
      /((?:token|secret|key|password)=|--?[\w-]*(?:token|secret|key|password)\s+)(?!-)("[^"]*"|'[^']*'|\S+)/gi,
      '$1***',
    )
    .replace(/(:\/\/)[^\s/@]+@/g, '$1***@');
}
