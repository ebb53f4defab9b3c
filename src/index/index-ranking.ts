import { type Exemplar, feedbackTerms } from '../text/query/feedback.ts';
import { hashOf, openWords, type PackedWords } from '../text/scoring/packed-words.ts';
import { featuresOf, scoreOf, termMatch, titleSaid } from '../text/scoring/score-page.ts';
import { idfOf, type WeighedQuery } from './index-query.ts';
import type { PageMeaning } from './vectors/page-vectors.ts';

type ScoredPage = { id: number; words: PackedWords; score: number };

/** What ranking needs of the index. */
type RankingParts = {
  /** The packed words of a page; null when it is gone. */
  words(id: number): Uint8Array | null;
  /** The beginning of a page's text. */
  opening(id: number): Omit<Exemplar, 'score'>;
  frequencyOf(token: string): number;
  pages: number;
  /** Null for a page whose meaning is not known. */
  meaningOf(id: number): PageMeaning | null;
  /** The pages that were found by their meaning; null where pages are only found by their words. */
  meant: ReadonlySet<number> | null;
};

/**
 * A page must cover this share of the weight of the query's words, or it is not about the query; less of a long query, of
 * which every page says but a part.
 */
const COVERED = { most: 0.2, least: 0.05, words: 0.8 };
const coveredMin = (terms: number): number =>
  Math.max(COVERED.least, Math.min(COVERED.most, COVERED.words / terms));

/**
 * Short queries name a thing, and its page is wanted; from this many topic words on a query describes a subject, whose
 * pages also share words that the query does not say.
 */
const FEEDBACK_WORDS_MIN = 4;
const EXEMPLARS = 5;
/** Of the shared words beside the query's own score of 1. */
const FEEDBACK_SHARE = 0.6;
/** Of how close a page's meaning is beside its score by words. */
const MEANING_SHARE = 0.2;
/** A page that has too few words of the query is about it from this cosine on, which 1 in 1,000 pages about something else reaches. */
const MEANT_MIN = 0.42;
/** A word of one page alone tells nothing about the others. */
const FREQUENCY_MIN = 2;

/** Scores pages for a query, best first; pages off the topic are left out. Scores are from 0 to 1. */
export function rankPages(ids: number[], read: WeighedQuery, parts: RankingParts): ScoredPage[] {
  const covered = coveredMin(read.scoring.terms.length);
  const scored: ScoredPage[] = [];
  for (const id of ids) {
    const bytes = parts.words(id);
    if (bytes === null) continue;
    const words = openWords(bytes);
    const features = featuresOf(words, read.scoring);
    if (features.covered >= covered || isAbout(id, parts))
      scored.push({ id, words, score: scoreOf(features) });
  }
  scored.sort(better);
  if (read.scoring.topicWords < FEEDBACK_WORDS_MIN || scored.length <= EXEMPLARS)
    return withMeaning(scored, parts).sort(better);
  return withMeaning(withFeedback(scored, read, parts), parts).sort(better);
}

/** Where pages are found by their meaning, the same pages scored by it too. */
function withMeaning(scored: ScoredPage[], { meant, meaningOf }: RankingParts): ScoredPage[] {
  if (meant === null) return scored;
  return scored.map((page) => {
    const meaning = meaningOf(page.id);
    if (meaning === null) return page;
    const close = Math.max(0, (meaning.whole + meaning.best) / 2);
    return { ...page, score: (page.score + MEANING_SHARE * close) / (1 + MEANING_SHARE) };
  });
}

function isAbout(id: number, { meant, meaningOf }: RankingParts): boolean {
  return meant?.has(id) === true && (meaningOf(id)?.best ?? 0) >= MEANT_MIN;
}

const better = (left: ScoredPage, right: ScoredPage): number =>
  right.score - left.score || left.id - right.id;

/** The same pages, scored also by what the best of them share; less so the more the query sounds like the title of the best. */
function withFeedback(scored: ScoredPage[], { scoring }: WeighedQuery, parts: RankingParts): ScoredPage[] {
  const [best] = scored;
  const share = FEEDBACK_SHARE * (best === undefined ? 0 : 1 - titleSaid(best.words, scoring.terms));
  if (share === 0) return scored;
  const exemplars = scored.slice(0, EXEMPLARS).map(({ id, score }) => ({ ...parts.opening(id), score }));
  const shared = feedbackTerms(exemplars, (term) => {
    const frequency = parts.frequencyOf(term);
    return frequency < FREQUENCY_MIN ? 0 : idfOf(frequency, parts.pages);
  });
  const terms = shared.map(({ text, weight }) => ({ hashes: [hashOf(text)], weight, place: 0 }));
  return scored.map(({ id, words, score }) => ({
    id,
    words,
    score: (score + share * termMatch(words, terms, scoring.meanLengths)) / (1 + share),
  }));
}
