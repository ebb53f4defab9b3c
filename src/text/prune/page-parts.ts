/**
 * Builds the requested parts of one page: text, highlights, pruned context, summary. All quotations are verbatim slices of the page
 * with their places. It does not fetch or extract pages, and it does not rank pages against each other.
 */
import { HIGHLIGHT_CHARS_MIN } from '../../contract/limits.ts';
import { chunkMarkdown, type Place, type ScoredChunk } from '../chunk/chunk-markdown.ts';
import { findSentenceEnds } from '../chunk/sentences.ts';
import { parseMarkdownBlocks } from '../markup/markdown-blocks.ts';
import { toPlainPage } from '../markup/visible-text.ts';
import type { PassageQuery } from '../query/passage-query.ts';
import { type Query, readQuery } from '../query/read-query.ts';
import { resolveStemLanguage } from '../words/stems.ts';
import { tokenizeWords } from '../words/words.ts';
import { type ChunkedPage, type PageText, preparePage, scorePrepared } from './chunked-page.ts';
import { chooseHighlights } from './highlights.ts';
import { cutMarkdown, type PruneMethod, pruneMarkdown } from './prune-markdown.ts';
import { extendHighlights } from './reach.ts';
import { scoreChunks } from './score-chunks.ts';
import { computeAmount, SHORT_PAGE } from './select-chunks.ts';

/** The requested parts of a page, besides its address and title; null: not requested. */
export type WantedParts = {
  text: { charsMax: number | null } | null;
  highlights: { query: string | null; perUrl: number; charsMax: number | null } | null;
  pruned: {
    query: string | null;
    /** Share of the usual amount to keep of this page; absent: all of it. */
    share?: number;
  } | null;
  /** Absent: not requested. */
  summary?: { query: string | null };
  /** All parts as plain text instead of Markdown. */
  plain?: true;
};

/** The requested parts of a page; the others are absent. */
export type PageParts = {
  text?: string;
  highlights?: string[];
  highlightScores?: number[];
  /** Places of the highlights in the page's Markdown. */
  highlightPlaces?: Place[];
  prunedContext?: string;
  /** Places of the parts of the pruned context in the page's Markdown, in page order. */
  prunedPlaces?: Place[];
  /** How the pruned context was chosen. */
  prunedBy?: PruneMethod;
  summary?: string;
};

/**
 * Builds the requested parts of one page. Highlights, pruned context and summary use their own query if they have one, else
 * `query`; without any query they come from the opening of the page.
 */
export function buildPageParts(page: PageText, wanted: WantedParts, query: string | null): PageParts {
  if (needsScores(wanted)) return buildPreparedParts(preparePage(page), wanted, query);
  return buildTextPart(page, wanted);
}

/** Like `buildPageParts`, for a prepared page: only the work that depends on the query remains. */
export function buildPreparedParts(page: ChunkedPage, wanted: WantedParts, query: string | null): PageParts {
  const written = chooseWriter(wanted);
  const parts = buildTextPart(page, wanted);
  const scored = createScorer(page);
  if (wanted.highlights !== null) {
    const asked = wanted.highlights.query ?? query;
    const all = scored(asked);
    const chosen = trimToOwnSections(page, chooseHighlights(all, wanted.highlights), readQuery(asked ?? ''));
    const best = extendHighlights(page.markdown, { chunks: all, chosen }, wanted.highlights.charsMax);
    parts.highlights = best.map(({ markdown }) => written(markdown));
    parts.highlightScores = best.map(({ score }) => score);
    parts.highlightPlaces = best.map(({ start, end, headingPath }) => ({ start, end, headingPath }));
  }
  if (wanted.pruned !== null) {
    const { markdown, prunedBy, runs } = pruneMarkdown(
      page.markdown,
      scoreForPruning(page, wanted.pruned.query ?? query, scored),
      computeAmount(wanted.pruned.share ?? 1, page.markdown.length),
    );
    parts.prunedContext = written(markdown);
    parts.prunedBy = prunedBy;
    parts.prunedPlaces = runs;
  }
  if (wanted.summary !== undefined) parts.summary = buildSummary(scored(wanted.summary.query ?? query));
  return parts;
}

/**
 * Returns the scored chunks for pruning: those of the highlights, or smaller ones for a short page; an empty list keeps the page
 * whole.
 */
function scoreForPruning(
  { markdown, language }: ChunkedPage,
  query: string | null,
  scored: (query: string | null) => ScoredChunk[],
): ScoredChunk[] {
  if (markdown.length > SHORT_PAGE.charsMax) return scored(query);
  if (query === null) return [];
  return scoreChunks(chunkMarkdown(markdown, SHORT_PAGE.chunks), readQuery(query), language);
}

function buildTextPart({ markdown }: PageText, wanted: WantedParts): PageParts {
  if (wanted.text === null) return {};
  return { text: chooseWriter(wanted)(cutMarkdown(markdown, wanted.text.charsMax)) };
}

const chooseWriter = ({ plain }: WantedParts): ((markdown: string) => string) =>
  plain ? toPlainPage : (markdown) => markdown;

/** True when a requested part needs scored passages. */
export function needsScores({ highlights, pruned, summary }: WantedParts): boolean {
  return highlights !== null || pruned !== null || summary !== undefined;
}

function createScorer(page: ChunkedPage): (query: string | null) => ScoredChunk[] {
  const known = new Map<string, ScoredChunk[]>();
  return (query) => {
    const key = query ?? '';
    const scored = known.get(key) ?? scorePrepared(page, readQuery(key));
    known.set(key, scored);
    return scored;
  };
}

const HEADING = /^#{1,6} +\S/m;
/** A heading, or an entry that is not part of another. */
const UNIT = /^(?:#{1,6}|[-*+]|\d{1,9}[.)]) +\S/m;
const INDENTED = /^[ \t]/;
/** A shorter beginning of a section stays together with the text before it. */
const SECTION_CHARS_MIN = 150;
const LEVEL_MAX = 6;

/**
 * Trims chunks that begin with the end of one section or entry and go on with the next: they begin with the next one if it matches
 * the query better than that end.
 */
export function trimToOwnSections(
  { markdown, language }: PageText,
  chunks: readonly ScoredChunk[],
  query: Query,
): ScoredChunk[] {
  const asked = query.forPassages(language);
  return chunks.map((chunk) => {
    const at = findSectionStart(chunk, asked, language);
    if (at === null) return chunk;
    const shown = chunk.markdown.slice(at);
    const section = { ...chunk, markdown: shown, start: chunk.start + at };
    // At the end of the page there is no text left to extend it with.
    if (markdown.length - section.start < HIGHLIGHT_CHARS_MIN) return chunk;
    return section.markdown.startsWith('#') ? replaceHeadings(markdown, section) : section;
  });
}

/** Returns the offset of the next section in a chunk that should begin there; null to leave the chunk as it is. */
function findSectionStart(
  { markdown, added }: ScoredChunk,
  asked: PassageQuery,
  language: string | null,
): number | null {
  // Inside code a line may look like a heading.
  if (added !== undefined || markdown.startsWith('#') || markdown.includes('```')) return null;
  const at = markdown.search(INDENTED.test(markdown) ? UNIT : HEADING);
  if (at <= 0 || markdown.length - at < SECTION_CHARS_MIN) return null;
  const [end, section] = [markdown.slice(0, at), markdown.slice(at)];
  return sumMatchedRarities(section, asked, language) > sumMatchedRarities(end, asked, language) ? at : null;
}

/** Replaces the headings of the previous section in the path of a chunk with the one that it begins with. */
function replaceHeadings(page: string, chunk: ScoredChunk): ScoredChunk {
  const own = parseMarkdownBlocks(chunk.markdown).find(({ kind }) => kind !== 'heading')?.headings ?? [];
  const level = own[0]?.level ?? 1;
  const { headings = [], headingPath } = chunk;
  const above = headings.filter(({ start }) => readLevel(page.slice(start, start + LEVEL_MAX)) < level);
  const begun = own.map(({ start, end }) => ({ start: chunk.start + start, end: chunk.start + end }));
  return {
    ...chunk,
    headings: [...above, ...begun],
    headingPath: [...headingPath.slice(0, above.length), ...own.map(({ text }) => text)],
  };
}

const readLevel = (text: string): number => text.length - text.replace(/^#+/, '').length;

/** Sums the rarities of the query's terms that occur in a text. */
function sumMatchedRarities(
  text: string,
  { terms, rarities }: PassageQuery,
  language: string | null,
): number {
  const said = new Set(tokenizeWords(text, resolveStemLanguage(language)));
  return terms.reduce((sum, term, place) => sum + (said.has(term) ? (rarities[place] ?? 0) : 0), 0);
}

/** Number of passages in a summary, and its maximum length. */
const PASSAGES = 3;
const SUMMARY_CHARS_MAX = 900;

/**
 * Builds an extractive summary: the first sentences of the best passages, verbatim as plain text, in page order. Each passage gets
 * an equal share of the length.
 */
export function buildSummary(scored: ScoredChunk[]): string {
  const best = chooseHighlights(scored, { perUrl: PASSAGES, charsMax: null }).sort(
    (one, other) => one.start - other.start,
  );
  const share = Math.floor(SUMMARY_CHARS_MAX / Math.max(1, best.length));
  return best
    .map(({ markdown }) => takeFirstSentences(stripHeadings(markdown), share))
    .filter((text) => text !== '')
    .join(' ');
}

const stripHeadings = (markdown: string): string =>
  toPlainPage(markdown.replace(/^ {0,3}#{1,6} .*$/gm, ''))
    .replace(/\s+/g, ' ')
    .trim();

/** Returns the sentences that fit; if even the first is too long, it is cut at a word. */
function takeFirstSentences(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const end = findSentenceEnds(text)
    .filter((at) => at <= charsMax)
    .at(-1);
  if (end !== undefined) return text.slice(0, end);
  const border = text.lastIndexOf(' ', charsMax - 1);
  return `${text.slice(0, border > 0 ? border : charsMax - 1).toWellFormed()}…`;
}
