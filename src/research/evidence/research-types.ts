/**
 * The kind of a facet: the whole question, one of its clauses, one side of a comparison, the comparison itself, a named thing, or a
 * name that the first results brought up.
 */
export type FacetKind = 'question' | 'clause' | 'side' | 'comparison' | 'name' | 'related';

/** One thing to find out. `facet` names it in the words of the caller (or of a page), `query` is the search for it. */
export type Facet = {
  kind: FacetKind;
  facet: string;
  query: string;
  /** The origin of the name of a `related` facet. */
  from?: Origin;
};

/**
 * The passage that brought up a name: its relevance, the words of the question that it and the passages before it contain, and the
 * facets that led to it.
 */
export type Origin = { relevance: number; held: string[]; via: number[] };

/** A facet with its index among all facets. */
export type PlacedFacet = { place: number; facet: Facet };

/** A page to take passages from. Plain data, because it is sent to threads. */
export type ResearchPage = {
  url: string;
  title: string;
  /** YYYY-MM-DD, or null when unknown. */
  publishedDay: string | null;
  language: string | null;
  /** The language that passages are scored in; absent: `language`, or a guess. */
  textLanguage?: string | null;
  markdown: string;
  /** Scores of 0 to 1 that the searches gave the page: place of the facet -> score. */
  found: Record<number, number>;
};

/** A passage of a page and how well it fits each facet (0 to 1, by the facet's place; absent: not at all). */
export type Passage = Omit<ResearchPage, 'markdown' | 'found' | 'textLanguage'> & {
  headingPath: string[];
  /** Markdown of the page from `start` to `end`; a cut table gets its header row, cut code its fences. */
  quote: string;
  start: number;
  end: number;
  /** Opens the page at the passage. */
  link: string;
  fits: Record<number, number>;
};

/** A chosen passage; `id` is `e1`, `e2`, … in order, `facets` are indexes of facets, the best fit first. */
export type Evidence = Omit<Passage, 'fits' | 'language'> & {
  id: string;
  language: string | null;
  facets: number[];
  score: number;
};

/** The same value in evidence from at least two sites. */
export type Agreement = { what: string; value: string; sources: string[] };
/** Different values for the same thing, each with the evidence that states it. */
export type Disagreement = { what: string; values: { value: string; sources: string[] }[] };
