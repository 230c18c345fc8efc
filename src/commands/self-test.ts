/** `tailgate self-test`: does the gate see a slowdown on this very service, and only then? */
import { realClock } from '../kernel/world.ts';
import { plantingText, selfTestText } from '../report/self-test-text.ts';
import { runSelfTest, type SelfTestResult } from '../self-test.ts';
import { readJobSettings } from '../settings.ts';
import { type Command, text } from './command.ts';
import { settingFlags, tell } from './gate.ts';
import { withLedger } from './job-folder.ts';
import { outputFile } from './output-file.ts';

const { 'fail-on': _, ...settings } = settingFlags;

export const selfTest: Command = {
  name: 'self-test',
  usage: 'self-test [flags]',
  summary: 'Plants slowdowns on your own service, and nothing, and shows what the gate makes of them.',
  flags: {
    ...settings,
    config: { type: 'string', value: 'FILE', help: 'tailgate.yml unless given' },
    json: { type: 'string', value: 'FILE', help: 'also write the result as JSON' },
    verbose: { type: 'boolean', help: 'show every line of set-up' },
  },
  positionals: { least: 0, most: 0 },
  run: async (flags, _, terminal) => {
    const overrides = Object.fromEntries(Object.keys(settings).map((name) => [name, text(flags, name)]));
    const request = { directory: terminal.directory, file: text(flags, 'config'), overrides };
    const job = readJobSettings({ ...request, environment: terminal.environment });
    const json = text(flags, 'json');
    const file = json === undefined ? null : outputFile(terminal, 'json', json);
    for (const warning of job.warnings) tell(terminal, flags, { kind: 'warning', warning });
    const result = await withLedger((ledger) =>
      runSelfTest({
        directory: job.directory,
        config: job.config,
        situation: { kind: 'local' },
        environment: terminal.environment,
        clock: realClock,
        signal: terminal.signal,
        ledger,
        tell: (event) => {
          // That both sides are one commit is the point here.
          if (event.kind === 'warning' && event.warning.code === 'same-commit') return;
          tell(terminal, flags, event);
        },
        next: (planting, sizes) => {
          const number = { nothing: 1, cpu: 2, latency: 3 }[planting];
          terminal.tell(`self-test, job ${number} of 3: ${plantingText(planting, sizes)}`);
        },
      }),
    );
    terminal.print(selfTestText(result));
    file?.write(selfTestJson(result));
    return result.exitCode;
  },
};

/** What a script may want of a self-test; durations in nanoseconds, changes as shares. */
export function selfTestJson({ checks, sizes, exitCode }: SelfTestResult): string {
  const rows = checks.map(({ planting, verdict, result, scenarios, found, reason, hint }) => ({
    planting,
    result,
    verdict: verdict?.outcome ?? null,
    reason,
    hint,
    scenarios,
    found,
    findings: verdict?.findings ?? [],
    rounds: verdict?.rounds ?? null,
  }));
  return `${JSON.stringify({ exitCode, sizes, checks: rows }, null, 2)}\n`;
}
