import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { token } from './connection.ts';
import { runBundle } from './runner.ts';
import { startGitHub } from './server.ts';

const step = `
import { appendFileSync } from 'node:fs';
const { env } = process;
appendFileSync(env.GITHUB_OUTPUT, 'verdict<<END\\npass\\nwith a second line\\nEND\\n');
appendFileSync(env.GITHUB_STATE, 'ledger<<END\\n/tmp/x\\nEND\\n');
appendFileSync(env.GITHUB_STEP_SUMMARY, 'all is well\\n');
console.log('::add-mask::' + env.INPUT_TOKEN);
console.log(process.cwd(), env['INPUT_TIME-BUDGET'], Object.keys(env).includes('VITEST'));
process.exitCode = 3;
`;

it('the runner of the tests gives a step its job and reads back what it left', async () => {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'tailgate-workspace-')));
  const server = await startGitHub();
  await writeFile(join(workspace, 'step.mjs'), step);
  const job = { server, token, event: 'push', payload: {}, sha: 'a'.repeat(40), workspace };
  const result = await runBundle(join(workspace, 'step.mjs'), { ...job, inputs: { 'time-budget': '4m' } });
  expect(result).toEqual({
    code: 3,
    log: `${workspace} 4m false\n`,
    outputs: { verdict: 'pass\nwith a second line' },
    state: { ledger: '/tmp/x' },
    summary: 'all is well\n',
  });
  await server.close();
  await rm(workspace, { recursive: true });
});
