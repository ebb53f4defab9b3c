import { parse } from 'tldts';
import { DAY_MS } from '../../platform/clock.ts';
import { foldCopies } from '../../text/near-duplicates/near-duplicates.ts';
import type { Query, ResultQuery } from '../../text/query/read-query.ts';
import { tokenizeWords } from '../../text/words/words.ts';
import type { Candidate } from '../recall.ts';
import { putWeakLast } from './mix-scores.ts';

/** BM25F over the texts of a result: saturation, weight of each field, and its usual length in terms. */
const SATURATION = 0.8;

const FIELDS = {
  title: { weight: 2, length: 8 },
  snippet: { weight: 1, length: 40 },
} as const;

/** BM25 length normalisation, from 0 to 1. Kept low, because sources cut snippets to a fixed length. */
const LENGTH_SHARE = 0.3;

/** Passages have about 100 terms. */
const EVIDENCE = { weight: 1, length: 100 };

/** Maximum words of a navigational query, which is little more than a name. */
const NAMES_MAX = 4;

const computeFieldNorm = ({ weight, length }: { weight: number; length: number }, terms: number): number =>
  weight / (1 - LENGTH_SHARE + (LENGTH_SHARE * terms) / length);

const saturate = (count: number): number => count / (count + SATURATION);

type RankingRequest = {
  query: Query;
  /** Today as YYYY-MM-DD, which decides how fresh a page is. */
  now: string;
  /** The best passage of each candidate's opened page, in the same order; null if it was not opened. */
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
/** Weights that apply only if pages were opened, and only if the query asks for fresh pages. */
const EVIDENCE_SHARE = 0.8;
const FRESH_SHARE = 0.6;

/**
 * A result that covers less than this share of the query's weight is weak. Applies only if some result reaches it; if none does, the
 * words are to blame (misspelt, another language).
 */
const COVERED_MIN = 0.15;
/**
 * Sources whose results need not contain a word of the query: the local index has judged its own by the whole page; others match
 * meaning rather than words.
 */
const TRUSTED_SOURCES: ReadonlySet<string> = new Set(['index', 'semanticscholar']);
type RankedCandidate<Result> = {
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
  const ranked = results.map((result, place): RankedCandidate<Result> => {
    const texts = readTexts(result, request.pages?.[place] ?? null);
    const features = measureResult(result, texts, { query, now: request.now });
    const terms = texts.evidence.length > 0 ? texts.evidence : [...texts.title, ...texts.snippet];
    const score = computeScore(result.score, features, { query, anyOpened });
    return { result, features, terms, score, isWeak: result.isWeak ?? false };
  });
  const ordered = putWeakLast(markOffTopic(ranked).sort(compareByScore));
  return foldCopies(ordered, ({ terms }) => terms).map(({ result, score, isWeak }) => ({
    ...result,
    score,
    isWeak,
  }));
}

function compareByScore<Result extends Candidate>(
  left: RankedCandidate<Result>,
  right: RankedCandidate<Result>,
): number {
  return right.score - left.score || (left.result.url < right.result.url ? -1 : 1);
}

function computeScore(
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

function markOffTopic<Result extends Candidate>(
  ranked: RankedCandidate<Result>[],
): RankedCandidate<Result>[] {
  const isCovered = ({ features }: RankedCandidate<Result>): boolean => features.covered >= COVERED_MIN;
  if (!ranked.some(isCovered)) return ranked;
  return ranked.map((one) => {
    const isOnTopic = isCovered(one) || TRUSTED_SOURCES.has(one.result.source);
    return isOnTopic ? one : { ...one, isWeak: true };
  });
}

/** The texts of a result as ordered terms. */
type ResultTexts = { title: string[]; snippet: string[]; address: string[]; evidence: string[] };

/** Features from 0 to 1 that make up the score of a result. `covered`: the share of the query's weight found in any of its texts. */
type ResultFeatures = {
  text: number;
  title: number;
  phrase: number;
  address: number;
  official: number;
  evidence: number;
  fresh: number;
  covered: number;
};

function readTexts({ title, snippet, url }: Candidate, evidence: string | null): ResultTexts {
  const { hostname, pathname } = new URL(url);
  return {
    title: tokenizeWords(title, null),
    snippet: tokenizeWords(snippet, null),
    address: tokenizeWords(`${hostname} ${pathname}`.replace(/[/_.-]+/g, ' '), null),
    evidence: evidence === null ? [] : tokenizeWords(evidence, null),
  };
}

/** `now`: YYYY-MM-DD. */
function measureResult(
  candidate: Candidate,
  texts: ResultTexts,
  { query, now }: { query: ResultQuery; now: string },
): ResultFeatures {
  const counts = { title: countTerms(texts.title), snippet: countTerms(texts.snippet) };
  const address = new Set(texts.address);
  const evidence = countTerms(texts.evidence);
  const features = { text: 0, title: 0, address: 0, evidence: 0, covered: 0 };
  for (const [term, weight] of query.terms) {
    const inTitle = counts.title.get(term) ?? 0;
    const inSnippet = counts.snippet.get(term) ?? 0;
    const inEvidence = evidence.get(term) ?? 0;
    const shown =
      inTitle * computeFieldNorm(FIELDS.title, texts.title.length) +
      inSnippet * computeFieldNorm(FIELDS.snippet, texts.snippet.length);
    features.text += weight * saturate(shown);
    features.evidence += weight * saturate(inEvidence * computeFieldNorm(EVIDENCE, texts.evidence.length));
    if (inTitle > 0) features.title += weight;
    if (address.has(term)) features.address += weight;
    if (inTitle + inSnippet + inEvidence > 0 || address.has(term)) features.covered += weight;
  }
  return {
    ...features,
    phrase: Math.max(scorePhrase(texts.title, query), scorePhrase(texts.snippet, query)),
    official: scoreOfficial(candidate.url, query),
    fresh: scoreFreshness(candidate, query, now),
  };
}

function countTerms(terms: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** Scores the share of the query's adjacent word pairs that are adjacent in these terms too. */
function scorePhrase(terms: string[], { pairs }: ResultQuery): number {
  const here = new Set(terms.slice(1).map((right, place) => `${terms[place]} ${right}`));
  return pairs.reduce((sum, { left, right, weight }) => sum + (here.has(`${left} ${right}`) ? weight : 0), 0);
}

/** Scores how much of the query names the host (`stack overflow` and stackoverflow.com); its front page is the likeliest target. */
function scoreOfficial(url: string, { names }: ResultQuery): number {
  if (names.length === 0 || names.length > NAMES_MAX) return 0;
  const label = parse(url, { allowPrivateDomains: true }).domainWithoutSuffix?.replaceAll('-', '') ?? '';
  for (let length = names.length; length > 0; length -= 1) {
    for (let start = 0; start + length <= names.length; start += 1) {
      if (names.slice(start, start + length).join('') !== label) continue;
      return (length / names.length) * (new URL(url).pathname === '/' ? 1 : 0.6);
    }
  }
  return 0;
}

/** Scores freshness: 0 for a page without a date, and for every page if the query does not ask for fresh ones. */
function scoreFreshness({ publishedDay }: Candidate, { wish }: ResultQuery, now: string): number {
  if (publishedDay === null) return 0;
  if (wish.years.includes(publishedDay.slice(0, 4))) return 1;
  if (wish.halfLifeDays === null) return 0;
  const days = Math.max(0, (Date.parse(now) - Date.parse(publishedDay)) / DAY_MS);
  return 0.5 ** (days / wish.halfLifeDays);
}
