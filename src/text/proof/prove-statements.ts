import { findSentenceEnds } from '../chunk/sentences.ts';
import { findQuotes } from '../citations/find-quote.ts';
import { toPlainPage, toVisibleText } from '../markup/visible-text.ts';
import { guessLanguage } from '../words/guess-language.ts';
import { checkStatement, listTellingTerms, type StatementProblem, type Support } from './check-statement.ts';

/** A piece of a page that a text may be written from, as Markdown. */
export type SourcePassage = { url: string; title: string; text: string };

/** A statement and the quotations that it is said to stand on; passages are numbered from 1. */
export type WrittenStatement = { text: string; support: readonly { passage: number; quote: string }[] };

/** A quotation that stands in its passage; `start` and `end` are offsets there. `passage` is an index. */
export type ProvedQuote = { passage: number; quote: string; start: number; end: number };

/** A statement that was checked; a proved one has no problems. */
export type ProvedStatement = { text: string; quotes: ProvedQuote[]; problems: StatementProblem[] };

const QUOTE_CHARS_MAX = 2_000;
const SUPPORT_MAX = 5;
/** Further statements count as unproved. */
export const STATEMENTS_MAX = 60;

/**
 * Checks statements against the passages that they were written from: each quotation must stand in its passage, and the statement must
 * agree with its quotations (see `checkStatement`). Markup, and addresses
 * other than those of the passages, are removed first.
 */
export function proveStatements(
  statements: readonly WrittenStatement[],
  passages: readonly SourcePassage[],
): ProvedStatement[] {
  const termsOf = passages.map(({ text }) => new Set(listTellingTerms(toVisibleText(text))));
  const sources = passages.map(({ url }) => url).join('\n');
  const language = guessLanguage(passages.map(({ text }) => ({ markdown: text })));
  return statements.map(({ text: written, support }, place) => {
    const text = cleanWrittenText(written, sources);
    if (place >= STATEMENTS_MAX) return { text, quotes: [], problems: [{ kind: 'quotation', text: '' }] };
    const cited = support.slice(0, SUPPORT_MAX).map(({ passage, quote }) => ({
      passage: passage - 1,
      quote: quote.slice(0, QUOTE_CHARS_MAX),
    }));
    const quotes = cited.flatMap((one) => locateQuote(one, passages[one.passage]) ?? []);
    const lost = cited.filter(
      (one) => !quotes.some(({ passage, quote }) => passage === one.passage && quote === one.quote),
    );
    if (text === '' || quotes.length === 0)
      return { text, quotes: [], problems: [{ kind: 'quotation', text: lost[0]?.quote ?? '' }] };
    const elsewhere = new Set(quotes.flatMap(({ passage }) => [...(termsOf[passage] ?? [])]));
    const proof = quotes.map((quote) => buildSupport(quote, passages[quote.passage]));
    return { text, quotes, problems: checkStatement(text, proof, { language, elsewhere }) };
  });
}

/** Finds a quotation in its passage; null if it does not stand there. */
export function locateQuote(
  { passage, quote }: { passage: number; quote: string },
  source: SourcePassage | undefined,
): ProvedQuote | null {
  const [place] = source === undefined ? [] : findQuotes(source.text, [quote]);
  if (place === undefined || place.found === 'no') return null;
  return { passage, quote, start: place.start, end: place.end };
}

/** Builds the support of a quotation: with the sentences around it, and the title of its page. */
export function buildSupport({ start, end }: ProvedQuote, passage: SourcePassage | undefined): Support {
  const { text, title } = passage ?? { text: '', title: '' };
  return { quote: text.slice(start, end), context: extendToSentences(text, { start, end }), title };
}

/** Extends a span to whole sentences or lines, because a quotation may begin behind a word that denies it. */
function extendToSentences(text: string, { start, end }: { start: number; end: number }): string {
  const edges = [0, ...findSentenceEnds(text), ...findLineEnds(text), text.length].sort(
    (one, other) => one - other,
  );
  const from = edges.findLast((edge) => edge <= start) ?? 0;
  const to = edges.find((edge) => edge >= end) ?? text.length;
  return text.slice(from, to).trim();
}

const findLineEnds = (text: string): number[] =>
  [...text.matchAll(/\n[^\S\n]{0,40}(?:\n|[-*+|#>]|\d{1,3}[.)])/g)].map(({ index }) => index);

const LINKED_ADDRESS = /!?\[([^[\]\n]{0,500})\]\([^()\n]{0,2000}(?:\([^()\n]{0,200}\)[^()\n]{0,500})?\)/g;
const TAG = /<\/?[a-z][^<>\n]{0,500}>/gi;
const ADDRESS = /(?:(?:https?|ftp|data|javascript|vbscript|file|mailto):|www\.)[^\s<>"'`]{1,2000}/giu;
/** Control and format characters, but for those that join letters of some scripts. */
const UNSEEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]/gu;

/** Removes markup, marks that are not seen, and addresses that do not stand in `sources`, from a text that a model wrote. */
export function cleanWrittenText(written: string, sources: string): string {
  const plain = toPlainPage(
    written
      .replace(UNSEEN, '')
      .replace(LINKED_ADDRESS, '$1')
      .replace(TAG, '')
      .replace(/\[\d{1,3}(?:,\s?\d{1,3}){0,30}\]/g, ''),
  );
  return plain
    .replace(ADDRESS, (address) =>
      sources.includes(address.replace(/(?<![.,;:!?)])[.,;:!?)]+$/, '')) ? address : '',
    )
    .replace(/\s+/g, ' ')
    .trim();
}
