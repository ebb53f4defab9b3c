import { findEncoder } from '../../text/embeddings/encoder-for.ts';
import { computeCosine } from '../../text/embeddings/static-encoder.ts';
import { toVisibleText } from '../../text/markup/visible-text.ts';
import { buildRuns, foldCopies, isContained } from '../../text/near-duplicates/near-duplicates.ts';
import {
  computeTopic,
  measureTopicOverlap,
  readTopicWords,
  type TermFrequencies,
  type Topic,
  type TopicPage,
} from '../../text/query/topic-terms.ts';
import { tokenizeWords } from '../../text/words/words.ts';
import type { Candidate } from '../recall.ts';
import { putWeakLast } from './mix-scores.ts';

const CHARS_COMPARED = 200_000;
/** Weight of the topic overlap relative to the candidate's own score: its source has seen the whole page, we only a passage. */
const OVERLAP_SHARE = 0.5;
/**
 * A page is weak if its score plus `meaningShare` times its similarity in meaning is below `sum`. Measured on 211 pieces of articles:
 * 97 % of the pairs from one article reach it, 40 % of the everyday pages that the index proposes, and 3 % of the pairs of an everyday
 * page and one of a manual.
 */
const WEAK_BELOW = { sum: 0.06, meaningShare: 0.1 };
/** The same threshold for a page in a language without an encoder. */
const WEAK_BELOW_BY_WORDS = 0.04;
const CHARS_MEANT = 3_000;

/** The parts of a candidate that decide its rank. */
type Rankable = Pick<Candidate, 'url' | 'title' | 'snippet' | 'score' | 'isWeak'>;

/** The page, its topic, and how common words are in general. */
type SimilarityTarget = { page: TopicPage; topic: Topic; background: TermFrequencies };

/**
 * Ranks candidates by similarity to the topic of a page, with scores from 0 to 1. Weak ones, which are hardly similar, come last; earlier
 * weak marks are ignored. Drops copies of the page and of better candidates. The order of the input makes no difference.
 */
export function rankSimilar<Result extends Rankable>(
  candidates: Result[],
  { page, topic, background }: SimilarityTarget,
): Result[] {
  const own = buildRuns(tokenizeWords(toVisibleText(page.markdown.slice(0, CHARS_COMPARED)), page.language));
  const passages = new Map(candidates.map((one) => [one.url, tokenizeWords(one.snippet, page.language)]));
  const findPassage = ({ url }: Rankable): string[] => passages.get(url) ?? [];
  const isWeak = createWeaknessTest(page);
  const ranked = candidates
    .filter((candidate) => !isContained(buildRuns(findPassage(candidate)), own))
    .map((candidate): Result => {
      const shown = { title: candidate.title, markdown: candidate.snippet, language: page.language };
      const overlap = measureTopicOverlap(topic, computeTopic(readTopicWords(shown), background));
      const score = (candidate.score + OVERLAP_SHARE * overlap) / (1 + OVERLAP_SHARE);
      return { ...candidate, score, isWeak: isWeak({ ...candidate, score }) };
    })
    .sort((left, right) => right.score - left.score || (left.url < right.url ? -1 : 1));
  return foldCopies(putWeakLast(ranked), findPassage);
}

function createWeaknessTest({ title, markdown, language }: TopicPage): (candidate: Rankable) => boolean {
  const encoder = findEncoder(language);
  const [own] = encoder?.embed([`${title}. ${toVisibleText(markdown.slice(0, CHARS_MEANT))}`]) ?? [];
  return (candidate) => {
    const [other] = encoder?.embed([`${candidate.title}. ${candidate.snippet}`]) ?? [];
    if (own === undefined || other === undefined) return candidate.score < WEAK_BELOW_BY_WORDS;
    return candidate.score + WEAK_BELOW.meaningShare * computeCosine(own, other) < WEAK_BELOW.sum;
  };
}
