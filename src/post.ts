/** The action's post step: ends whatever a killed main step left behind. */
import { leftForPost } from './github/inputs.ts';
import { jobLog } from './github/log.ts';
import { runCommand } from './kernel/command.ts';
import { sweep } from './kernel/leftovers.ts';
import { secondsToNs } from './kernel/units.ts';

const ledger = leftForPost('ledger');
if (ledger !== '') {
  const log = jobLog();
  const { ended, failed } = await sweep(ledger, {
    runGit: async (args, cwd) => {
      const command = ['git', ...args];
      const { exit } = await runCommand({ command, cwd, env: process.env, timeout: secondsToNs(60) });
      if (exit.kind !== 'exited' || exit.code !== 0) throw new Error(`git ${args.join(' ')} failed`);
    },
  });
  if (ended.length > 0) log.info(`ended or removed ${ended.length} things that the main step left behind`);
  for (const { entry, why } of failed) log.warning(`still there: ${JSON.stringify(entry)}: ${why}`);
}
