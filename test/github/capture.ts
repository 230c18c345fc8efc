/** What is written to standard output while something runs: the runner reads its commands there. */
export async function written(work: () => unknown): Promise<string> {
  const original = process.stdout.write;
  const chunks: string[] = [];
  process.stdout.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    chunks.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
    const done = rest.find((one) => typeof one === 'function') as (() => void) | undefined;
    done?.();
    return true;
  }) as typeof process.stdout.write;
  try {
    await work();
  } finally {
    process.stdout.write = original;
  }
  return chunks.join('');
}

/** Runs with these variables set, or unset where undefined, and puts everything back. */
export async function withVariables<Answer>(
  variables: Readonly<Record<string, string | undefined>>,
  work: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  const apply = ([name, value]: readonly [string, string | undefined]) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  Object.entries(variables).forEach(apply);
  try {
    return await work();
  } finally {
    before.forEach(apply);
  }
}
