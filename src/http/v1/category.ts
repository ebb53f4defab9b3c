import type { SearchRequest } from '../../search/search-types.ts';
import { parseDomainFilter, underDomain } from '../../text/query/filters.ts';

/** The part of a search request that a category sets. */
type Category = Pick<SearchRequest, 'topic' | 'fileType'> & { domains?: readonly string[] };

/** Hosts of papers and preprints. */
const PAPERS = [
  ...['arxiv.org', 'doi.org', 'semanticscholar.org', 'openreview.net', 'aclanthology.org', 'ssrn.com'],
  ...['biorxiv.org', 'medrxiv.org', 'pubmed.ncbi.nlm.nih.gov', 'pmc.ncbi.nlm.nih.gov', 'europepmc.org'],
  ...['nature.com', 'science.org', 'sciencedirect.com', 'link.springer.com', 'onlinelibrary.wiley.com'],
  ...['dl.acm.org', 'ieeexplore.ieee.org', 'journals.plos.org', 'academic.oup.com', 'cambridge.org/core'],
  ...['tandfonline.com', 'journals.sagepub.com', 'mdpi.com', 'frontiersin.org', 'jstor.org', 'pnas.org'],
  ...['proceedings.mlr.press', 'proceedings.neurips.cc', 'hal.science', 'zenodo.org', 'openalex.org'],
  ...['papers.ssrn.com', 'core.ac.uk', 'dblp.org', 'jmlr.org', 'iopscience.iop.org', 'pubs.acs.org'],
];

/** The categories known to clients of this shape that a search can distinguish; others have no effect. */
const CATEGORIES: Readonly<Record<string, Category>> = {
  news: { topic: 'news' },
  'research paper': { topic: 'science', domains: PAPERS },
  publication: { topic: 'science', domains: PAPERS },
  pdf: { fileType: 'pdf' },
  github: { domains: ['github.com'] },
  tweet: { domains: ['x.com', 'twitter.com'] },
  'linkedin profile': { domains: ['linkedin.com/in'] },
  people: { domains: ['linkedin.com/in'] },
};

export const CATEGORY_NAMES = Object.keys(CATEGORIES);

/** Finds a category by its name, in any case; null if it is unknown. */
function findCategory(name: unknown): Category | null {
  const key = typeof name === 'string' ? name.trim().toLowerCase() : '';
  return Object.hasOwn(CATEGORIES, key) ? (CATEGORIES[key] ?? null) : null;
}

/**
 * Returns the part of a search request that a category sets; null if it has no effect: the category is unknown, or none of its domains is
 * among those that the caller included.
 */
export function resolveCategory(
  name: unknown,
  includeDomains: readonly string[],
): Pick<SearchRequest, 'topic' | 'fileType' | 'includeDomains'> | null {
  const category = findCategory(name);
  if (category === null) return null;
  const { domains, ...fields } = category;
  const narrowed = domains === undefined ? [...includeDomains] : intersectDomains(includeDomains, domains);
  if (domains !== undefined && narrowed.length === 0) return null;
  return { ...fields, includeDomains: narrowed };
}

/** Returns the domains that lie within both lists; an empty first list allows all. */
function intersectDomains(included: readonly string[], domains: readonly string[]): string[] {
  if (included.length === 0) return [...domains];
  return included.flatMap((one) =>
    domains.flatMap((other) => (isWithin(one, other) ? [one] : isWithin(other, one) ? [other] : [])),
  );
}

function isWithin(inner: string, outer: string): boolean {
  const [narrow, wide] = [parseDomainFilter(inner), parseDomainFilter(outer)];
  return (
    narrow !== null && wide !== null && underDomain(new URL(`http://${narrow.host}${narrow.path}`), wide)
  );
}
