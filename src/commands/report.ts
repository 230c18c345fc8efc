/** `tailgate report FILE`: the report of stored evidence, as Markdown, terminal text or JSON. */
import type { Evidence } from '../evidence/trial.ts';
import type { BenchEvidence } from '../microbench/evidence.ts';
import { renderSummary } from '../report/markdown.ts';
import { renderTerminal, terminalDefaults } from '../report/terminal.ts';
import { verdictJsonText } from '../report/verdict-json.ts';
import { makeView } from '../report/view.ts';
import { benchMarkdown, benchText } from './bench-text.ts';
import { benchTime, benchVerdictJson, exitCodeFor, judgedBench } from './bench-verdict.ts';
import { type Command, text, usage } from './command.ts';
import { inFile, judged, readStored, usual } from './judge.ts';
import { outputFile } from './output-file.ts';

const forms = ['markdown', 'text', 'json'] as const;

export const report: Command = {
  name: 'report',
  usage: 'report FILE [--format markdown|text|json] [--output FILE]',
  summary: 'Renders the report of stored evidence.',
  flags: {
    format: { type: 'string', value: forms.join('|'), help: 'markdown unless given, as in the job summary' },
    output: { type: 'string', value: 'FILE', help: 'write it there instead of printing it' },
  },
  positionals: { least: 1, most: 1 },
  run: async (flags, [file], terminal) => {
    const format = text(flags, 'format') ?? 'markdown';
    const known = forms.find((form) => form === format);
    if (known === undefined) throw usage(report, `--format is "${format}"; it wants ${forms.join(', ')}`);
    const output = text(flags, 'output');
    const reportFile = output === undefined ? null : outputFile(terminal, 'output', output);
    const stored = readStored(terminal, file!);
    const shown = inFile(file!, () => {
      const rendered = stored.kind === 'job' ? ofJob(stored.evidence) : ofBench(stored.evidence);
      return rendered[known]();
    });
    if (reportFile === null) terminal.print(shown);
    else reportFile.write(shown);
    return 0;
  },
};

type Rendered = Readonly<Record<(typeof forms)[number], () => string>>;

function ofJob(evidence: Evidence): Rendered {
  const { verdict, context } = judged(evidence);
  const view = makeView(verdict, evidence, context);
  return {
    markdown: () => renderSummary(view),
    text: () => renderTerminal(view, terminalDefaults),
    json: () => verdictJsonText(verdict, evidence, context),
  };
}

function ofBench(stored: BenchEvidence): Rendered {
  const { verdict, evidence } = judgedBench(stored, null);
  const shown = { verdict, evidence, elapsed: benchTime(evidence) };
  const exitCode = exitCodeFor(verdict, usual);
  return {
    markdown: () => benchMarkdown(shown),
    text: () => benchText(shown, exitCode),
    json: () => benchVerdictJson(verdict, evidence, exitCode),
  };
}
