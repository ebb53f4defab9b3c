/**
 * The results of the index: query-pages.ts and page-readings.ts turn its pages into results, and this file judges how relevant the
 * results of other sources are, by what they show, as pages of the index are judged by their text. It asks no source.
 */
import { findEncoder } from '../../text/embeddings/encoder-for.ts';
import { computeCosine } from '../../text/embeddings/static-encoder.ts';
import type { Query } from '../../text/query/read-query.ts';
import type { PageEvidence } from '../../text/scoring/page-evidence.ts';
import { readWords } from '../../text/scoring/read-words.ts';
import { judgeSnippets } from '../../text/scoring/relevance.ts';
import { guessLanguage } from '../../text/words/guess-language.ts';
import { createNameComparer } from '../anchors/page-anchors.ts';
import { weighQuery } from '../index-query.ts';
import { collectEvidence } from '../index-ranking.ts';
import { buildPageTexts } from '../index-tokens.ts';
import type { PageMeaning } from '../vectors/page-vectors.ts';

/** A result as a source shows it. */
type SourceResult = { url: string; title: string; snippet: string };
type SourceResultPage = SourceResult & { language: string };

const LATIN = /\p{Script=Latin}/u;

/** Totals for results without an index: words are taken to be as rare as in English text. */
const NO_INDEX = { pages: 0, changes: 0, title: 0, headings: 0, address: 0, body: 0 };
const HELD_BY_SOME = 1;
/** Languages assumed for texts that are too short to detect: with Latin letters, and with others. */
const LIKELY = { latin: 'en', other: 'und' };

/**
 * Collects the evidence of relevance in the titles, snippets and addresses of results, as the index does for pages; null for a result
 * that shares too little with the query to be about it.
 */
export function collectResultEvidence(
  query: Query,
  results: readonly SourceResult[],
): (PageEvidence | null)[] {
  const pages = results.map((result): SourceResultPage => ({ ...result, language: detectLanguage(result) }));
  const read = weighQuery(query, {
    totals: NO_INDEX,
    languages: collectLanguages(pages),
    frequencyOf: () => HELD_BY_SOME,
  });
  const texts = pages.map(({ url, title, snippet, language }) =>
    buildPageTexts({ title, headings: [], markdown: snippet, language }, new URL(url)),
  );
  const meaningOf = computeMeanings(query.topic(), pages);
  const nameOf = createNameComparer(query.topic());
  const known = collectEvidence([...results.keys()], read, {
    most: results.length,
    pages: 0,
    frequencyOf: () => 0,
    meaningOf,
    words: (place) => {
      const text = texts[place];
      return text === undefined ? null : readWords(text);
    },
    opening: () => ({ title: '', text: '', language: null }),
    standingOf: () => null,
    nameOf(place) {
      const page = pages[place];
      return page === undefined ? null : nameOf({ ...page, texts: [] });
    },
    meant: new Set(results.keys()),
  });
  const byPlace = new Map(known.map(({ id, evidence }) => [id, evidence]));
  return results.map((_, place) => byPlace.get(place) ?? null);
}

function computeMeanings(
  query: string,
  pages: readonly SourceResultPage[],
): (place: number) => PageMeaning | null {
  const [asked] = findEncoder(null)?.embed([query]) ?? [];
  const meanings = pages.map(({ title, snippet, language }): PageMeaning | null => {
    const [vector] = findEncoder(language)?.embed([`${title}. ${snippet}`]) ?? [];
    if (asked === undefined || vector === undefined) return null;
    const best = computeCosine(asked, vector);
    return { whole: best, best };
  });
  return (place) => meanings[place] ?? null;
}

function detectLanguage({ title, snippet }: SourceResult): string {
  const text = `${title} ${snippet}`;
  return guessLanguage([{ markdown: text }]) ?? (LATIN.test(text) ? LIKELY.latin : LIKELY.other);
}

const collectLanguages = (pages: readonly SourceResultPage[]): string[] => [
  ...new Set(pages.map(({ language }) => language)),
];

/** Estimates the probability that a person would call each result relevant, from what its source shows of it. */
export function estimateResultRelevance(query: Query, results: readonly SourceResult[]): number[] {
  const evidence = collectResultEvidence(query, results);
  const judged = judgeSnippets(evidence.flatMap((known) => known ?? []));
  let next = 0;
  return evidence.map((known) => (known === null ? 0 : (judged[next++] ?? 0)));
}
