/** A set-up that makes the same on both sides although the sources differ: said by the gate, stored, and said again. */
import { describe, expect, it } from 'vitest';
import { nothing, Rig, type Run, service, tinyPlan } from './gate-rig.ts';

interface EvidenceFile {
  readonly identicalBuilds: boolean;
  readonly revisions: Readonly<
    Record<'baseline' | 'candidate', { readonly sha: string; readonly outputHash: string | null }>
  >;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}
interface VerdictFile {
  readonly verdict: string;
  readonly identicalBuilds: boolean;
  readonly warnings: readonly { readonly code: string }[];
}

/** As a reader reads it: without the breaks of lines. */
const plain = (text: string): string => text.replace(/\s+/g, ' ');
const said = (run: Run): string => `${run.out}\n${run.err}`;
const warning =
  'etup made the same on both sides: the 1 file it left is byte for byte equal, although the change touches 1 file';

describe('a set-up that copies one fixed file', () => {
  it('is called out in the output, the evidence and the report, and when it is judged again', async () => {
    using rig = new Rig({
      baseline: {
        'source.mjs': service(100),
        // What a cache would give: the same whatever the source is.
        'cached.txt': service(100),
        '.gitignore': 'server.mjs\n',
        'tailgate.yml': `start: node server.mjs\nsetup: cp cached.txt server.mjs\n${tinyPlan}`,
      },
      candidate: { 'source.mjs': service(900) },
    });
    const run = await rig.run('gate', '--baseline', 'main', '--json', 'verdict.json');
    // Both sides are one program: it cannot be worse than itself.
    expect(rig.read<VerdictFile>('verdict.json').verdict, said(run)).not.toBe('regression');
    expect(plain(run.err)).toContain(warning);
    expect(plain(run.out)).toContain(warning);

    const { identicalBuilds, revisions, warnings } = rig.read<EvidenceFile>('tailgate-evidence.json');
    expect(identicalBuilds).toBe(true);
    expect(revisions.baseline.sha).not.toBe(revisions.candidate.sha);
    expect(revisions.baseline.outputHash).toMatch(/^[0-9a-f]{64}$/);
    expect(revisions.candidate.outputHash).toBe(revisions.baseline.outputHash);
    expect(warnings.filter(({ code }) => code === 'identical-builds')).toHaveLength(1);

    const report = await rig.run('report', 'tailgate-evidence.json');
    expect(plain(report.out)).toContain(warning);
    const again = await rig.run('judge', 'tailgate-evidence.json', '--json', 'again.json');
    expect(plain(again.out)).toContain(warning);
    const file = rig.read<VerdictFile>('again.json');
    expect(file.identicalBuilds).toBe(true);
    expect(file.warnings.filter(({ code }) => code === 'identical-builds')).toHaveLength(1);
    expect(rig.leftovers()).toEqual(nothing);
  });
});
