/**
 * Builds the requested parts of one page: text, highlights, pruned context, summary. All quotations are verbatim slices of the page
 * with their places. It does not fetch or extract pages, and it does not rank pages against each other.
 */
import type { Place, ScoredChunk } from '../chunk/chunk-markdown.ts';
import { chunkMarkdown } from '../chunk/chunk-markdown.ts';
import { toPlainPage } from '../markup/visible-text.ts';
import { readQuery } from '../query/read-query.ts';
import { type ChunkedPage, type PageText, preparePage, scorePrepared } from './chunked-page.ts';
import { chooseHighlights } from './highlights.ts';
import { trimToOwnSections } from './own-section.ts';
import { cutMarkdown, type PruneMethod, pruneMarkdown } from './prune-markdown.ts';
import { extendHighlights } from './reach.ts';
import { scoreChunks } from './score-chunks.ts';
import { computeAmount, SHORT_PAGE } from './select-chunks.ts';
import { buildSummary } from './summarise.ts';

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
