/** `tailgate demo`: the whole gate on a planted slowdown, with nothing to install. */

import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDemoRepository } from '../demo.ts';
import { makeTemporaryFolder } from '../kernel/folders.ts';
import { type Command, text } from './command.ts';
import { gate } from './gate.ts';

export const demo: Command = {
  name: 'demo',
  usage: 'demo [--same] [--make-repository DIR] [--seed N]',
  summary: 'Runs the whole gate on a small service with a planted slowdown, in under 3 minutes.',
  flags: {
    same: {
      type: 'boolean',
      help: 'an unchanged candidate instead: ends with pass, or inconclusive on a noisy machine',
    },
    'make-repository': {
      type: 'string',
      value: 'DIR',
      help: 'only make the demo repository in DIR and stop',
    },
    seed: { type: 'string', value: 'N', help: 'repeats the same plan' },
    json: { type: 'string', value: 'FILE', help: 'also write the verdict as JSON' },
    evidence: { type: 'string', value: 'FILE', help: 'keep the evidence file' },
  },
  positionals: { least: 0, most: 0 },
  run: async (flags, _, terminal) => {
    const same = flags['same'] === true;
    const wanted = text(flags, 'make-repository');
    if (wanted !== undefined) {
      const directory = resolve(terminal.directory, wanted);
      await makeDemoRepository({
        directory,
        same,
        environment: terminal.environment,
        signal: terminal.signal,
      });
      terminal.print(`made a demo repository: ${directory} (main, and candidate checked out)`);
      return 0;
    }
    const parent = makeTemporaryFolder('tailgate-demo-');
    try {
      const directory = join(parent, 'catalogue');
      await makeDemoRepository({
        directory,
        same,
        environment: terminal.environment,
        signal: terminal.signal,
      });
      const change = same ? 'an unchanged candidate' : 'a planted slowdown';
      terminal.tell(`demo: a temporary repository with a small HTTP service and ${change}`);
      const passedOn = {
        ...flags,
        baseline: 'main',
        // Its repository is gone afterwards: there is nothing to repeat the job on.
        temporary: true,
        evidence: text(flags, 'evidence') ?? join(parent, 'evidence.json'),
      };
      const paths = ['json', 'evidence'] as const;
      const absolute = Object.fromEntries(
        paths.flatMap((name) => {
          const given = text(passedOn, name);
          return given === undefined ? [] : [[name, resolve(terminal.directory, given)]];
        }),
      );
      return await gate.run({ ...passedOn, ...absolute }, [], { ...terminal, directory });
    } finally {
      rmSync(parent, { recursive: true, force: true });
    }
  },
};
