/** `tailgate report FILE`: the report of stored evidence, as Markdown, terminal text or JSON. */
import { renderSummary } from '../report/markdown.ts';
import { renderTerminal, terminalDefaults } from '../report/terminal.ts';
import { verdictJsonText } from '../report/verdict-json.ts';
import { makeView } from '../report/view.ts';
import { type Command, text, usage } from './command.ts';
import { judged, readEvidence } from './judge.ts';
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
    const evidence = readEvidence(terminal, file!);
    const { verdict, context } = judged(evidence);
    const view = makeView(verdict, evidence, context);
    const rendered = {
      markdown: () => renderSummary(view),
      text: () => renderTerminal(view, terminalDefaults),
      json: () => verdictJsonText(verdict, evidence, context),
    }[known]();
    if (reportFile === null) terminal.print(rendered);
    else reportFile.write(rendered);
    return 0;
  },
};
