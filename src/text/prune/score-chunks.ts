import type { Chunk, ScoredChunk } from '../chunk/chunk-markdown.ts';
import { measureLinkShare } from '../passages/link-share.ts';
import { scorePassages } from '../passages/score-passages.ts';
import type { Query } from '../query/read-query.ts';
import { createDefinitionMatcher } from './definition.ts';

const DIGITS = 10_000;
/**
 * Lists of links describe other pages: with a share of link text of `from` or more a chunk counts less, from `to` on only `least`.
 */
const LINKS = { from: 0.5, to: 0.85, least: 0.15 };

/** Version notes tell when something changed, rarely how it works: a chunk that consists mostly of them counts half. */
const VERSION_NOTES = { from: 0.5, worth: 0.5 };
const VERSION_NOTE =
  /^[\s>*_-]{0,8}(?:(?:changed|new|removed|added) in version|deprecated since|added in:? v\d)/i;
const ASKS_FOR_VERSION =
  /\b(?:versions?|releases?d?|since|chang(?:e|es|ed)|deprecated|removed|new in|added)\b/i;

/**
 * Adds to the chunks of one page a score from 0 to 1 for the query, comparable between the pages of one search; `language` (BCP 47)
 * is guessed when null. All are 0 when no chunk matches the query or it is empty.
 */
export function scoreChunks(chunks: readonly Chunk[], query: Query, language: string | null): ScoredChunk[] {
  const scores = scorePassages(chunks, query, language);
  const worths = computeWorths(chunks);
  const noted = ASKS_FOR_VERSION.test(query.text) ? 1 : VERSION_NOTES.worth;
  const scored = chunks.map((chunk, place) => {
    const { links, isNotes } = worths[place] ?? { links: 1, isNotes: false };
    const { score = 0, words = 0, does = 0 } = scores[place] ?? {};
    const worth = links * (isNotes ? noted : 1);
    return { ...chunk, score: Math.round(score * worth * DIGITS) / DIGITS, words: words * worth, does };
  });
  const defines = createDefinitionMatcher(query);
  return defines === null ? scored : boostDefinitions(scored, defines);
}

/** Boosts definitions of the query's subject to the top score; the other chunks score at least slightly less. */
function boostDefinitions(scored: ScoredChunk[], defines: (markdown: string) => boolean): ScoredChunk[] {
  const isOne = scored.map(({ score, markdown }) => score > 0 && defines(markdown));
  if (!isOne.includes(true)) return scored;
  const best = scored.reduce((most, { score }) => Math.max(most, score), 0);
  return scored.map((chunk, place) =>
    isOne[place] ? { ...chunk, score: best } : { ...chunk, score: Math.min(chunk.score, best - 1 / DIGITS) },
  );
}

type Worth = { links: number; isNotes: boolean };
const known = new WeakMap<readonly Chunk[], Worth[]>();

/** Returns the weights of the chunks of a page, which do not depend on the query; cached by the list. */
function computeWorths(chunks: readonly Chunk[]): Worth[] {
  const worths = known.get(chunks) ?? chunks.map(computeWorth);
  known.set(chunks, worths);
  return worths;
}

function computeWorth({ markdown }: Chunk): Worth {
  const beyond = (measureLinkShare(markdown) - LINKS.from) / (LINKS.to - LINKS.from);
  const notes = markdown.split('\n\n').filter((paragraph) => VERSION_NOTE.test(paragraph));
  return {
    links: 1 - (1 - LINKS.least) * Math.min(1, Math.max(0, beyond)),
    isNotes: notes.join('').length > VERSION_NOTES.from * markdown.length,
  };
}
