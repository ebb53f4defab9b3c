import type { Evidence, Facet, Passage } from './research-types.ts';

/** A facet with the evidence found for it; `why` explains why there is none, and is null if there is some. */
export type FacetReport = Facet & { found: string[]; searches: number; why: string | null };

type SearchOutcome = { place: number } & (
  | { ok: true; results: readonly unknown[] }
  | { ok: false; error: string }
);

type Outcome = {
  facets: readonly Facet[];
  searches: readonly SearchOutcome[];
  passages: readonly Passage[];
  evidence: readonly Evidence[];
};

/** Builds a report for each facet. */
export function buildFacetReports({ facets, searches, passages, evidence }: Outcome): FacetReport[] {
  return facets.map((facet, place) => {
    const isFor = (one: Evidence): boolean =>
      one.facets.some((other) => other === place || isPartOf(facets[other], facet));
    const found = evidence.filter(isFor).map(({ id }) => id);
    const own = searches.filter((search) => search.place === place);
    const hasPassages = passages.some(({ fits }) => fits[place] !== undefined);
    const why = found.length > 0 ? null : hasPassages ? LEFT_OUT : explainMissing(own[0]);
    return { ...facet, found, searches: own.length, why };
  });
}

/** Evidence for a clause is evidence for the question. */
const isPartOf = (part: Facet | undefined, whole: Facet): boolean =>
  whole.kind === 'question' && part?.kind === 'clause';

const LEFT_OUT =
  'Passages on it were found, but they say too little about the question, or the token budget left them out.';

function explainMissing(search: SearchOutcome | undefined): string {
  if (search === undefined)
    return 'No search of its own was left in the budget, and no opened page says enough about it.';
  if (!search.ok) return `Its search failed (${search.error}), and no opened page says enough about it.`;
  if (search.results.length === 0) return 'Its search found no page.';
  return 'Its search found pages, but no opened page says enough about it.';
}
