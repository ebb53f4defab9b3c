import { plainText } from '../words/plain-text.ts';

/** A longer text is named by how it begins and how it ends; the two must not overlap. */
const END_WORDS = 6;
const END_CHARS_MAX = 80;
const FEW_WORDS_CHARS_MAX = 300;
/** Characters read at either end of a long quotation, which may be a whole page. */
const END_CHARS_READ = 2_000;

const HEADING = /^ {0,3}#{1,6}\s/;
const MARKER = /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d{1,9}[.)][ \t]+)+/;
const TAG = /<\/?[a-z][^<>\n]{0,200}>/gi;
const BREAK = /<br\s*\/?>/gi;
/** Of encodeURIComponent's exceptions the hyphen is part of the syntax; brackets and stars would break Markdown links. */
const UNENCODED = /[-!'()*~_.]/g;

/**
 * A link that opens the page at a quotation (Markdown of the page): `url#:~:text=start,end`,
 * defined by https://wicg.github.io/scroll-to-text-fragment. The address alone when the quotation shows no text.
 */
export function textFragmentLink(url: string, quotation: string): string {
  const parts = partsOf(quotation);
  const [first, last] = [parts[0], parts.at(-1)];
  if (first === undefined || last === undefined) return url;
  const text = parts.length === 1 && isShort(first) ? [first] : [headOf(first), tailOf(last)];
  const directive = `:~:text=${text.map(encoded).join(',')}`;
  return url.includes('#') ? `${url.replace(/:~:.*$/s, '')}${directive}` : `${url}#${directive}`;
}

/** Its visible text, one part per element: a match cannot cross the border of an element. */
function partsOf(quotation: string): string[] {
  const lines = endsOf(quotation).split('\n');
  const below = lines.filter((line) => line.trim() !== '' && !HEADING.test(line));
  return plainText((below.length > 0 ? below : lines).join('\n'))
    .replace(BREAK, '\n')
    .replace(TAG, '')
    .split('\n')
    .flatMap((line) => cellsOf(line.replace(MARKER, '')))
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => /[\p{L}\p{N}]/u.test(part));
}

function endsOf(quotation: string): string {
  if (quotation.length <= 2 * END_CHARS_READ) return quotation;
  return `${quotation.slice(0, END_CHARS_READ)}\n${quotation.slice(-END_CHARS_READ)}`;
}

const cellsOf = (line: string): string[] => (/^\s*\|/.test(line) ? line.split('|') : [line]);

function isShort(part: string): boolean {
  const isOfFewWords = part.split(' ').length < 2 * END_WORDS;
  return part.length <= (isOfFewWords ? FEW_WORDS_CHARS_MAX : 2 * END_CHARS_MAX);
}

function headOf(part: string): string {
  return fitting(part.split(' ').slice(0, END_WORDS), (words) => words.slice(0, -1))
    .slice(0, END_CHARS_MAX)
    .replace(/[\ud800-\udbff]$/, '');
}

function tailOf(part: string): string {
  return fitting(part.split(' ').slice(-END_WORDS), (words) => words.slice(1))
    .slice(-END_CHARS_MAX)
    .replace(/^[\udc00-\udfff]/, '');
}

function fitting(words: string[], without: (words: string[]) => string[]): string {
  let kept = words;
  while (kept.length > 1 && kept.join(' ').length > END_CHARS_MAX) kept = without(kept);
  return kept.join(' ');
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    UNENCODED,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
