/** The settings of a job: whose word counts when candidate and baseline disagree. */
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitIn } from '../../src/builds/git.ts';
import type { Revisions } from '../../src/builds/revision.ts';
import type { GateConfig } from '../../src/config/settings.ts';
import { readJobSettings } from '../../src/settings.ts';
import { environment, Playground } from '../builds/repositories.ts';

const strict = 'start: old\nfail-on: [regression, missing]\n';
const loose = 'start: new\nfail-on: []\nwaivers: [{ metric: cpu, ceiling: 900%, reason: mine }]\n';
const trusting = 'trust-config: baseline\n';

let playground: Playground;
let directory: string;

beforeEach(() => {
  playground = new Playground();
  directory = playground.repository('work');
});
afterEach(() => playground.remove());

/** What counts for a baseline with this file, and a candidate that does this to it. */
async function settled(
  baseline: Readonly<Record<string, string>>,
  change: () => void,
  given: { readonly file?: string; readonly start?: string } = {},
): Promise<GateConfig> {
  const sha = playground.commit(directory, 'baseline', baseline);
  change();
  const settings = readJobSettings({
    directory,
    file: given.file,
    overrides: { start: given.start },
    environment,
  });
  const revision = { sha, ref: 'main', how: 'the merge-base' };
  const revisions: Revisions = { baseline: revision, candidate: revision, warnings: [] };
  return await settings.trusted(settings.config, gitIn({ directory, environment }), revisions);
}

const write = (text: string, name = 'tailgate.yml') => writeFileSync(join(directory, name), text);
const strictly = { failOn: ['regression', 'missing'], waivers: [], trustConfig: 'baseline' };

describe('with trust-config: baseline, the baseline says how strict the gate is', () => {
  it.each([
    ['both files say so', `${strict}${trusting}`, `${loose}${trusting}`],
    ['only that of the baseline does', `${strict}${trusting}`, loose],
    ['only that of the candidate does', strict, `${loose}${trusting}`],
  ])('when %s', async (_, baseline, candidate) => {
    const config = await settled({ 'tailgate.yml': baseline }, () => write(candidate));
    expect(config).toMatchObject({ ...strictly, start: 'new' });
  });

  it('when the candidate removed its file', async () => {
    const remove = () => rmSync(join(directory, 'tailgate.yml'));
    expect(await settled({ 'tailgate.yml': `${strict}${trusting}` }, remove, { start: 'new' })).toMatchObject(
      strictly,
    );
  });

  it('when the candidate renamed its file', async () => {
    const config = await settled({ 'tailgate.yml': `${strict}${trusting}` }, () => {
      rmSync(join(directory, 'tailgate.yml'));
      write(loose, 'tailgate.yaml');
    });
    expect(config).toMatchObject(strictly);
  });

  it('when the candidate made its file a link to another', async () => {
    const config = await settled({ 'tailgate.yml': `${strict}${trusting}` }, () => {
      write(loose, 'mine.yml');
      rmSync(join(directory, 'tailgate.yml'));
      symlinkSync('mine.yml', join(directory, 'tailgate.yml'));
    });
    expect(config).toMatchObject(strictly);
  });

  it('when the file has a name of its own', async () => {
    const given = { file: 'ops/gate.yml' };
    const config = await settled(
      { 'ops/gate.yml': `${strict}${trusting}` },
      () => write(loose, 'ops/gate.yml'),
      given,
    );
    expect(config).toMatchObject(strictly);
  });
});

/** A baseline whose tailgate.yml is a link to this text, or to nothing; the candidate has a plain file. */
const unlinked = (behind: string | null, candidate: string, target = 'real.yml'): Promise<GateConfig> => {
  symlinkSync(target, join(directory, 'tailgate.yml'));
  const files: Record<string, string> = behind === null ? {} : { 'real.yml': behind };
  return settled(files, () => {
    rmSync(join(directory, 'tailgate.yml'));
    write(candidate);
  });
};

describe('a baseline whose file is a link', () => {
  it.each([
    ['to a file', strict, 'real.yml'],
    ['to nothing', null, 'nowhere.yml'],
    ['out of the repository', strict, '../real.yml'],
    ['to an absolute path', strict, '/etc/hostname'],
    ['to itself', strict, 'tailgate.yml'],
    ['to a file that says the candidate counts', `${strict}trust-config: candidate\n`, './real.yml'],
  ])('%s is no hindrance where nobody trusts it', async (_, behind, target) => {
    expect(await unlinked(behind, loose, target)).toMatchObject({ failOn: [], trustConfig: 'candidate' });
  });

  it.each([
    ['the candidate', strict, `${loose}${trusting}`],
    ['the candidate, and it leads nowhere', null, `${loose}${trusting}`],
    ['the file behind the link', `${strict}${trusting}`, loose],
  ])('is refused with the way out where %s trusts it', async (_, behind, candidate) => {
    await expect(unlinked(behind, candidate)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(
        /^`trust-config: baseline` needs .* tailgate\.yml of \w+ is no plain file/,
      ),
      hint: expect.stringMatching(/^Merge the plain file first.*`--config`/),
    });
  });

  it('is refused over several links, for one of them leads to a file that is trusted', async () => {
    symlinkSync('real.yml', join(directory, 'between.yml'));
    await expect(unlinked(`${strict}${trusting}`, loose, 'between.yml')).rejects.toThrow('is no plain file');
  });
});

describe('the candidate says it all', () => {
  it('when nobody trusts the baseline, even where its file cannot be read', async () => {
    const config = await settled({ 'tailgate.yml': 'no-such-key: 1\n' }, () => write(loose));
    expect(config).toMatchObject({ failOn: [], trustConfig: 'candidate', waivers: [{ metric: 'cpu' }] });
  });

  it('when the baseline has no file', async () => {
    const config = await settled({}, () => write(`${loose}${trusting}`));
    expect(config).toMatchObject({ failOn: [], waivers: [{ metric: 'cpu' }] });
  });
});
