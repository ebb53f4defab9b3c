import assert from 'node:assert/strict';
import type { ScoredChunk } from '../../text/chunk/chunk-markdown.ts';
import { chunkMarkdown } from '../../text/chunk/chunk-markdown.ts';
import { buildTextFragmentLink } from '../../text/citations/text-fragment.ts';
import { trimSpan } from '../../text/citations/trimmed-span.ts';
import { scoreChunks } from '../../text/prune/score-chunks.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { parseTerms, tokenizeWords } from '../../text/words/words.ts';
import type { Facet, FacetKind, Passage, ResearchPage } from './relevance.ts';
import { selectTopicTerms, sumWeights } from './relevance.ts';

/** Maximum characters read per page. */
const PAGE_CHARS_READ = 300_000;
const PASSAGES_PER_FACET = 4;
const PASSAGES_PER_PAGE = 16;
/** Weight of a word in the headings or the title relative to one in the passage. */
const ABOVE_WEIGHT = 0.6;
/** Share of a fit that comes from the facet's words found in passage, headings and title; the rest is the chunk's score. */
const COVERED_SHARE = 0.7;
/** Share of a fit that depends on the score that the search gave the page. */
const FOUND_SHARE = 0.2;
/** Minimum share of a facet's weight that a passage about it covers. */
const COVERED_MIN: Record<FacetKind, number> = {
  question: 0.3,
  clause: 0.4,
  side: 0.45,
  comparison: 0.4,
  name: 0.75,
  related: 0.75,
};

/** Extracts the passages of a page that are relevant to any facet from place `from` on, in page order, with their fits. */
export function extractPassages(page: ResearchPage, facets: readonly Facet[], from = 0): Passage[] {
  const { markdown: whole, found, textLanguage = page.language, ...about } = page;
  const chunks = chunkMarkdown(whole.slice(0, PAGE_CHARS_READ));
  const fitsOf = new Map<number, Record<number, number>>();
  for (const [place, facet] of facets.entries()) {
    if (place < from) continue;
    const scored = scoreChunks(chunks, readQuery(facet.query), textLanguage);
    const fit = createFitScorer(facet, page);
    const best = scored
      .map((chunk) => ({ start: chunk.start, value: fit(chunk) * computeFoundFactor(found[place]) }))
      .filter(({ value }) => value > 0)
      .sort((one, other) => other.value - one.value || one.start - other.start)
      .slice(0, PASSAGES_PER_FACET);
    for (const { start, value } of best) {
      const fits = fitsOf.get(start) ?? {};
      fitsOf.set(start, { ...fits, [place]: round(value) });
    }
  }
  return chunks
    .flatMap(({ markdown, headingPath, ...place }): Passage[] => {
      const fits = fitsOf.get(place.start);
      if (fits === undefined) return [];
      const { start, end } = trimSpan(whole, place);
      assert(0 <= start && start <= end && end <= whole.length, 'evidence lies within its page');
      return [
        {
          ...about,
          headingPath,
          quote: markdown,
          start,
          end,
          link: buildTextFragmentLink(page.url, whole, { start, end }),
          fits,
        },
      ];
    })
    .sort((one, other) => computeBestFit(other) - computeBestFit(one) || one.start - other.start)
    .slice(0, PASSAGES_PER_PAGE)
    .sort((one, other) => one.start - other.start);
}

/** Merges the passages from two readings of one page. */
export function joinPassages(first: readonly Passage[], second: readonly Passage[]): Passage[] {
  const joined = new Map(first.map((passage) => [passage.start, passage]));
  for (const passage of second) {
    const known = joined.get(passage.start);
    joined.set(passage.start, { ...passage, fits: { ...known?.fits, ...passage.fits } });
  }
  return [...joined.values()].sort((one, other) => one.start - other.start);
}

const computeBestFit = ({ fits }: Passage): number => Math.max(0, ...Object.values(fits));

/** Ranks a page found by the facet's own search slightly above one found by another's. */
function computeFoundFactor(score: number | undefined): number {
  return 1 - FOUND_SHARE + FOUND_SHARE * Math.min(1, Math.max(0, score ?? 0));
}

/** Returns a function that scores the chunks of a page for one facet, from 0 to 1; 0 for those that cover too little of it. */
function createFitScorer(
  { kind, query, facet }: Facet,
  { title, language }: ResearchPage,
): (chunk: ScoredChunk) => number {
  const terms = selectTopicTerms(readQuery(query).terms(language));
  const total = sumWeights(terms);
  // A related name must itself be covered; the words it was searched with may be missing.
  const needed = kind === 'related' ? selectTopicTerms(parseTerms(facet, language)) : terms;
  const inTitle = new Set(tokenizeWords(title, language));
  return ({ markdown, headingPath, score }) => {
    if (total === 0 || score === 0) return 0;
    const words = new Set(tokenizeWords(markdown, language));
    const above = new Set(tokenizeWords(headingPath.join(' '), language));
    const inside = terms.filter((term) => words.has(term));
    const over = terms.filter((term) => !words.has(term) && (above.has(term) || inTitle.has(term)));
    const held = new Set([...inside, ...over]);
    const share = sumWeights(needed.filter((term) => held.has(term))) / sumWeights(needed);
    if (!(share >= COVERED_MIN[kind])) return 0;
    const covered = (sumWeights(inside) + ABOVE_WEIGHT * sumWeights(over)) / total;
    return COVERED_SHARE * covered + (1 - COVERED_SHARE) * score;
  };
}

const round = (value: number): number => Math.round(value * 10_000) / 10_000;
