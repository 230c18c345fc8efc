/** The folder of one job of a command, with its ledger: whatever ends the command, what it started is ended too. */
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemporaryFolder, onDisk } from '../kernel/folders.ts';
import { type Ledger, openLedger, sweep, sweepNow } from '../kernel/leftovers.ts';
import { killChildrenNow, readProcess } from '../kernel/processes.ts';

const prefix = 'tailgate-job-';
const ledgerIn = (folder: string): string => join(folder, 'leftovers.jsonl');
const ownerIn = (folder: string): string => join(folder, 'owner.json');

/** Runs a job with a ledger that is swept afterwards, also when this process has to end at once. */
export async function withLedger<Result>(job: (ledger: Ledger) => Promise<Result>): Promise<Result> {
  await sweepKilledJobs();
  const folder = makeTemporaryFolder(prefix);
  const ledger = openLedger(ledgerIn(folder));
  const endNow = (): void => {
    // A git that is under way would go on making what is removed here.
    killChildrenNow();
    sweepNow(ledger.path);
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', endNow);
  try {
    onDisk(folder, () =>
      writeFileSync(ownerIn(folder), JSON.stringify(ownerOf(process.pid)), { mode: 0o600 }),
    );
    return await job(ledger);
  } finally {
    await sweep(ledger.path);
    process.off('exit', endNow);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One process for ever: numbers start anew in each container, and after a while on any machine. */
interface Owner {
  readonly pid: number;
  readonly start: number | null;
  readonly numbering: string | null;
}

/**
 * Ends and removes what jobs of this user left behind whose process was killed (SIGKILL, or too little memory). A job
 * whose process is alive, or cannot be known to be dead, is left alone. Never throws.
 */
async function sweepKilledJobs(): Promise<void> {
  for (const folder of jobFolders()) {
    if (!isOfTheDead(folder)) continue;
    const { failed } = await sweep(ledgerIn(folder));
    if (failed.length > 0) continue;
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // The next job tries again.
    }
  }
}

function jobFolders(): readonly string[] {
  try {
    return readdirSync(tmpdir())
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(tmpdir(), name));
  } catch {
    return [];
  }
}

function isOfTheDead(folder: string): boolean {
  try {
    // What a ledger names is removed: one that another user may have written is none.
    const { uid, mode } = lstatSync(folder);
    if (uid !== process.getuid?.() || (mode & 0o77) !== 0) return false;
    const owner = JSON.parse(readFileSync(ownerIn(folder), 'utf8')) as Owner;
    const now = ownerOf(owner.pid);
    return owner.start !== null && owner.numbering === now.numbering && owner.start !== now.start;
  } catch {
    return false;
  }
}

function ownerOf(pid: number): Owner {
  return { pid, start: readProcess(pid)?.start ?? null, numbering: numbering() };
}

/** Whose process numbers these are; null where the system has one set of them, or does not tell. */
function numbering(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}
