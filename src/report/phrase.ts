/** Sentences with their foreign parts marked, so that a renderer escapes those and nothing else. */

export type Piece =
  /** Our own words. */
  | { readonly kind: 'text'; readonly text: string }
  /** Someone else's name: shown as code. */
  | { readonly kind: 'name'; readonly text: string }
  /** Someone else's words: shown as they are meant, with no effect. */
  | { readonly kind: 'quote'; readonly text: string }
  | { readonly kind: 'strong'; readonly pieces: Phrase };

export type Phrase = readonly Piece[];

/** In characters: what is longer is a log, not a sentence. */
const longestSentence = 600;

export const name = (text: string): Piece => ({ kind: 'name', text });
export const strong = (...pieces: readonly (Phrase | string)[]): Piece => ({
  kind: 'strong',
  pieces: pieces.flatMap((part) =>
    typeof part === 'string' ? [{ kind: 'text', text: part } as const] : part,
  ),
});

export const strongPhrase = (phrase: Phrase): Phrase => [strong(phrase)];

/** A sentence begins with a capital, unless with what is written small: `p90`, `tailgate.yml`, a path. */
export const capital = (text: string): string =>
  /^\S*[\p{N}\p{Lu}_/]|^\S*\.\S/u.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);

/** Builds a phrase from a template: `` say`p99 of ${name(scenario)} rose` ``. Plain strings in it are our own. */
export function say(words: TemplateStringsArray, ...parts: readonly (Piece | Phrase | string)[]): Phrase {
  const pieces: Piece[] = [];
  words.forEach((word, index) => {
    if (word !== '') pieces.push({ kind: 'text', text: word });
    const part = parts[index];
    if (part === undefined || part === '') return;
    if (typeof part === 'string') pieces.push({ kind: 'text', text: part });
    else if ('kind' in part) pieces.push(part);
    // One by one: a call takes only so many arguments.
    else for (const piece of part) pieces.push(piece);
  });
  return pieces;
}

/**
 * A sentence of another room, which may hold foreign names: quoted, on one line, what stands in backticks as a
 * name, with exactly one full stop at its end when `stop` is given.
 */
export function sentence(text: string, stop: '.' | '' = '.'): Phrase {
  const line = text
    .slice(0, longestSentence * 4)
    .replace(/\s*[\r\n]+\s*/g, ' ')
    .trim();
  const characters = Array.from(line);
  const cut =
    characters.length > longestSentence ? `${characters.slice(0, longestSentence).join('')}…` : line;
  const body = cut.replace(/[.\s]+$/, '');
  const pieces: Piece[] = [];
  let quoted = false;
  for (const part of body.split('`')) {
    if (part !== '') for (const piece of quoted ? [name(part)] : quotes(part)) pieces.push(piece);
    quoted = !quoted;
  }
  if (stop !== '' && !/[!?…]$/.test(body)) pieces.push({ kind: 'text', text: stop });
  return pieces;
}

/** Phrases one after the other with a space between; empty ones are left out. */
export function joined(phrases: readonly Phrase[], between = ' '): Phrase {
  return phrases
    .filter((phrase) => phrase.length > 0)
    .flatMap((phrase, index) =>
      index === 0 ? phrase : [{ kind: 'text', text: between } as const, ...phrase],
    );
}

/** The spaces around a name are ours: a renderer would keep those of a quote from being lost. */
function quotes(part: string): Phrase {
  const [, before = '', words = '', after = ''] = /^( *)(.*?)( *)$/s.exec(part) ?? [];
  const pieces: readonly Piece[] = [
    { kind: 'text', text: before === '' ? '' : ' ' },
    ...(words === '' ? [] : [{ kind: 'quote', text: words } as const]),
    { kind: 'text', text: after === '' ? '' : ' ' },
  ];
  return pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '');
}
