import { type Exemplar, feedbackTerms } from '../text/query/feedback.ts';
import { gatheredOf } from '../text/scoring/gathered.ts';
import type { PageEvidence } from '../text/scoring/page-evidence.ts';
import type { PageLookUp } from '../text/scoring/page-words.ts';
import { shareOfPages } from '../text/scoring/rarity.ts';
import {
  falling,
  type Judged,
  judge,
  richestStretch,
  STRETCHES,
  weakBelow,
} from '../text/scoring/relevance.ts';
import {
  featuresOf,
  occurrencesOf,
  scoreOf,
  termMatch,
  titleSaid,
  type WeighedTerm,
} from '../text/scoring/score-page.ts';
import { hashOf } from '../text/words/hashed/hash-of.ts';
import type { PageName } from './anchors/page-anchors.ts';
import { type Standing, standingBonus } from './hosts/standing.ts';
import { idfOf, type WeighedQuery } from './index-query.ts';
import type { PageMeaning } from './vectors/page-vectors.ts';

/** A page as its words score it: `score` alone, `fed` with what the best pages share. `isMeant`: it was found by its meaning. */
type ScoredPage = { id: number; words: PageLookUp; score: number; fed: number; isMeant: boolean };

/** `score`: the probability that a person would call the page relevant; it falls along the order. `isWeak`: it is too low to count on. */
type RankedPage = { id: number; score: number; isWeak: boolean };

type JudgedPage = Judged & { id: number };

/** What ranking needs of the index. */
export type RankingParts = {
  /** The words of a page; null when it is gone. */
  words(id: number): PageLookUp | null;
  /** The beginning of a page's text. */
  opening(id: number): Omit<Exemplar, 'score'>;
  frequencyOf(token: string): number;
  pages: number;
  /** Null for a page whose meaning is not known. */
  meaningOf(id: number): PageMeaning | null;
  /** By what it is called; null for a page in a language whose meanings are not known. */
  nameOf(id: number): PageName | null;
  /** How its host stands; null: not known. */
  standingOf(id: number): Standing | null;
  /** The pages that were found by their meaning; null where pages are only found by their words. */
  meant: ReadonlySet<number> | null;
};

/** So many pages, the best by their words, are judged by all that is known of them. */
const JUDGED_MIN = 50;
/** Some are copies of others. */
const JUDGED_PER_RESULT = 2;

/**
 * Short queries name a thing, and its page is wanted; from this many topic words on a query describes a subject, whose
 * pages also share words that the query does not say.
 */
const FEEDBACK_WORDS_MIN = 4;
const EXEMPLARS = 5;
/** Of the shared words beside the query's own score of 1. */
const FEEDBACK_SHARE = 0.6;
/** A page without a telling word of the query is about it from this cosine on, which 1 in 1,000 pages about something else reaches. */
const MEANT_MIN = 0.42;
/** A word of one page alone tells nothing about the others. */
const FREQUENCY_MIN = 2;

/** The pages that share a telling word with a query, best first: enough for `limit` results. Weak ones come last. */
export function rankPages(
  ids: number[],
  read: WeighedQuery,
  { limit, namesDomains, ...parts }: RankingParts & { limit: number; namesDomains: boolean },
): RankedPage[] {
  const most = Math.max(JUDGED_MIN, JUDGED_PER_RESULT * limit);
  const known = evidenceOf(ids, read, { ...parts, most });
  const judgements = judge(known.map(({ evidence }) => evidence));
  const judged = known.flatMap(({ id }, place): JudgedPage[] => {
    const judgement = judgements[place];
    if (judgement === undefined) return [];
    return [{ id, ...judgement, order: judgement.order + standingBonus(parts.standingOf(id)) }];
  });
  const least = weakBelow({ telling: read.scoring.telling, namesDomains });
  return inOrder(judged).map((page) => ({ ...page, isWeak: page.score < least }));
}

/** What is known of the best pages by words, at most `most`, and of those that were found by their meaning. */
export function evidenceOf(
  ids: number[],
  read: WeighedQuery,
  { most, ...parts }: RankingParts & { most: number },
): { id: number; evidence: PageEvidence }[] {
  return scorePages(ids, read, parts)
    .filter(({ isMeant }, place) => place < most || isMeant)
    .map((page) => ({ id: page.id, evidence: evidenceFor(page, read, parts) }));
}

/** Best first, with relevances that fall along this order. */
function inOrder(judged: JudgedPage[]): { id: number; score: number }[] {
  const ordered = judged.sort((left, right) => right.order - left.order || left.id - right.id);
  const scores = falling(ordered.map(({ relevance }) => relevance));
  return ordered.map(({ id }, place) => ({ id, score: scores[place] ?? 0 }));
}

function evidenceFor(
  { id, words, score, fed }: ScoredPage,
  { scoring, asksForSidePage }: WeighedQuery,
  { meaningOf, nameOf }: RankingParts,
): PageEvidence {
  const { telling, namesIdentifier } = scoring;
  const terms = tellingOf(scoring.terms);
  const found = terms.map(({ hashes }) => occurrencesOf(words, hashes));
  const told = terms.filter(({ tells }) => tells).length;
  const heldTold = terms.filter(({ tells }, term) => tells && found[term] !== null).length;
  const name = nameOf(id);
  const gathered = gatheredOf(words, terms, { found, site: name?.site ?? [] });
  return {
    lexical: score,
    fed,
    stretch: richestStretch(terms, found, STRETCHES.wide),
    narrow: richestStretch(terms, found, STRETCHES.narrow),
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
  const telling = tellingOf(read.scoring.terms);
  const scored: ScoredPage[] = [];
  for (const id of ids) {
    const words = parts.words(id);
    if (words === null) continue;
    const isMeant = isAbout(id, parts);
    // What questions of any subject say ties no page to this one.
    if (!isMeant && !saysAny(words, telling)) continue;
    const score = scoreOf(featuresOf(words, read.scoring));
    scored.push({ id, words, score, fed: score, isMeant });
  }
  scored.sort(better);
  if (read.scoring.topicWords < FEEDBACK_WORDS_MIN || scored.length <= EXEMPLARS) return scored;
  return withFeedback(scored, read, parts).sort(better);
}

/** The terms that tie a page to a query; all where it has nothing but words that questions of any subject are put with. */
function tellingOf(terms: WeighedTerm[]): WeighedTerm[] {
  const telling = terms.filter(({ tells }) => tells);
  return telling.length > 0 ? telling : terms;
}

const saysAny = (words: PageLookUp, terms: WeighedTerm[]): boolean =>
  terms.some(({ hashes }) => occurrencesOf(words, hashes) !== null);

function isAbout(id: number, { meant, meaningOf }: RankingParts): boolean {
  return meant?.has(id) === true && (meaningOf(id)?.best ?? 0) >= MEANT_MIN;
}

const better = (left: ScoredPage, right: ScoredPage): number => right.fed - left.fed || left.id - right.id;

/** The same pages, scored also by what the best of them share; less so the more the query sounds like the title of the best. */
function withFeedback(scored: ScoredPage[], { scoring }: WeighedQuery, parts: RankingParts): ScoredPage[] {
  const [best] = scored;
  const share = FEEDBACK_SHARE * (best === undefined ? 0 : 1 - titleSaid(best.words, scoring.terms));
  if (share === 0) return scored;
  const exemplars = scored.slice(0, EXEMPLARS).map(({ id, score }) => ({ ...parts.opening(id), score }));
  const shared = feedbackTerms(exemplars, (term) => {
    const frequency = parts.frequencyOf(term);
    return frequency < FREQUENCY_MIN
      ? 0
      : idfOf(frequency, { pages: parts.pages, share: shareOfPages(term) });
  });
  const terms = shared.map(({ text, weight }) => ({
    hashes: [hashOf(text)],
    near: [],
    said: '',
    weight,
    place: 0,
    tells: true,
  }));
  return scored.map((page) => ({
    ...page,
    fed: (page.score + share * termMatch(page.words, terms, scoring.meanLengths)) / (1 + share),
  }));
}
