/**
 * Finds quotations in the Markdown of a page, verbatim or apart from what copying changes (white space, typographic quotes,
 * markup). It promises never to accept changed words, numbers or case. It does not search for similar text.
 */
import { parseMarkdownBlocks } from '../markup/markdown-blocks.ts';

/*
 * Every pattern is linear: no repetition matches what the next one could match as well, and the length between brackets is bounded.
 */
/** Skipped markup: markers at the beginning of a line, table rules, fences, link addresses, emphasis marks, tags. */
const MARKUP = new RegExp(
  [
    /(?<![^\n])[ \t]*(?:```|~~~)[^\n]*/,
    /(?<![^\n])[ \t]*(?:\|[ \t]*)?:?-{3}[-|: \t]*(?=\n|$)/,
    /(?<![^\n])[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+)/,
    /\]\((?:[^()\s\\]|\\.){0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500})?(?:[ \t]"[^"\n]{0,300}")?\)/,
    /!?\[|\]/,
    /<\/?(?:sup|sub|kbd|mark|u|s|del|ins|b|i|em|strong|span)(?:\s[^<>\n]{0,200})?>/,
    /[*`]+|~~/,
    /[\u00ad\u200b-\u200d\u2060\ufeff]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
);

/** Matches one line break at a time, because it decides what begins a line. */
const SPACE = /\n|(?:[^\S\n]|\||<br\s?\/?>)+/y;

const ESCAPE = /\\(?=[!-/:-@[-`{-~])/y;

/** A letter with its accents, or a run of Hangul letters that may compose into one. */
const CLUSTER = /[\u1100-\u11ff]{1,200}|[\s\S]\p{M}{0,200}/uy;

const QUOTES: Record<string, string> = Object.fromEntries([
  ...[...'‘’‚‛′ʼ'].map((sign) => [sign, "'"]),
  ...[...'“”„‟″«»'].map((sign) => [sign, '"']),
]);

/** The place of a quotation: `exact`, `normalized` (apart from what copying changes), or `no` with null offsets. */
export type FoundQuote =
  | { found: 'exact' | 'normalized'; start: number; end: number; headingPath: string[] }
  | { found: 'no'; start: null; end: null; headingPath: null };

const NOWHERE: FoundQuote = { found: 'no', start: null, end: null, headingPath: null };

/** Finds the first occurrence of each quotation in the Markdown of a page. */
export function findQuotes(markdown: string, quotes: readonly string[]): FoundQuote[] {
  let letters: Letters | null = null;
  const blocks = parseMarkdownBlocks(markdown);
  const findHeadingPath = (offset: number): string[] =>
    (blocks.findLast(({ start }) => start <= offset)?.headings ?? []).map(({ text }) => text);
  return quotes.map((quote): FoundQuote => {
    const exact = quote.trim();
    const at = exact === '' ? -1 : markdown.indexOf(exact);
    if (at !== -1)
      return { found: 'exact', start: at, end: at + exact.length, headingPath: findHeadingPath(at) };
    letters ??= readLetters(markdown);
    const place = locateLetters(letters, readLetters(exact).text);
    return place === null
      ? NOWHERE
      : { found: 'normalized', ...place, headingPath: findHeadingPath(place.start) };
  });
}

function locateLetters(
  { text, starts, ends }: Letters,
  wanted: string,
): { start: number; end: number } | null {
  const at = wanted === '' ? -1 : text.indexOf(wanted);
  const [start, end] = [starts[at], ends[at + wanted.length - 1]];
  return at === -1 || start === undefined || end === undefined ? null : { start, end };
}

/** A text without what copying changes, with the source offsets of each of its characters. */
type Letters = { text: string; starts: Int32Array; ends: Int32Array };

/**
 * Reduces Markdown, or a text copied from its page, to its letters: NFC, any white space one space, typographic quotes straight, no
 * inline markup. Case, numbers and other signs stay: they are what a citation vouches for.
 */
function readLetters(markdown: string): Letters {
  const out: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let at = 0;
  const measureMatch = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    return pattern.exec(markdown)?.[0].length ?? 0;
  };
  const push = (text: string, end: number): void => {
    for (const unit of text.split('')) {
      out.push(unit);
      starts.push(at);
      ends.push(end);
    }
  };
  while (at < markdown.length) {
    const markup = measureMatch(ESCAPE) || measureMatch(MARKUP);
    if (markup > 0) {
      at += markup;
      continue;
    }
    const space = measureMatch(SPACE);
    if (space > 0) {
      if (out.length > 0 && out.at(-1) !== ' ') push(' ', at + space);
      at += space;
      continue;
    }
    const length = measureMatch(CLUSTER) || 1;
    const cluster = markdown.slice(at, at + length).normalize('NFC');
    push(QUOTES[cluster] ?? cluster, at + length);
    at += length;
  }
  return { text: out.join('').trimEnd(), starts: Int32Array.from(starts), ends: Int32Array.from(ends) };
}
