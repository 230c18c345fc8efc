/** The `--format` flag of the commands that read result files. */
import { nearest } from '../config/suggestions.ts';
import { parseFormat } from '../kernel/formats.ts';
import { type Format, benchFormats as formats } from '../kernel/words.ts';
import { type Command, type Flag, type FlagValues, text, usage } from './command.ts';

export const formatFlag: Flag = {
  type: 'string',
  value: 'auto|NAME',
  help: 'format of the results; recognised unless given (docs/formats.md lists them)',
};

/** @throws TailgateError `usage` naming the word and the nearest format. */
export function formatOf(command: Command, flags: FlagValues): 'auto' | Format {
  const word = text(flags, 'format') ?? 'auto';
  const format = parseFormat(word);
  if (format !== null) return format;
  const near = nearest(word, formats);
  const advice =
    near === null ? `; it wants auto or one of ${formats.join(', ')}` : `; did you mean ${near}?`;
  throw usage(command, `--format is "${word}", which is no known format${advice}`);
}
