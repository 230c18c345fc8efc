/** The real bundle as a process that needs no repository. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from './gate-rig.ts';

export interface CommandRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A folder that commands run in, removed with what they wrote. */
export class CommandRig implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'command-'));

  /** @param interruptAfter a text of standard error after which the command gets one Ctrl-C. */
  run(args: readonly string[], interruptAfter: string | null = null): Promise<CommandRun> {
    const child = spawn(process.execPath, [bundle, ...args], {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err, interrupted] = ['', '', false];
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      err += data;
      if (interruptAfter === null || interrupted || !err.includes(interruptAfter)) return;
      interrupted = true;
      child.kill('SIGINT');
    });
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
  }

  write(name: string, content: unknown): void {
    writeFileSync(join(this.folder, name), JSON.stringify(content));
  }

  text(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  json<Content>(name: string): Content {
    return JSON.parse(this.text(name)) as Content;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
