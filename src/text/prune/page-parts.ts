/**
 * Builds the requested parts of one page: text, highlights, pruned context, summary. All quotations are verbatim slices of the page
 * with their places. It does not fetch or extract pages, and it does not rank pages against each other.
 */
import type { Place, ScoredChunk } from '../chunk/chunk.ts';
import { chunkMarkdown } from '../chunk/chunk-markdown.ts';
import { readQuery } from '../query/read-query.ts';
import { plainPage } from '../words/plain-page.ts';
import { type ChunkedPage, type PageText, preparePage, scorePrepared } from './chunked-page.ts';
import { cutMarkdown } from './cut-markdown.ts';
import { highlightsOf } from './highlights.ts';
import { amountOf, SHORT_PAGE } from './kept-chunks.ts';
import { ownSections } from './own-section.ts';
import { type PrunedBy, pruneMarkdown } from './prune-markdown.ts';
import { reachNeighbours } from './reach.ts';
import { scoreChunks } from './score-chunks.ts';
import { summaryOf } from './summarise.ts';

/** The requested parts of a page, besides its address and title; null: not requested. */
export type ContentsWanted = {
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
  prunedBy?: PrunedBy;
  summary?: string;
};

/**
 * Builds the requested parts of one page. Highlights, pruned context and summary use their own query if they have one, else
 * `query`; without any query they come from the opening of the page.
 */
export function pageParts(page: PageText, wanted: ContentsWanted, query: string | null): PageParts {
  if (needsScores(wanted)) return partsOfPrepared(preparePage(page), wanted, query);
  return textOf(page, wanted);
}

/** Like `buildPageParts`, for a prepared page: only the work that depends on the query remains. */
export function partsOfPrepared(page: ChunkedPage, wanted: ContentsWanted, query: string | null): PageParts {
  const written = writtenAs(wanted);
  const parts = textOf(page, wanted);
  const scored = byQuery(page);
  if (wanted.highlights !== null) {
    const asked = wanted.highlights.query ?? query;
    const all = scored(asked);
    const chosen = ownSections(page, highlightsOf(all, wanted.highlights), readQuery(asked ?? ''));
    const best = reachNeighbours(page.markdown, { chunks: all, chosen }, wanted.highlights.charsMax);
    parts.highlights = best.map(({ markdown }) => written(markdown));
    parts.highlightScores = best.map(({ score }) => score);
    parts.highlightPlaces = best.map(({ start, end, headingPath }) => ({ start, end, headingPath }));
  }
  if (wanted.pruned !== null) {
    const { markdown, prunedBy, runs } = pruneMarkdown(
      page.markdown,
      scoredToPrune(page, wanted.pruned.query ?? query, scored),
      amountOf(wanted.pruned.share ?? 1, page.markdown.length),
    );
    parts.prunedContext = written(markdown);
    parts.prunedBy = prunedBy;
    parts.prunedPlaces = runs;
  }
  if (wanted.summary !== undefined) parts.summary = summaryOf(scored(wanted.summary.query ?? query));
  return parts;
}

/**
 * Returns the scored chunks for pruning: those of the highlights, or smaller ones for a short page; an empty list keeps the page
 * whole.
 */
function scoredToPrune(
  { markdown, language }: ChunkedPage,
  query: string | null,
  scored: (query: string | null) => ScoredChunk[],
): ScoredChunk[] {
  if (markdown.length > SHORT_PAGE.charsMax) return scored(query);
  if (query === null) return [];
  return scoreChunks(chunkMarkdown(markdown, SHORT_PAGE.chunks), readQuery(query), language);
}

function textOf({ markdown }: PageText, wanted: ContentsWanted): PageParts {
  if (wanted.text === null) return {};
  return { text: writtenAs(wanted)(cutMarkdown(markdown, wanted.text.charsMax)) };
}

const writtenAs = ({ plain }: ContentsWanted): ((markdown: string) => string) =>
  plain ? plainPage : (markdown) => markdown;

/** True when a requested part needs scored passages. */
export function needsScores({ highlights, pruned, summary }: ContentsWanted): boolean {
  return highlights !== null || pruned !== null || summary !== undefined;
}

function byQuery(page: ChunkedPage): (query: string | null) => ScoredChunk[] {
  const known = new Map<string, ScoredChunk[]>();
  return (query) => {
    const key = query ?? '';
    const scored = known.get(key) ?? scorePrepared(page, readQuery(key));
    known.set(key, scored);
    return scored;
  };
}
