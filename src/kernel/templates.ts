/** The syntax of templates: `${word}` inside a text. What each word becomes is the business of whoever sends it. */

/** One `${…}`. */
export type TemplateWord =
  /** `${NAME}`: a variable of the job, as in `env`. */
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'counter' }
  /** `${random 1..500}`: a whole number, both ends included. */
  | { readonly kind: 'random'; readonly from: number; readonly to: number }
  /** `${feed.column}`; of JSON Lines also `${feed.user.id}`. */
  | { readonly kind: 'feed'; readonly column: string }
  /** What the set-up request of a scenario returned. */
  | { readonly kind: 'session' }
  /** Letters up to a drawn length. */
  | { readonly kind: 'filler' }
  /** `written` is what stands between the braces, `problem` a sentence on what was wanted. */
  | { readonly kind: 'refused'; readonly written: string; readonly problem: string };

/** Plain text, or a word. */
export type TemplatePiece = string | TemplateWord;

/** What may stand between the braces besides the name of a variable. */
export const templateWords = ['uuid', 'counter', 'random', 'feed', 'session', 'filler'] as const;

const placeholder = /(\$?)\$\{([^}]*)\}/g;

/** Splits a text into plain pieces and words; `$${` stands for a plain `${`. Never throws. */
export function parseTemplate(text: string): readonly TemplatePiece[] {
  const pieces: TemplatePiece[] = [];
  let plain = '';
  let from = 0;
  for (const match of text.matchAll(placeholder)) {
    plain += text.slice(from, match.index);
    from = match.index + match[0].length;
    if (match[1] !== '') {
      plain += match[0].slice(1);
      continue;
    }
    if (plain !== '') pieces.push(plain);
    plain = '';
    pieces.push(readWord(match[2]!.trim()));
  }
  plain += text.slice(from);
  if (plain !== '') pieces.push(plain);
  return pieces;
}

function readWord(written: string): TemplateWord {
  const [head] = written.split(/[\s.]/, 1);
  switch (head) {
    case 'uuid':
    case 'counter':
    case 'session':
    case 'filler':
      if (written === head) return { kind: head };
      return refuse(written, `\`${head}\` stands alone`);
    case 'feed': {
      const column = written.slice('feed.'.length);
      if (written.startsWith('feed.') && column !== '') return { kind: 'feed', column };
      return refuse(written, 'wanted a column of the feed such as feed.id');
    }
    case 'random':
      return readRandom(written);
    default:
      if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(written)) return { kind: 'variable', name: written };
      return refuse(written, `wanted ${templateWords.join(', ')}, or a variable of the job`);
  }
}

function readRandom(written: string): TemplateWord {
  const match = /^random\s+(-?\d{1,15})\.\.(-?\d{1,15})$/.exec(written);
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || from > to) {
    return refuse(written, 'wanted two whole numbers, the smaller one first, such as random 1..500');
  }
  return { kind: 'random', from, to };
}

const refuse = (written: string, problem: string): TemplateWord => ({ kind: 'refused', written, problem });
