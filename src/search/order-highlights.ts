/**
 * Orders the highlights of a page again with a model that compares the words of the question with those of the passage, where one is
 * configured. The text, the scores and the order of pages stay; without a model, or when it is late, so do the highlights.
 */
import { JUDGED_MAX, type Reranker } from '../recall/rerank/reranker.ts';
import { toPlainPage } from '../text/markup/visible-text.ts';
import type { WantedParts } from '../text/prune/page-parts.ts';
import { guessLanguage } from '../text/words/guess-language.ts';
import type { CitedParts } from './cite-parts.ts';

/**
 * The log odds that one unit of the model's score is worth. Chosen on 220 questions over manuals that the published figures leave out; 36
 * to 80 are as good.
 */
const TOKENS_WEIGHT = 50;
/** Our scores fall by half the distance of the log odds. */
const SCORE_WEIGHT = 2;
const SCORE_MIN = 1e-4;
/** A text in no known language is read from this share of Latin letters on: mostly code and names. */
const LATIN_SHARE_MIN = 0.9;
/** Headings that are read with a passage, the nearest ones. */
const HEADINGS_MAX = 2;

type HighlightBounds = NonNullable<WantedParts['highlights']>;

/** Requests as many highlights as the model reads; `orderHighlights` cuts them to the requested number. */
export function requestCandidates(wanted: WantedParts, reranker: Reranker | null): WantedParts {
  const { highlights } = wanted;
  if (reranker === null || highlights === null) return wanted;
  return { ...wanted, highlights: { ...highlights, perUrl: Math.max(highlights.perUrl, JUDGED_MAX) } };
}

type OrderOptions = {
  /** What was requested of the page. */
  highlights: HighlightBounds | null;
  /** Null leaves the order as it is. */
  query: string | null;
  reranker: Reranker | null;
};

/** Puts the candidates of a page in order and cuts them to the requested number. */
export async function orderHighlights<Parts extends CitedParts>(
  parts: Parts,
  { highlights: bounds, query, reranker }: OrderOptions,
): Promise<Parts> {
  const { highlights: texts } = parts;
  if (reranker === null || bounds === null || texts === undefined) return parts;
  const order = query === null ? null : await readOrder(parts, query, reranker);
  return takeInOrder(parts, (order ?? [...texts.keys()]).slice(0, bounds.perUrl));
}

/** Returns the places of the highlights, best first; null to leave them. */
async function readOrder(
  { highlights = [], highlightScores = [], highlightProofs = [] }: CitedParts,
  query: string,
  reranker: Reranker,
): Promise<number[] | null> {
  const best = Math.max(0, ...highlightScores);
  // In a short text, such as an abstract, what repeats the question best is rarely what answers it.
  if (highlights.length < JUDGED_MAX || best === 0 || !isEnglish(highlights)) return null;
  const passages = highlights.map((markdown, place) =>
    toPassage(markdown, highlightProofs[place]?.headingPath ?? []),
  );
  const compared = await reranker.compareTokens(query, passages);
  if (compared === null) return null;
  const worths = compared.map(
    (score, place) =>
      TOKENS_WEIGHT * score +
      SCORE_WEIGHT * Math.log(Math.max(SCORE_MIN, highlightScores[place] ?? 0) / best),
  );
  const read = [...worths.keys()].sort((one, other) => (worths[other] ?? 0) - (worths[one] ?? 0));
  return [...read, ...highlights.slice(read.length).map((_, place) => read.length + place)];
}

/** The models of the catalogue know English; in other languages our order is better. */
function isEnglish(highlights: readonly string[]): boolean {
  const language = guessLanguage(highlights.map((markdown) => ({ markdown })));
  if (language !== null) return language === 'en';
  const text = highlights.join('\n');
  const count = (letters: RegExp): number => text.match(letters)?.length ?? 0;
  return count(/\p{Script=Latin}/gu) >= LATIN_SHARE_MIN * count(/\p{L}/gu);
}

const toPassage = (markdown: string, headingPath: readonly string[]): string => {
  const text = toPlainPage(markdown).replace(/\s+/g, ' ').trim();
  return headingPath.length === 0 ? text : `${headingPath.slice(-HEADINGS_MAX).join(' ')}: ${text}`;
};

/** Takes the highlights at some places, in that order; the scores stay in theirs, so that they descend. */
function takeInOrder<Parts extends CitedParts>(parts: Parts, order: readonly number[]): Parts {
  const take = <Value>(values: readonly Value[]): Value[] =>
    order.flatMap((place) => values.slice(place, place + 1));
  const { highlights, highlightScores, highlightProofs } = parts;
  return {
    ...parts,
    ...(highlights === undefined ? {} : { highlights: take(highlights) }),
    ...(highlightScores === undefined ? {} : { highlightScores: highlightScores.slice(0, order.length) }),
    ...(highlightProofs === undefined ? {} : { highlightProofs: take(highlightProofs) }),
  };
}
