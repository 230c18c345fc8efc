/** What GitHub would act on in a Markdown text: the words outside of code, after entities were read. */

/** Text nodes outside of code, comments and link targets, entities decoded, one space between them. */
export function actingText(markdown: string): string {
  const withoutCode = markdown
    .replace(/<!--[\s\S]*?-->/g, ' ')
    .replace(/<pre>[\s\S]*?<\/pre>/g, ' ')
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/<code>[^\n]*?<\/code>/g, ' ')
    .replace(/`[^`\n]*`/g, ' ')
    .replace(/\]\([^)\s]*\)/g, '] ')
    .replace(/<\/?(?:sub|details|summary)>/g, ' ');
  return decoded(withoutCode);
}

/** Everything a reader sees, code included. */
export function shownText(markdown: string): string {
  return decoded(markdown.replace(/<\/?(?:code|pre|sub|details|summary)>/g, ''));
}

function decoded(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replace(
      /&(lt|gt|amp|quot);/g,
      (_, word: string) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[word] ?? '',
    );
}

/** Mentions, references, links and markup of others; each has to be absent from `actingText`. */
export const triggers: readonly RegExp[] = [
  /(?<![\w`])@\w/,
  /#\d/,
  /\bGH-\d/i,
  /\w\/\w[\w.-]*#\d/,
  /\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?)\s+#\d/i,
  /https?:\/\/\w/,
  /\bwww\.\w/i,
];

/** Names that were made to be copied into comments. */
export const hostileNames: readonly string[] = [
  '@octocat',
  '@org/team',
  'fixes #1',
  'owner/repo#2',
  'closes owner/repo#3',
  'GH-26',
  'https://github.com/owner/repo/issues/4',
  'www.example.com',
  'a|b',
  '`a`',
  '``` \n# heading',
  'line\nbreak',
  '\u202egnp.exe',
  '\u200b\u0000\u001b[31mred',
  '<img src=x onerror=alert(1)>',
  '</details><h1>free</h1>',
  '--> <b>out</b> <!--',
  '[click](javascript:alert(1))',
  '![pixel](https://example.com/p.png)',
  '**bold** _it_ ~~gone~~',
  '$x^2$',
  'back\\slash',
  '  spaces  ',
  '',
  '</pre><script>',
  '</code>@octocat',
  '&lt;b&gt;',
  '- item',
  '> quote',
  '\ud800',
];
