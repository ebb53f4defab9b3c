import { markdownBlocks } from '../chunk/markdown-blocks.ts';
import { type Letters, lettersOf } from './letters.ts';

/** Where a quotation occurs: verbatim, apart from what copying changes, or nowhere (then the offsets are null). */
export type FoundQuote =
  | { found: 'exact' | 'normalized'; start: number; end: number; headingPath: string[] }
  | { found: 'no'; start: null; end: null; headingPath: null };

const NOWHERE: FoundQuote = { found: 'no', start: null, end: null, headingPath: null };

/** Quotations -> where each first occurs in the Markdown of a page. */
export function findQuotes(markdown: string, quotes: readonly string[]): FoundQuote[] {
  let letters: Letters | null = null;
  const blocks = markdownBlocks(markdown);
  const pathAt = (offset: number): string[] =>
    (blocks.findLast(({ start }) => start <= offset)?.headings ?? []).map(({ text }) => text);
  return quotes.map((quote): FoundQuote => {
    const exact = quote.trim();
    const at = exact === '' ? -1 : markdown.indexOf(exact);
    if (at !== -1) return { found: 'exact', start: at, end: at + exact.length, headingPath: pathAt(at) };
    letters ??= lettersOf(markdown);
    const place = placeOf(letters, lettersOf(exact).text);
    return place === null ? NOWHERE : { found: 'normalized', ...place, headingPath: pathAt(place.start) };
  });
}

function placeOf({ text, starts, ends }: Letters, wanted: string): { start: number; end: number } | null {
  const at = wanted === '' ? -1 : text.indexOf(wanted);
  const [start, end] = [starts[at], ends[at + wanted.length - 1]];
  return at === -1 || start === undefined || end === undefined ? null : { start, end };
}
