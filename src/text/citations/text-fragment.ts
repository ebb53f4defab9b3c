import { rewriteOutsideCode } from '../markup/code-spans.ts';
import { createLineScanner } from '../markup/scan-lines.ts';
import { toPlainPage } from '../markup/visible-text.ts';

/** Words and characters of the start and the end that name a longer text; the two must not overlap. */
const END_WORDS = 6;
const END_CHARS_MAX = 80;
const FEW_WORDS_CHARS_MAX = 300;
/** Characters read at each end of a long quotation, which may be a whole page. */
const END_CHARS_READ = 2_000;

/** Parts at the beginning of a quotation that may name it, and the characters that are enough to. */
const PARTS_TRIED = 12;
const HEAD_CHARS_MIN = 16;

const MARKER = /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+)+/;
/** The first line of a Markdown alert; the page shows a word of its own there, or none. */
const ALERT = /^[ \t]*(?:>[ \t]?)+\[![A-Z]{1,20}\][ \t]*$/;
const NAME = '(?:\\*\\*[^*\\n]{1,200}\\*\\*|`[^`\\n]{1,200}`|\\[[^\\]\\n]{1,200}\\]\\([^()\\s]{1,500}\\))';
const NAMES = `[ \\t]*(?:>[ \\t]?)*[-*+][ \\t]+${NAME}(?:, ${NAME}){0,8}`;
/**
 * An item that begins with its names, and with their type in brackets: on the page these are often an element of their own, without
 * the colon.
 */
const NAMED_ITEM = new RegExp(`^(${NAMES}(?: \\([^()\\n]{1,80}\\))?):[ \\t]+(?=\\S)`);
const NAMES_ALONE = new RegExp(`^(?=[^[]*$)${NAMES}(?: \\([^()\\n]{1,80}\\))?[ \\t]*$`);
/** A picture shows no text of its own. */
const PICTURE = /!\[[^[\]\n]{0,500}\]\([^()\n]{0,2000}\)/g;
/** A backslash at the end of a line breaks it. */
const HARD_BREAK = /\\$/;
const TABLE_ROW = /^ {0,3}\|.*\|\s*$/;
/** The terms of a definition list without definitions, which Markdown joins in one line, are elements of their own on the page. */
const JOINED_LINK = /,[ \t]+(?=\[)/;
/** Matches addresses in angle brackets, and tags; tags alone are not visible. */
const LINK_OR_TAG =
  /(?<!\\)<(?:((?:https?:\/\/|[^<>\s@]{1,100}@)[^<>\s]{1,2000})>|br\s*\/?>|\/?[a-z][^<>\n]{0,200}>)/gi;
/**
 * Characters that encodeURIComponent leaves as they are: the hyphen is part of the syntax; brackets and stars would break Markdown
 * links.
 */
const UNENCODED = /[-!'()*~_.]/g;

type Span = { start: number; end: number };

/**
 * Builds a link that opens the page at a quotation (from `start` to `end` of the page's Markdown): `url#:~:text=start,end`, as defined
 * by https://wicg.github.io/scroll-to-text-fragment. Returns the address alone when the quotation shows no text.
 */
export function buildTextFragmentLink(url: string, markdown: string, { start, end }: Span): string {
  const before = markdown.slice(0, start);
  const parts = splitParts(openFence(before) + markdown.slice(start, end));
  const first = findTellingPart(parts, before.toLowerCase());
  const [head, last] = [parts[first], parts.at(-1)];
  if (head === undefined || last === undefined) return url;
  const text =
    first === parts.length - 1 && isShort(head)
      ? [head]
      : [readHead(head), readTail(last)].filter(isNotEmpty);
  const directive = `:~:text=${text.map(encodeText).join(',')}`;
  return url.includes('#') ? `${url.replace(/:~:.*$/s, '')}${directive}` : `${url}#${directive}`;
}

const isNotEmpty = (text: string): boolean => text !== '';

/** A quotation may begin within a block of code: returns the fence that was opened before it, or ''. */
function openFence(before: string): string {
  if (!before.includes('```') && !before.includes('~~~')) return '';
  const scanner = createLineScanner();
  let open = '';
  for (const line of before.split('\n')) {
    const { kind, opens, quote } = scanner.scan(line);
    if (opens !== null) open = `${quote}${opens.marks}\n`;
    else if (kind !== 'code') open = '';
  }
  return open;
}

/**
 * Finds the first part that tells the quotation from the text before it, because browsers go to the first match: one of several words
 * that occurs nowhere before. The first part if there is none.
 */
function findTellingPart(parts: readonly string[], before: string): number {
  const heads = parts.slice(0, PARTS_TRIED).map(readHead);
  const isNew = heads.map((head) => !before.includes(head.toLowerCase()));
  const telling = heads.findIndex(
    (head, place) => isNew[place] === true && (head.length >= HEAD_CHARS_MIN || parts.length === 1),
  );
  if (telling !== -1) return telling;
  return Math.max(0, isNew.indexOf(true));
}

/** Returns the visible text of a quotation, one part per element: a match cannot cross an element boundary. */
function splitParts(quotation: string): string[] {
  const lines = splitLines(readEnds(quotation));
  const below = lines.filter(({ isAbove }) => !isAbove);
  return (below.length > 0 ? below : lines)
    .flatMap(({ text, isCode }) => (isCode ? [text] : splitVisible(text)))
    .map((part) => part.trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
}

function splitVisible(line: string): string[] {
  return toPlainPage(line)
    .split('\n')
    .flatMap((text) => text.replace(MARKER, '').split('\t'))
    .map((part) => part.replace(/\s+/g, ' '));
}

/** A line of Markdown. `isAbove`: a heading or the name of an item, left out when there is text below it. */
type Line = { text: string; isAbove: boolean; isCode: boolean };

function splitLines(markdown: string): Line[] {
  const scanner = createLineScanner();
  /** The quote marks of the open fence. */
  let around = '';
  return markdown.split('\n').flatMap((line): Line[] => {
    const { kind, headingLevel, opens, quote } = scanner.scan(line);
    if (opens !== null) around = quote;
    if (kind === 'fence') return [];
    const code = line.startsWith(around) ? line.slice(around.length) : line;
    if (kind === 'code') return [{ text: code, isAbove: false, isCode: true }];
    if (line.trim() === '' || ALERT.test(line)) return [];
    const isAbove = headingLevel > 0 || NAMES_ALONE.test(line);
    const [named = '', names = ''] = NAMED_ITEM.exec(line) ?? [];
    const below = line.slice(named.length).split(JOINED_LINK);
    return [
      ...(names === '' ? [] : [{ text: names, isAbove: true }]),
      ...below.map((text) => ({ text, isAbove })),
    ].map((one) => ({
      ...one,
      isCode: false,
      text: stripTags(one.text.replace(PICTURE, '').replace(HARD_BREAK, '')),
    }));
  });
}

/** Removes tags from a line, and the angle brackets around addresses. A break divides what a match cannot cross. */
function stripTags(line: string): string {
  const broken = TABLE_ROW.test(line) ? ' | ' : '\n';
  return rewriteOutsideCode(line, (part) =>
    part.replace(
      LINK_OR_TAG,
      (all, address: string | undefined) => address ?? (/^<br/i.test(all) ? broken : ''),
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
    .replace(/^[\udc00-\udfff]/, '')
    .replace(/(?<![\s,;:|])[\s,;:|]+$/, '');
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
