import { computeFeedbackTerms, type Exemplar } from '../text/query/feedback.ts';
import { measureLocalCoverage } from '../text/scoring/local-coverage.ts';
import type { PageEvidence } from '../text/scoring/page-evidence.ts';
import { estimatePageShare } from '../text/scoring/rarity.ts';
import {
  chooseWeakThreshold,
  type Judgement,
  judge,
  makeNonIncreasing,
  measureRichestStretch,
  STRETCHES,
} from '../text/scoring/relevance.ts';
import type { PageLookUp } from '../text/scoring/score-page.ts';
import {
  computePageFeatures,
  findOccurrences,
  measureTitleShare,
  scoreFeatures,
  scoreTermMatch,
  type WeightedTerm,
} from '../text/scoring/score-page.ts';
import { hashTerm } from '../text/words/hashed/hash-terms.ts';
import type { PageName } from './anchors/page-anchors.ts';
import { computeStandingBonus, type Standing } from './hosts/standing.ts';
import { computeIdf, type WeighedQuery } from './index-query.ts';
import type { PageMeaning } from './vectors/page-vectors.ts';

/** A page scored by its words: `score` by the query alone, `fed` with relevance feedback. `isMeant`: vector recall found it. */
type ScoredPage = { id: number; words: PageLookUp; score: number; fed: number; isMeant: boolean };

/** `score`: the probability that a person would call the page relevant, in descending order. `isWeak`: it is too low to rely on. */
type RankedPage = { id: number; score: number; isWeak: boolean };

type JudgedPage = Judgement & { id: number };

/** The reads that ranking needs from the index. */
export type RankingParts = {
  /** The words of a page; null when it is gone. */
  words(id: number): PageLookUp | null;
  /** The beginning of a page's text. */
  opening(id: number): Omit<Exemplar, 'score'>;
  frequencyOf(token: string): number;
  pages: number;
  /** Null for a page whose meaning is not known. */
  meaningOf(id: number): PageMeaning | null;
  /** Compares the names of the page with the query; null if the model does not know the page's language. */
  nameOf(id: number): PageName | null;
  /** The standing of the page's host; null if unknown. */
  standingOf(id: number): Standing | null;
  /** The pages that vector recall found; null where it is off. */
  meant: ReadonlySet<number> | null;
};

/** Minimum number of pages, the best by their words, that are judged by all features. */
const JUDGED_MIN = 50;
/** More pages than results are judged, because some are copies of others. */
const JUDGED_PER_RESULT = 2;

/**
 * Minimum number of topic words for relevance feedback. Shorter queries name a thing and want its page; longer ones describe a
 * subject, whose pages also share words that the query does not contain.
 */
const FEEDBACK_WORDS_MIN = 4;
const EXEMPLARS = 5;
/** Weight of the feedback terms relative to the query's own score of 1. */
const FEEDBACK_SHARE = 0.6;
/** Minimum cosine for a page without a telling word of the query to count as relevant; 1 in 1,000 unrelated pages reaches it. */
const MEANT_MIN = 0.42;
/** Minimum document frequency of a feedback term: a word of one page alone says nothing about the others. */
const FREQUENCY_MIN = 2;

/** Ranks the pages that share a telling word with the query, best first, enough for `limit` results. Weak ones come last. */
export function rankPages(
  ids: number[],
  read: WeighedQuery,
  { limit, namesDomains, ...parts }: RankingParts & { limit: number; namesDomains: boolean },
): RankedPage[] {
  const most = Math.max(JUDGED_MIN, JUDGED_PER_RESULT * limit);
  const known = collectEvidence(ids, read, { ...parts, most });
  const judgements = judge(known.map(({ evidence }) => evidence));
  const judged = known.flatMap(({ id }, place): JudgedPage[] => {
    const judgement = judgements[place];
    if (judgement === undefined) return [];
    return [{ id, ...judgement, order: judgement.order + computeStandingBonus(parts.standingOf(id)) }];
  });
  const least = chooseWeakThreshold({ telling: read.scoring.telling, namesDomains });
  return orderPages(judged).map((page) => ({ ...page, isWeak: page.score < least }));
}

/** Collects the features of the best pages by words, at most `most`, and of those that vector recall found. */
export function collectEvidence(
  ids: number[],
  read: WeighedQuery,
  { most, ...parts }: RankingParts & { most: number },
): { id: number; evidence: PageEvidence }[] {
  return scorePages(ids, read, parts)
    .filter(({ isMeant }, place) => place < most || isMeant)
    .map((page) => ({ id: page.id, evidence: buildEvidence(page, read, parts) }));
}

/** Sorts pages best first and makes their scores descend in that order. */
function orderPages(judged: JudgedPage[]): { id: number; score: number }[] {
  const ordered = judged.sort((left, right) => right.order - left.order || left.id - right.id);
  const scores = makeNonIncreasing(ordered.map(({ relevance }) => relevance));
  return ordered.map(({ id }, place) => ({ id, score: scores[place] ?? 0 }));
}

function buildEvidence(
  { id, words, score, fed }: ScoredPage,
  { scoring, asksForSidePage }: WeighedQuery,
  { meaningOf, nameOf }: RankingParts,
): PageEvidence {
  const { telling, namesIdentifier } = scoring;
  const terms = selectTellingTerms(scoring.terms);
  const found = terms.map(({ hashes }) => findOccurrences(words, hashes));
  const told = terms.filter(({ tells }) => tells).length;
  const heldTold = terms.filter(({ tells }, term) => tells && found[term] !== null).length;
  const name = nameOf(id);
  const gathered = measureLocalCoverage(words, terms, { found, site: name?.site ?? [] });
  return {
    lexical: score,
    fed,
    stretch: measureRichestStretch(terms, found, STRETCHES.wide),
    narrow: measureRichestStretch(terms, found, STRETCHES.narrow),
    matched: terms.reduce((sum, { weight }, term) => sum + (found[term] === null ? 0 : weight), 0),
    weight: terms.reduce((sum, { weight }) => sum + weight, 0),
    held: told === 0 ? 0 : heldTold / told,
    meaning: namesIdentifier ? null : (meaningOf(id)?.best ?? null),
    named: namesIdentifier ? 0 : (name?.closest ?? 0),
    gathered,
    isSide: name?.isSide === true && !asksForSidePage,
    telling,
  };
}

/** Scores pages by their words, best first; pages that share no telling word with the query are left out. Scores are from 0 to 1. */
function scorePages(ids: number[], read: WeighedQuery, parts: RankingParts): ScoredPage[] {
  const telling = selectTellingTerms(read.scoring.terms);
  const scored: ScoredPage[] = [];
  for (const id of ids) {
    const words = parts.words(id);
    if (words === null) continue;
    const isMeant = isAbout(id, parts);
    // Words that appear in questions on any subject do not make a page relevant.
    if (!isMeant && !containsAnyTerm(words, telling)) continue;
    const score = scoreFeatures(computePageFeatures(words, read.scoring));
    scored.push({ id, words, score, fed: score, isMeant });
  }
  scored.sort(compareScores);
  if (read.scoring.topicWords < FEEDBACK_WORDS_MIN || scored.length <= EXEMPLARS) return scored;
  return addFeedback(scored, read, parts).sort(compareScores);
}

/** Selects the terms that make a page relevant; all of them if the query has only words that appear in questions on any subject. */
function selectTellingTerms(terms: WeightedTerm[]): WeightedTerm[] {
  const telling = terms.filter(({ tells }) => tells);
  return telling.length > 0 ? telling : terms;
}

const containsAnyTerm = (words: PageLookUp, terms: WeightedTerm[]): boolean =>
  terms.some(({ hashes }) => findOccurrences(words, hashes) !== null);

function isAbout(id: number, { meant, meaningOf }: RankingParts): boolean {
  return meant?.has(id) === true && (meaningOf(id)?.best ?? 0) >= MEANT_MIN;
}

const compareScores = (left: ScoredPage, right: ScoredPage): number =>
  right.fed - left.fed || left.id - right.id;

/** Scores pages also by the words that the best share (relevance feedback), less so the more the query resembles the title of the best. */
function addFeedback(scored: ScoredPage[], { scoring }: WeighedQuery, parts: RankingParts): ScoredPage[] {
  const [best] = scored;
  const share = FEEDBACK_SHARE * (best === undefined ? 0 : 1 - measureTitleShare(best.words, scoring.terms));
  if (share === 0) return scored;
  const exemplars = scored.slice(0, EXEMPLARS).map(({ id, score }) => ({ ...parts.opening(id), score }));
  const shared = computeFeedbackTerms(exemplars, (term) => {
    const frequency = parts.frequencyOf(term);
    return frequency < FREQUENCY_MIN
      ? 0
      : computeIdf(frequency, { pages: parts.pages, share: estimatePageShare(term) });
  });
  const terms = shared.map(({ text, weight }) => ({
    hashes: [hashTerm(text)],
    near: [],
    said: '',
    weight,
    place: 0,
    tells: true,
  }));
  return scored.map((page) => ({
    ...page,
    fed: (page.score + share * scoreTermMatch(page.words, terms, scoring.meanLengths)) / (1 + share),
  }));
}
