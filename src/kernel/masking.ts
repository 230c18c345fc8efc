/** Takes the values of secrets out of text before anyone reads it: logs, errors, reports. */

/** Variables whose values nobody should read. */
const secretName = /(TOKEN|SECRET|KEY|PASSWORD)$/i;
/** Shorter values would blot out half of every text. */
const shortestSecret = 6;

export type Mask = (text: string) => string;

/** @param environments variables by name; later ones add to earlier ones. */
export function maskFor(...environments: readonly Readonly<Record<string, string | undefined>>[]): Mask {
  const values = environments
    .flatMap((environment) => Object.entries(environment))
    .filter(([name, value]) => secretName.test(name) && (value ?? '').length >= shortestSecret)
    .map(([, value]) => value!)
    // The longest first: one secret may begin with another.
    .sort((one, other) => other.length - one.length);
  return (text) => values.reduce((masked, value) => masked.replaceAll(value, '***'), text);
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
