import type { Occurrences, PageLookUp, WeightedTerm } from './score-page.ts';
import { matchesSiteName } from './site-name.ts';

/** The share of a query that one place of a page covers, counting the page's title, address and site as well. */
export type LocalCoverage = {
  /** Share of the query's weight; a near-synonym counts by its similarity. */
  share: number;
  /** Share of the query's informative terms. */
  told: number;
  /** 1 minus the share of the heaviest informative term that neither the page nor a synonym in it covers. */
  whole: number;
  /** True when the query names the site of the page. */
  namesSite: boolean;
};

/** Size of a place, in words. */
const WORDS = 15;

/** Share of each term that some part of a page covers, from 0 to 1. */
type TermShares = Float64Array;
/** An occurrence of a term, or of a near-synonym of it, in the body. */
type Hit = { place: number; term: number; share: number };
type TermHits = {
  /** Covered by the title, the address or the name of the site. */
  named: TermShares;
  /** Covered by any part of the page. */
  anywhere: TermShares;
  hits: Hit[];
  namesSite: boolean;
};

/** Measures the best place of a page. `found`: occurrences, parallel to `terms`; `site`: words that name the site of the page. */
export function measureLocalCoverage(
  words: PageLookUp,
  terms: readonly WeightedTerm[],
  { found, site }: { found: readonly (Occurrences | null)[]; site: readonly string[] },
): LocalCoverage {
  const read = collectHits(words, terms, { found, site });
  return {
    ...findRichestPlace(terms, read),
    whole: 1 - findHeaviestMissing(terms, read.anywhere),
    namesSite: read.namesSite,
  };
}

function collectHits(
  words: PageLookUp,
  terms: readonly WeightedTerm[],
  { found, site }: { found: readonly (Occurrences | null)[]; site: readonly string[] },
): TermHits {
  const [named, anywhere] = [new Float64Array(terms.length), new Float64Array(terms.length)];
  const hits: Hit[] = [];
  let isSiteNamed = false;
  const add = (occurrences: Occurrences | null, { term, share }: Omit<Hit, 'place'>): void => {
    if (occurrences === null) return;
    const { title, address, body } = occurrences;
    anywhere[term] = Math.max(share, anywhere[term] ?? 0);
    if (title.count + address.count > 0) named[term] = Math.max(share, named[term] ?? 0);
    for (const place of body.places) hits.push({ place, term, share });
  };
  for (const [term, { near, said }] of terms.entries()) {
    add(found[term] ?? null, { term, share: 1 });
    for (const { hash, share } of near) add(words.find(hash), { term, share });
    if (!matchesSiteName(said, site)) continue;
    isSiteNamed = true;
    named[term] = 1;
    anywhere[term] = 1;
  }
  hits.sort((left, right) => left.place - right.place);
  return { named, anywhere, hits, namesSite: isSiteNamed };
}

/** Returns the best place of the body; without one, the names alone. */
function findRichestPlace(
  terms: readonly WeightedTerm[],
  { named, hits }: TermHits,
): { share: number; told: number } {
  const sum = (of: (term: WeightedTerm, at: number) => number): number =>
    terms.reduce((total, term, at) => total + of(term, at), 0);
  const weight = sum((term) => term.weight);
  const telling = sum(({ tells }) => (tells ? 1 : 0));
  const best = {
    weight: sum((term, at) => term.weight * (named[at] ?? 0)),
    told: sum(({ tells }, at) => (tells ? (named[at] ?? 0) : 0)),
  };
  const base = { ...best };
  const said = new Float64Array(terms.length);
  let first = 0;
  for (const [last, { place }] of hits.entries()) {
    while ((hits[first]?.place ?? place) < place - WORDS) first += 1;
    const here = { ...base };
    said.set(named);
    for (let at = first; at <= last; at += 1) {
      const { term, share } = hits[at] as Hit;
      const more = share - (said[term] as number);
      if (more <= 0) continue;
      said[term] = share;
      here.weight += more * (terms[term]?.weight ?? 0);
      if (terms[term]?.tells === true) here.told += more;
    }
    best.weight = Math.max(best.weight, here.weight);
    best.told = Math.max(best.told, here.told);
  }
  return {
    share: weight === 0 ? 0 : best.weight / weight,
    told: telling === 0 ? 0 : best.told / telling,
  };
}

function findHeaviestMissing(terms: readonly WeightedTerm[], anywhere: TermShares): number {
  const telling = terms.reduce((total, { tells, weight }) => total + (tells ? weight : 0), 0);
  const missing = terms.map(({ tells, weight }, at) => (tells ? weight * (1 - (anywhere[at] ?? 0)) : 0));
  return telling === 0 ? 0 : Math.max(0, ...missing) / telling;
}
