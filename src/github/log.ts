/** The log of the job: folded groups, notices, and lines of others that cannot act as commands of the runner. */
import * as core from '@actions/core';
import type { Warning } from '../kernel/errors.ts';

/** Where a gate says what it is doing; the terminal has one of its own. */
export interface JobLog {
  /** Opens a folded group; groups do not nest, so that an open one is closed first. */
  group(title: string): void;
  endGroup(): void;
  info(text: string): void;
  notice(text: string): void;
  warning(text: string): void;
  error(text: string): void;
  /** A notice with its way out. */
  tell(warning: Warning): void;
  /** Replaces this text by *** in everything that the runner shows from now on. */
  mask(secret: string): void;
}

export function jobLog(): JobLog {
  let open = false;
  const endGroup = () => {
    if (open) core.endGroup();
    open = false;
  };
  const log: JobLog = {
    group(title) {
      endGroup();
      core.startGroup(oneLine(title));
      open = true;
    },
    endGroup,
    info: (text) => core.info(harmless(text)),
    // These three become annotations; core escapes them, so that they are shown as they are.
    notice: (text) => core.notice(text),
    warning: (text) => core.warning(text),
    error: (text) => core.error(text),
    tell: (warning) => log.notice(inWords(warning)),
    mask(secret) {
      if (secret !== '') core.setSecret(secret);
    },
  };
  return log;
}

/** Message and way out as one text. */
export function inWords(warning: { readonly message: string; readonly hint?: string | undefined }): string {
  return warning.hint === undefined ? warning.message : `${warning.message} ${warning.hint}`;
}

/**
 * The runner acts on every line of a log that starts with `::`, white space before it allowed, and on `##[`
 * wherever it stands. A service that prints `::set-output` or `::stop-commands` must not talk to the runner
 * through the lines of it that we repeat. (U+0085 is white space to the runner, not to JavaScript.)
 */
export function harmless(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/^([\s\u0085]*)::/gm, '$1: :')
    .replaceAll('##[', '## [');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
