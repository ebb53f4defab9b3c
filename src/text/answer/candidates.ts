import type { ScoredChunk } from '../chunk/chunk-markdown.ts';
import { toVisibleText } from '../markup/visible-text.ts';
import { countTermChunks } from '../passages/score-passages.ts';
import { type ChunkedPage, preparePage, scorePrepared } from '../prune/chunked-page.ts';
import { hasKnownRarities, type Question } from '../query/question.ts';
import type { Query } from '../query/read-query.ts';
import { isStopWord } from '../words/stop-words.ts';
import { tokenizeWords } from '../words/words.ts';
import { type AskedAnswer, readAskedAnswer } from './answer-types.ts';
import { computeAnswerFeatures } from './features.ts';
import { findQuotables, type Quotable } from './quotable.ts';
import { growWindow, narrowWindow, type Window } from './windows.ts';
import { createWordMeanings } from './word-meanings.ts';

export const PAGE_KINDS: readonly PageKind[] = ['prose', 'technical'];
const CHARS_READ = 20_000;
/** Minimum code spans, fences and program names (`max_size`, `read()`, `--force`) per thousand characters of a technical page. */
const MARKS_MIN = 0.5;
const MARKS =
  /`[^`\n]{1,80}`|^[ >]{0,8}```|[a-zA-Z0-9]_[a-zA-Z0-9]|[a-zA-Z]\(\)|(?<=[\s(])--[a-z]|[a-z]::[a-z]/gm;

/** A possible quotation with its features, in the order of `FEATURES`, and all quotables of its page. */
export type QuoteCandidate = {
  page: AnswerPage;
  window: Window;
  features: number[];
  quotables: readonly Quotable[];
};

const PAGES_MAX = 10;
/** Maximum characters read of a page. */
const PAGE_CHARS_MAX = 400_000;
const CHUNKS_PER_PAGE = 5;
const CHUNKS_TOTAL_MAX = 16;
const STARTS_PER_CHUNK = 5;
const PROSE_STARTS_PER_CHUNK = 8;
const LABEL_CHARS = 60;
/** Minimum share of the words of a title that are in the question, if the page is about its subject. */
const TITLE_SHARE_MIN = 0.5;

type CandidateChunk = {
  page: AnswerPage;
  pagePlace: number;
  prepared: ChunkedPage;
  chunk: ScoredChunk;
  place: number;
  /** True for the best instructions of its page. */
  isDoing: boolean;
};

/** Finds possible quotations, grown from the best sentences of the best chunks of all pages. */
export function findQuoteCandidates(
  query: Query,
  pages: readonly AnswerPage[],
  kind: PageKind,
): QuoteCandidate[] {
  const best = pages
    .slice(0, PAGES_MAX)
    .map((page) => ({ ...page, markdown: page.markdown.slice(0, PAGE_CHARS_MAX) }))
    .flatMap((page, pagePlace) => selectBestChunks(query, page, { pagePlace, kind }))
    .sort((left, right) => right.chunk.score - left.chunk.score)
    .filter(({ isDoing }, rank) => rank < CHUNKS_TOTAL_MAX || isDoing);
  const bestTitle = Math.max(
    0,
    ...best.map(({ page }) => measureTitle(page, query.asQuestion(page.language))),
  );
  const readers = new Map<AnswerPage, PageReader>();
  return best.flatMap((read) => {
    const reader = readers.get(read.page) ?? createReader(query, read, { kind, bestTitle });
    readers.set(read.page, reader);
    const others = best.filter(({ chunk }) => chunk !== read.chunk).map(({ chunk }) => chunk.score);
    return reader(read, Math.max(0, ...others));
  });
}

/** On a technical page the chunk with the instructions that are asked for is always among them. */
function selectBestChunks(
  query: Query,
  page: AnswerPage,
  { pagePlace, kind }: { pagePlace: number; kind: PageKind },
): CandidateChunk[] {
  const prepared = preparePage(page);
  const read = { ...page, language: prepared.language };
  const chunks = scorePrepared(prepared, query);
  if (chunks.every(({ score }) => score === 0) && measureTitle(read, query.asQuestion(read.language)) === 0)
    return [];
  const doesMost = kind === 'technical' ? Math.max(...chunks.map(({ does = 0 }) => does)) : 0;
  return chunks
    .map((chunk, place) => ({
      page: read,
      pagePlace,
      prepared,
      chunk,
      place,
      isDoing: doesMost > 0 && chunk.does === doesMost,
    }))
    .sort((left, right) => right.chunk.score - left.chunk.score)
    .filter(({ isDoing }, rank) => rank < CHUNKS_PER_PAGE || isDoing);
}

type PageReader = (read: CandidateChunk, bestOther: number) => QuoteCandidate[];

function createReader(
  query: Query,
  { page, prepared }: CandidateChunk,
  { kind, bestTitle }: { kind: PageKind; bestTitle: number },
): PageReader {
  const isProse = kind === 'prose';
  const question = query.asQuestion(page.language);
  const idf = computePageIdf(prepared, question);
  const quotables = findQuotables(page.markdown);
  const about = kind === 'prose' && isAbout(page, question) ? `${page.title}. ` : '';
  const named = new Set(tokenizeWords(about, page.language));
  const terms = question.terms.filter(({ text }) => !named.has(text));
  const worthOf = createWorth(page, quotables, terms);
  const plain = createPlainReader(page.markdown);
  const wordMeanings = createWordMeanings(question.text, {
    language: page.language,
    topic: new Set([...named, ...listNames(question, idf.terms)]),
  });
  const mayNarrow =
    isProse && hasKnownRarities(page.language) && isOneSentence(readAskedAnswer(question.text));
  return (read, bestOther) =>
    buildWindows(read.chunk, quotables, { question, worth: worthOf, isProse }).flatMap((window) => {
      const { best, first, last } = window;
      if (isProse && best.kind === 'sentence' && !wordMeanings.mayAnswer(plain(best.start, best.end)))
        return [];
      const texts = {
        text: plain(first.start, last.end),
        best: plain(best.start, best.end),
        title: page.title,
        about,
        headings: `${best.headingPath.join('\n')}${readHeader(page, best)}`,
        subject: [best.headingPath.at(-1) ?? '', best.term].join('\n'),
        markdown: page.markdown.slice(first.start, last.end),
      };
      const passage = {
        ...texts,
        kind: best.kind,
        isItem: best.item > 0,
        isTechnical: !isProse,
        pagePlace: read.pagePlace,
        pageTerms: idf.terms,
        idf: idf.of,
        chunkScore: read.chunk.score,
        gap: read.chunk.score - bestOther,
        chunkPlace: read.place,
        isDoing: read.isDoing,
        wordMeanings: wordMeanings.measure(texts),
        titleBehind: bestTitle - measureTitle(page, question),
      };
      const features = computeAnswerFeatures(question, passage, page.language);
      return [
        {
          page,
          window: mayNarrow ? narrowWindow(quotables, window) : window,
          quotables,
          features,
        },
      ];
    });
}

/** True when one sentence answers; what something is, or an answer of open form, may take two. */
const isOneSentence = (asked: AskedAnswer | null): boolean => asked !== null && asked.group !== 'sense';

/** Measures how much of the question a title names. */
function measureTitle({ title, language }: AnswerPage, { terms }: Question): number {
  const named = new Set(tokenizeWords(title, language));
  return terms.reduce((sum, { text, rarity }) => sum + (named.has(text) ? rarity : 0), 0);
}

/** Lists the names in the question that occur on the page: the page is about them, even where a sentence says "she". */
const listNames = ({ terms }: Question, pageTerms: ReadonlySet<string>): string[] =>
  terms.flatMap(({ text, isName }) => (isName && pageTerms.has(text) ? [text] : []));

/** True when the title names the subject of the question, which then asks something about it. */
function isAbout({ title, language }: AnswerPage, { terms }: Question): boolean {
  const named = new Set(tokenizeWords(title, language).filter((word) => !isStopWord(word)));
  const asked = terms.filter(({ text }) => named.has(text)).length;
  return asked > 0 && asked >= named.size * TITLE_SHARE_MIN && asked < terms.length;
}

const readHeader = ({ markdown }: AnswerPage, { header }: Quotable): string =>
  header === null ? '' : `\n${markdown.slice(header.start, header.end)}`;

function createPlainReader(markdown: string): (start: number, end: number) => string {
  return (start, end) => toVisibleText(markdown.slice(start, end));
}

/** Builds the distinct windows grown from the best quotables of a chunk. */
function buildWindows(
  chunk: ScoredChunk,
  quotables: readonly Quotable[],
  { question, worth, isProse }: { question: Question; worth: (place: number) => number; isProse: boolean },
): Window[] {
  const starts = quotables
    .map(({ start, end, kind, says, isTitle }, place) => ({
      start,
      end,
      kind,
      place,
      says: says && !isTitle,
    }))
    .filter(({ start, end, kind, says }) => {
      if (start >= chunk.end || end <= chunk.start) return false;
      return says && (kind !== 'code' || question.seeksCode || question.forms.length > 0);
    })
    .map(({ place }) => ({ place, weight: worth(place) }))
    .sort((left, right) => right.weight - left.weight || left.place - right.place)
    .slice(0, isProse ? PROSE_STARTS_PER_CHUNK : STARTS_PER_CHUNK);
  const windows = starts.flatMap(({ place }) => growWindow(quotables, place, { worth, isProse }) ?? []);
  return windows.filter(
    (window, index) =>
      !isLabel(window) &&
      windows.findIndex(({ best, first, last }) =>
        isProse ? best === window.best : first === window.first && last === window.last,
      ) === index,
  );
}

/** True when a window is only a few words without a sentence, such as a heading of a box and the link to its contents. */
function isLabel({ best, first, last }: Window): boolean {
  const isSaid = [best, first, last].some(({ kind, isSentence }) => kind !== 'sentence' || isSentence);
  return !isSaid && last.end - first.start < LABEL_CHARS;
}

/** Creates a function that returns the weight of the question's terms in a quotable; cached. */
function createWorth(
  page: AnswerPage,
  quotables: readonly Quotable[],
  terms: Question['terms'],
): (place: number) => number {
  const known = new Map<number, number>();
  return (place) => {
    const quotable = quotables[place];
    if (quotable === undefined) return 0;
    const worth = known.get(place) ?? computeWorth(quotable);
    known.set(place, worth);
    return worth;
  };
  function computeWorth(quotable: Quotable): number {
    const text = toVisibleText(page.markdown.slice(quotable.start, quotable.end));
    const held = new Set(tokenizeWords(text, page.language));
    return terms.reduce((sum, { text: term, rarity }) => sum + (held.has(term) ? rarity : 0), 0);
  }
}

/** Computes the idf of the question's terms over the chunks of the page, as a share of the idf of a term that occurs nowhere. */
function computePageIdf(
  { chunks, language }: ChunkedPage,
  { terms }: Question,
): { of: (term: string) => number; terms: ReadonlySet<string> } {
  const counts = countTermChunks(chunks, language, new Set(terms.map(({ text }) => text)));
  const computeIdf = (count: number): number => Math.log(1 + (chunks.length - count + 0.5) / (count + 0.5));
  return { of: (term) => computeIdf(counts.get(term) ?? 0) / computeIdf(0), terms: new Set(counts.keys()) };
}

/** The kind of a page: prose and technical pages have separate weights. */
export type PageKind = 'prose' | 'technical';

/**
 * Detects the kind of most of these pages; prose when both are equally frequent, and when the rarity of the language's words is
 * unknown: there are too few questions about manuals in other languages to learn from.
 */
export function detectPageKind(pages: readonly Pick<AnswerPage, 'markdown' | 'language'>[]): PageKind {
  return pages.filter(isTechnical).length > pages.length / 2 ? 'technical' : 'prose';
}

function isTechnical({ markdown, language }: Pick<AnswerPage, 'markdown' | 'language'>): boolean {
  if (!hasKnownRarities(language)) return false;
  const text = markdown.slice(0, CHARS_READ);
  const marks = text.match(MARKS)?.length ?? 0;
  return marks * 1_000 >= MARKS_MIN * text.length && marks > 1;
}

/** A page that may be quoted; `language` selects the stemmer, null when unknown. */
export type AnswerPage = { url: string; title: string; markdown: string; language: string | null };

/** A quotation with its citation: the hash of the source text, and a link that opens the page there. */
export type QuotedAnswer = Quotation & { contentHash: string; link: string };

/**
 * A page's answer to a question, verbatim: `markdown.slice(start, end)`. A table row is preceded by the header of its table, and
 * cut code has its fence closed.
 */
export type Quotation = {
  text: string;
  url: string;
  title: string;
  /** Texts of the headings above it, outermost first. */
  headingPath: string[];
  start: number;
  end: number;
  /** The confidence that it contains the answer, from 0 to 1. */
  score: number;
};
