/** A reference service in a process of its own, and the real bundle sent at it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RampResult } from '../../src/capacity/result.ts';
import { bundle } from './gate-rig.ts';

export const serviceFile = (name: string): string =>
  fileURLToPath(new URL(`../capacity/services/${name}.mjs`, import.meta.url));

export interface RampRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  /** null: none was written. */
  readonly result: RampResult | null;
}

/**
 * @param args of the command; `JSON` and the address of the service are added.
 * @param interruptAfter a text of standard error after which it gets one Ctrl-C.
 */
export async function rampOn(
  service: string,
  args: readonly string[],
  interruptAfter: string | null = null,
): Promise<RampRun> {
  const folder = mkdtempSync(join(tmpdir(), 'ramp-'));
  const child = spawn(process.execPath, [serviceFile(service)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const gone = once(child, 'exit');
  try {
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const url = `http://127.0.0.1:${said.toString().trim()}/`;
    const json = join(folder, 'result.json');
    const command = spawn(process.execPath, [bundle, 'ramp', url, ...args, '--json', json], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err, interrupted] = ['', '', false];
    command.stdout.on('data', (data) => {
      out += data;
    });
    command.stderr.on('data', (data) => {
      err += data;
      if (interruptAfter === null || interrupted || !err.includes(interruptAfter)) return;
      interrupted = true;
      command.kill('SIGINT');
    });
    const [code] = (await once(command, 'close')) as [number | null];
    return { code, out, err, result: readResult(json) };
  } finally {
    child.kill('SIGKILL');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  }
}

function readResult(file: string): RampResult | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as RampResult;
  } catch {
    return null;
  }
}
