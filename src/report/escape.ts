/** The one place where foreign text becomes harmless: names, messages, log lines, links. */

/** Longest name that is shown whole, in characters. */
export const nameLimit = 120;
const sentenceLimit = 600;
const lineLimit = 400;
const blockLines = 60;

const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const oddSpace = /\p{Zs}/u;
const combining = /\p{M}/u;
// A browser's or terminal's colour and title sequences; whatever else is left of them is shown as \u{1b}.
const [esc, bell] = ['\u001b', '\u0007'];
const ansi = new RegExp(`${esc}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${bell}${esc}]*(?:${bell}|${esc}\\\\))`, 'g');

/**
 * One line of printable text that stands for exactly one input: the backslash is doubled first, so that `\n`,
 * `\t` and `\u{202e}` can stand for line breaks, control, bidi and invisible characters. What is longer than
 * `limit` characters is cut and ends in a hash of the whole, so that two long names stay two names.
 */
export function visible(text: string, limit: number = nameLimit): string {
  const pieces: string[] = [];
  let marks = 0;
  for (const character of text) {
    marks = combining.test(character) ? marks + 1 : 0;
    pieces.push(visibleCharacter(character, marks));
    // Whatever follows is cut anyway; a name of megabytes must not cost more than its hash.
    if (pieces.length > limit + 1) break;
  }
  const shown = Array.from(pieces.join(''));
  if (shown.length <= limit) return shown.join('');
  return `${shown.slice(0, Math.max(1, limit - 10)).join('')}…~${hash(text)}`;
}

function visibleCharacter(character: string, marks: number): string {
  if (character === '\\') return '\\\\';
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\t') return '\\t';
  if (character === ' ') return ' ';
  // More than two marks on one letter are a tower that covers the lines above.
  if (marks > 2 || invisible.test(character) || oddSpace.test(character)) return codePoint(character);
  return character;
}

/** A foreign sentence inside a Markdown paragraph or table cell: no markup, no mention, no reference, no link. */
export function markdownText(text: string, limit: number = sentenceLimit): string {
  return entities(visible(text, limit), '&#8203;');
}

/**
 * A foreign name as code. Plain names use backticks; any other is written in `<code>` with every character of
 * meaning as an entity, because inside backticks neither a backslash nor an entity would help.
 */
export function markdownName(text: string, limit: number = nameLimit): string {
  const shown = visible(text, limit);
  if (shown === '') return '<code>&#34;&#34;</code>';
  const plain = /^[A-Za-z0-9_.…~](?:[A-Za-z0-9 _./…~-]|: )*$/u.test(shown) && !/ {2}| $/.test(shown);
  return plain ? `\`${shown}\`` : `<code>${entities(shown, '')}</code>`;
}

/** Foreign lines, or a command to copy, as a block of fixed-width text; stands on lines of its own. */
export function markdownBlock(lines: readonly string[]): string {
  const shown = boundedLines(lines).map((line) =>
    line.replace(/[&<>"'`@#\\[\]|$]/g, (character) => entity(character)),
  );
  return ['<pre>', ...shown, '</pre>'].join('\n');
}

/** A link whose label is ours; only the label when the address is not plain http(s). */
export function markdownLink(label: string, url: string | null): string {
  return url !== null && isPlainUrl(url) ? `[${label}](${url})` : label;
}

/** Whether an address can stand in Markdown and HTML as it is. */
export function isPlainUrl(url: string): boolean {
  return (
    url.length <= 2000 && /^https?:\/\/[A-Za-z0-9.[\]:-]+(?:\/[A-Za-z0-9\-._~%!$&+,;=:/?#]*)?$/.test(url)
  );
}

/** Foreign lines for a terminal or a block: no escape sequences, each of bounded length, the last ones kept. */
export function boundedLines(lines: readonly string[]): readonly string[] {
  return lines
    .flatMap((line) => line.split(/\r\n|\r|\n/))
    .slice(-blockLines)
    .map((line) => {
      const bare = line.slice(0, lineLimit * 4).replace(ansi, '');
      const shown = Array.from(bare, (character) =>
        character === '\t' ? '    ' : invisible.test(character) ? codePoint(character) : character,
      );
      return shown.length <= lineLimit ? shown.join('') : `${shown.slice(0, lineLimit).join('')}…`;
    });
}

/** FNV-1a over UTF-16 units as eight hex digits: tells cut names apart, guards nothing. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, '0');
}

const codePoint = (character: string): string => `\\u{${character.codePointAt(0)!.toString(16)}}`;
const entity = (character: string): string => `&#${character.codePointAt(0)};`;

/**
 * @param breaker put behind what GitHub would turn into a mention, a reference, a link or an emoji. It looks for
 * those in the finished text, after entities were read, and only code is exempt.
 */
function entities(text: string, breaker: string): string {
  return text.replace(
    /^[-=]|^\d(?=\d*[.)](?:\s|$))|[&<>"'`*_~[\](){}|!^$=+\\]|[@#]|:(?=[a-z/+_-])|(?<=www)\.|(?<=\bgh)-(?=\d)|^ | (?= )| $/giu,
    (found, offset: number) => {
      if (found === ' ') return '&#160;';
      const breaks = /[@#:.]/.test(found) || (found === '-' && offset > 0);
      return `${entity(found)}${breaks ? breaker : ''}`;
    },
  );
}
