/** A terminal that remembers what was printed and told, for tests that call the command line in this process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../src/cli.ts';

export class Desk implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'desk-'));

  write(name: string, content: string | Uint8Array): string {
    writeFileSync(join(this.directory, name), content);
    return name;
  }

  /** @param args of the command line; one that is no text is added to the environment. */
  async run(
    ...args: (string | Readonly<Record<string, string>>)[]
  ): Promise<{ code: number; out: string; err: string }> {
    let out = '';
    let err = '';
    const argv = args.filter((one) => typeof one === 'string');
    const added = args.filter((one) => typeof one !== 'string');
    const code = await main(argv, {
      directory: this.directory,
      environment: Object.assign({}, process.env, ...added),
      signal: new AbortController().signal,
      print: (text) => {
        out += `${text}\n`;
      },
      tell: (text) => {
        err += `${text}\n`;
      },
      interactive: false,
    });
    return { code, out, err };
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
