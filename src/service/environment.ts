/** What of our own environment a service may see: everything but what gives power over the job. */

const commandFiles = new Set([
  'GITHUB_ENV',
  'GITHUB_OUTPUT',
  'GITHUB_PATH',
  'GITHUB_STATE',
  'GITHUB_STEP_SUMMARY',
]);

/**
 * The environment for code of a pull request: without inputs of the action, credentials of the runner, tokens of
 * any kind and the files through which a step talks to the runner. A service that needs a token of its own gets it
 * through `env` in tailgate.yml, where it is named.
 */
export function withoutSecrets(
  base: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    if (value === undefined || isWithheld(name.toUpperCase())) continue;
    kept[name] = value;
  }
  return kept;
}

function isWithheld(name: string): boolean {
  return (
    name.startsWith('INPUT_') ||
    name.startsWith('ACTIONS_') ||
    // `STATE_…` is what main saved for the post step.
    name.startsWith('STATE_') ||
    /(^|_)TOKEN$/.test(name) ||
    commandFiles.has(name)
  );
}

/** The start command with every `{port}` replaced. */
export function withPort(command: string, port: number): string {
  return command.replaceAll('{port}', String(port));
}
