import { foldCopies, isContained, runsOf } from '../../text/near-duplicates/near-duplicates.ts';
import {
  type TermFrequencies,
  type Topic,
  type TopicPage,
  topicOf,
  topicOverlap,
  topicWords,
} from '../../text/query/topic-terms.ts';
import { plainText } from '../../text/words/plain-text.ts';
import { wordsOf } from '../../text/words/words.ts';
import type { Candidate } from '../recall.ts';

const CHARS_COMPARED = 200_000;
/** Weight of the passage's topic against the candidate's own score: its source has seen the whole page, we only a passage. */
const OVERLAP_SHARE = 0.5;
/**
 * Pages below this are not similar. On 30 everyday pages and 120 of manuals, 96 % of pages on the same subject or of the same manual reach
 * it, and 4 % of pairs of an everyday page and one of a manual.
 */
const SIMILAR_MIN = 0.04;

/** The parts of a candidate that decide its rank. */
type Rankable = Pick<Candidate, 'url' | 'title' | 'snippet' | 'score'>;

/** The page, its topic, and how common words are in general. */
type SimilarTo = { page: TopicPage; topic: Topic; background: TermFrequencies };

/**
 * Ranks candidates by similarity to the topic of a page, with scores from 0 to 1. Drops pages that are not similar, copies of the page and
 * copies of better candidates. The order of the input makes no difference.
 */
export function rankSimilar<Result extends Rankable>(
  candidates: Result[],
  { page, topic, background }: SimilarTo,
): Result[] {
  const own = runsOf(wordsOf(plainText(page.markdown.slice(0, CHARS_COMPARED)), page.language));
  const passages = new Map(candidates.map((one) => [one.url, wordsOf(one.snippet, page.language)]));
  const passageOf = ({ url }: Rankable): string[] => passages.get(url) ?? [];
  const ranked = candidates
    .filter((candidate) => !isContained(runsOf(passageOf(candidate)), own))
    .map((candidate): Result => {
      const shown = { title: candidate.title, markdown: candidate.snippet, language: page.language };
      const overlap = topicOverlap(topic, topicOf(topicWords(shown), background));
      return { ...candidate, score: (candidate.score + OVERLAP_SHARE * overlap) / (1 + OVERLAP_SHARE) };
    })
    .filter(({ score }) => score >= SIMILAR_MIN)
    .sort((left, right) => right.score - left.score || (left.url < right.url ? -1 : 1));
  return foldCopies(ranked, passageOf);
}
