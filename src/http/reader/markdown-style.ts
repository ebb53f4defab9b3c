import type { MarkdownStyle } from '../../text/restyle/restyle-markdown.ts';

/** Markdown style by header and value; unknown values have no effect. */
const STYLES: Record<string, Record<string, MarkdownStyle>> = {
  'X-Md-Heading-Style': { atx: {}, setext: { heading: 'setext' } },
  'X-Md-Hr': Object.fromEntries(
    ['***', '---', '___', '* * *', '- - -', '_ _ _'].map((rule) => [rule, { rule }]),
  ),
  'X-Md-Bullet-List-Marker': { '-': {}, '*': { bullet: '*' }, '+': { bullet: '+' } },
  'X-Md-Em-Delimiter': { '*': {}, _: { em: '_' } },
  'X-Md-Strong-Delimiter': { '**': {}, __: { strong: '__' } },
  'X-Md-Link-Style': { inlined: {}, referenced: { links: 'referenced' }, discarded: { links: 'discarded' } },
  'X-Md-Link-Reference-Style': { full: {}, discarded: { links: 'discarded' } },
  'X-Retain-Links': { all: {}, text: { links: 'discarded' } },
  'X-Retain-Images': { all: {}, none: { images: 'none' }, alt: { images: 'alt' } },
};

/** Header names in lower case. */
export const STYLE_HEADERS: ReadonlySet<string> = new Set(
  Object.keys(STYLES).map((name) => name.toLowerCase()),
);

/** Reads the style that headers ask for; also returns the headers with unknown values. */
export function readMarkdownStyle(text: (name: string) => string): {
  style: MarkdownStyle;
  unread: string[];
} {
  const style: MarkdownStyle = {};
  const unread: string[] = [];
  for (const [name, values] of Object.entries(STYLES)) {
    const value = text(name);
    const meant = Object.hasOwn(values, value) ? values[value] : undefined;
    if (meant !== undefined) Object.assign(style, meant);
    else if (value !== '') unread.push(name);
  }
  return { style, unread };
}
