import { parse } from 'tldts';
import type { ResultQuery } from '../../text/query/result-query.ts';
import { wordsOf } from '../../text/words/words.ts';
import type { Candidate } from '../recall.ts';

/** The texts of a result as terms in order. */
type ResultTexts = { title: string[]; snippet: string[]; address: string[]; evidence: string[] };

/** Features from 0 to 1 that make up the score of a result. `covered`: the share of the query's weight found in any of its texts. */
export type ResultFeatures = {
  text: number;
  title: number;
  phrase: number;
  address: number;
  official: number;
  evidence: number;
  fresh: number;
  covered: number;
};

/** BM25F over the texts of a result: saturation, weight of each field, and its usual length in terms. */
const SATURATION = 0.8;
const FIELDS = {
  title: { weight: 2, length: 8 },
  snippet: { weight: 1, length: 40 },
} as const;
/** How much the length of a field matters; snippets are cut to a length by their source. */
const LENGTH_SHARE = 0.3;
/** Passages have about 100 terms. */
const EVIDENCE = { weight: 1, length: 100 };
/** Maximum words of a navigational query, which is little more than a name. */
const NAMES_MAX = 4;
const DAY_MS = 86_400_000;

export function textsOf({ title, snippet, url }: Candidate, evidence: string | null): ResultTexts {
  const { hostname, pathname } = new URL(url);
  return {
    title: wordsOf(title, null),
    snippet: wordsOf(snippet, null),
    address: wordsOf(`${hostname} ${pathname}`.replace(/[/_.-]+/g, ' '), null),
    evidence: evidence === null ? [] : wordsOf(evidence, null),
  };
}

/** `now`: YYYY-MM-DD. */
export function measureResult(
  candidate: Candidate,
  texts: ResultTexts,
  { query, now }: { query: ResultQuery; now: string },
): ResultFeatures {
  const counts = { title: countsOf(texts.title), snippet: countsOf(texts.snippet) };
  const address = new Set(texts.address);
  const evidence = countsOf(texts.evidence);
  const features = { text: 0, title: 0, address: 0, evidence: 0, covered: 0 };
  for (const [term, weight] of query.terms) {
    const inTitle = counts.title.get(term) ?? 0;
    const inSnippet = counts.snippet.get(term) ?? 0;
    const inEvidence = evidence.get(term) ?? 0;
    const shown =
      inTitle * norm(FIELDS.title, texts.title.length) +
      inSnippet * norm(FIELDS.snippet, texts.snippet.length);
    features.text += weight * saturated(shown);
    features.evidence += weight * saturated(inEvidence * norm(EVIDENCE, texts.evidence.length));
    if (inTitle > 0) features.title += weight;
    if (address.has(term)) features.address += weight;
    if (inTitle + inSnippet + inEvidence > 0 || address.has(term)) features.covered += weight;
  }
  return {
    ...features,
    phrase: Math.max(phraseOf(texts.title, query), phraseOf(texts.snippet, query)),
    official: officialOf(candidate.url, query),
    fresh: freshOf(candidate, query, now),
  };
}

function countsOf(terms: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

const norm = ({ weight, length }: { weight: number; length: number }, terms: number): number =>
  weight / (1 - LENGTH_SHARE + (LENGTH_SHARE * terms) / length);

const saturated = (count: number): number => count / (count + SATURATION);

/** The share of the query's neighbouring words that are neighbours in these terms too. */
function phraseOf(terms: string[], { pairs }: ResultQuery): number {
  const here = new Set(terms.slice(1).map((right, place) => `${terms[place]} ${right}`));
  return pairs.reduce((sum, { left, right, weight }) => sum + (here.has(`${left} ${right}`) ? weight : 0), 0);
}

/** How much of the query names the host (`stack overflow` and stackoverflow.com); its front page is the likeliest target. */
function officialOf(url: string, { names }: ResultQuery): number {
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

/** 0 for a page without a date, and for every page if the query does not ask for fresh ones. */
function freshOf({ publishedDay }: Candidate, { wish }: ResultQuery, now: string): number {
  if (publishedDay === null) return 0;
  if (wish.years.includes(publishedDay.slice(0, 4))) return 1;
  if (wish.halfLifeDays === null) return 0;
  const days = Math.max(0, (Date.parse(now) - Date.parse(publishedDay)) / DAY_MS);
  return 0.5 ** (days / wish.halfLifeDays);
}
