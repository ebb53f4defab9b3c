import { foldCopies } from '../../text/near-duplicates/near-duplicates.ts';
import type { Query } from '../../text/query/read-query.ts';
import type { ResultQuery } from '../../text/query/result-query.ts';
import type { Candidate } from '../recall.ts';
import { putWeakLast } from './mix-scores.ts';
import { measureResult, type ResultFeatures, textsOf } from './result-features.ts';

type RankingRequest = {
  query: Query;
  /** Today as YYYY-MM-DD, which decides how fresh a page is. */
  now: string;
  /** For each candidate, in the same order, the best passage of its opened page; null if it was not opened. */
  pages?: readonly (string | null)[];
};

/**
 * Weights of the features in the score. `prior` is the candidate's own score, from its source or from the fusion of several; it
 * weighs as much as the texts, because an upstream engine has seen the whole page.
 */
const RESULT_SHARES = {
  prior: 1,
  text: 0.8,
  title: 0.3,
  phrase: 0.2,
  address: 0.1,
  official: 0.4,
} as const;
/** Count only if pages were opened, and only if the query asks for fresh pages. */
const EVIDENCE_SHARE = 0.8;
const FRESH_SHARE = 0.6;

/**
 * A result that shows less than this share of the query's weight is weak. Applied only if some result reaches it; if none does, the
 * words are to blame (misspelt, another language).
 */
const COVERED_MIN = 0.15;
/**
 * Sources whose results need not show a word of the query: the local index has marked its own by the whole page; others match meaning
 * rather than words.
 */
const TRUSTED_SOURCES: ReadonlySet<string> = new Set(['index', 'semanticscholar']);
type Ranked<Result> = {
  result: Result;
  features: ResultFeatures;
  terms: string[];
  score: number;
  isWeak: boolean;
};

/**
 * Ranks results of any sources, best first, with scores from 0 to 1 that are comparable within this answer. Pure; the order of the
 * input makes no difference, because ties are broken by address. Weak results come last. Drops near-copies of better ones.
 */
export function rankResults<Result extends Candidate>(results: Result[], request: RankingRequest): Result[] {
  const query = request.query.forResults();
  const anyOpened = request.pages?.some((page) => page !== null) ?? false;
  const ranked = results.map((result, place): Ranked<Result> => {
    const texts = textsOf(result, request.pages?.[place] ?? null);
    const features = measureResult(result, texts, { query, now: request.now });
    const terms = texts.evidence.length > 0 ? texts.evidence : [...texts.title, ...texts.snippet];
    const score = scoreOf(result.score, features, { query, anyOpened });
    return { result, features, terms, score, isWeak: result.isWeak ?? false };
  });
  const ordered = putWeakLast(markOffTopic(ranked).sort(better));
  return foldCopies(ordered, ({ terms }) => terms).map(({ result, score, isWeak }) => ({
    ...result,
    score,
    isWeak,
  }));
}

function better<Result extends Candidate>(left: Ranked<Result>, right: Ranked<Result>): number {
  return right.score - left.score || (left.result.url < right.result.url ? -1 : 1);
}

function scoreOf(
  prior: number,
  features: ResultFeatures,
  { query, anyOpened }: { query: ResultQuery; anyOpened: boolean },
): number {
  const { years, halfLifeDays } = query.wish;
  const parts = [
    [RESULT_SHARES.prior, Math.min(1, Math.max(0, prior))],
    [RESULT_SHARES.text, features.text],
    [RESULT_SHARES.title, features.title],
    [RESULT_SHARES.phrase, features.phrase],
    [RESULT_SHARES.address, features.address],
    [RESULT_SHARES.official, features.official],
    [anyOpened ? EVIDENCE_SHARE : 0, features.evidence],
    [years.length > 0 || halfLifeDays !== null ? FRESH_SHARE : 0, features.fresh],
  ] as const;
  const total = parts.reduce((sum, [share]) => sum + share, 0);
  return Math.min(1, parts.reduce((sum, [share, value]) => sum + share * value, 0) / total);
}

function markOffTopic<Result extends Candidate>(ranked: Ranked<Result>[]): Ranked<Result>[] {
  const reaches = ({ features }: Ranked<Result>): boolean => features.covered >= COVERED_MIN;
  if (!ranked.some(reaches)) return ranked;
  return ranked.map((one) => {
    const isOnTopic = reaches(one) || TRUSTED_SOURCES.has(one.result.source);
    return isOnTopic ? one : { ...one, isWeak: true };
  });
}
