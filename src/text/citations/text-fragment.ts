import { rewriteOutsideCode } from '../markup/code-spans.ts';
import { createLineScanner } from '../markup/scan-lines.ts';
import { toPlainPage } from '../markup/visible-text.ts';

/** Words and characters of the start and the end that name a longer text; the two must not overlap. */
const END_WORDS = 6;
const END_CHARS_MAX = 80;
const FEW_WORDS_CHARS_MAX = 300;
/** Characters read at each end of a long quotation, which may be a whole page. */
const END_CHARS_READ = 2_000;

const MARKER = /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+)+/;
/** The first line of a Markdown alert; the page shows a word of its own there, or none. */
const ALERT = /^[ \t]*(?:>[ \t]?)+\[![A-Z]{1,20}\][ \t]*$/;
const NAME = '(?:\\*\\*[^*\\n]{1,200}\\*\\*|`[^`\\n]{1,200}`|\\[[^\\]\\n]{1,200}\\]\\([^()\\s]{1,500}\\))';
const NAMES = `[ \\t]*(?:>[ \\t]?)*[-*+][ \\t]+${NAME}(?:, ${NAME}){0,8}`;
/** An item that begins with its names: on the page these are often an element of their own, without the colon. */
const NAMED_ITEM = new RegExp(`^(${NAMES}):[ \\t]+(?=\\S)`);
const NAMES_ALONE = new RegExp(`^${NAMES}[ \\t]*$`);
/** Matches addresses in angle brackets, and tags; tags alone are not visible. */
const LINK_OR_TAG =
  /<((?:https?:\/\/|[^<>\s@]{1,100}@)[^<>\s]{1,2000})>|<br\s*\/?>|<\/?[a-z][^<>\n]{0,200}>/gi;
/**
 * Characters that encodeURIComponent leaves as they are: the hyphen is part of the syntax; brackets and stars would break Markdown
 * links.
 */
const UNENCODED = /[-!'()*~_.]/g;

/**
 * Builds a link that opens the page at a quotation (Markdown of the page): `url#:~:text=start,end`, as defined by
 * https://wicg.github.io/scroll-to-text-fragment. Returns the address alone when the quotation shows no text.
 */
export function buildTextFragmentLink(url: string, quotation: string): string {
  const parts = splitParts(quotation);
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return url;
  const text = parts.length === 1 && isShort(first) ? [first] : [readHead(first), readTail(last)];
  const directive = `:~:text=${text.map(encodeText).join(',')}`;
  return url.includes('#') ? `${url.replace(/:~:.*$/s, '')}${directive}` : `${url}#${directive}`;
}

/** Returns the visible text of a quotation, one part per element: a match cannot cross an element boundary. */
function splitParts(quotation: string): string[] {
  const lines = splitLines(readEnds(quotation));
  const below = lines.filter(({ isAbove }) => !isAbove);
  return toPlainPage((below.length > 0 ? below : lines).map(({ text }) => text).join('\n'))
    .split('\n')
    .flatMap((line) => line.replace(MARKER, '').split('\t'))
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
}

/** A line of Markdown. `isAbove`: a heading or the name of an item, left out when there is text below it. */
type Line = { text: string; isAbove: boolean };

function splitLines(markdown: string): Line[] {
  const scanner = createLineScanner();
  return markdown.split('\n').flatMap((line): Line[] => {
    const { kind, headingLevel } = scanner.scan(line);
    if (kind === 'fence' || kind === 'code') return [{ text: line, isAbove: false }];
    if (line.trim() === '' || ALERT.test(line)) return [];
    const isAbove = headingLevel > 0 || NAMES_ALONE.test(line);
    const [named = '', names = ''] = NAMED_ITEM.exec(line) ?? [];
    if (names === '') return [{ text: stripTags(line), isAbove }];
    return [
      { text: stripTags(names), isAbove: true },
      { text: stripTags(line.slice(named.length)), isAbove: false },
    ];
  });
}

/** Removes tags from a line, and the angle brackets around addresses. */
function stripTags(line: string): string {
  return rewriteOutsideCode(line, (part) =>
    part.replace(
      LINK_OR_TAG,
      (all, address: string | undefined) => address ?? (/^<br/i.test(all) ? '\n' : ''),
    ),
  );
}

function readEnds(quotation: string): string {
  if (quotation.length <= 2 * END_CHARS_READ) return quotation;
  return `${quotation.slice(0, END_CHARS_READ)}\n${quotation.slice(-END_CHARS_READ)}`;
}

function isShort(part: string): boolean {
  const isOfFewWords = part.split(' ').length < 2 * END_WORDS;
  return part.length <= (isOfFewWords ? FEW_WORDS_CHARS_MAX : 2 * END_CHARS_MAX);
}

function readHead(part: string): string {
  return fitWords(part.split(' ').slice(0, END_WORDS), (words) => words.slice(0, -1))
    .slice(0, END_CHARS_MAX)
    .replace(/[\ud800-\udbff]$/, '');
}

function readTail(part: string): string {
  return fitWords(part.split(' ').slice(-END_WORDS), (words) => words.slice(1))
    .slice(-END_CHARS_MAX)
    .replace(/^[\udc00-\udfff]/, '');
}

function fitWords(words: string[], without: (words: string[]) => string[]): string {
  let kept = words;
  while (kept.length > 1 && kept.join(' ').length > END_CHARS_MAX) kept = without(kept);
  return kept.join(' ');
}

function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    UNENCODED,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
