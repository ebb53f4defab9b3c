import { parseDomainFilter } from '../../../text/query/filters.ts';
import { hostMarks, isDeep, pathMarks } from '../../index-marks.ts';
import type { IndexQuery } from '../../local-index-types.ts';
import type { CandidateTerm } from '../../postings/find-candidates.ts';

type Clause = Record<string, unknown>;

/** What a term in the title or a heading gains, beside its weight: as text/scoring/score-page.ts has it. */
const TITLE_WORTH = 0.3;
const HEADING_WORTH = 0.35;
/** Words in a row, or nearly, beside the sum of all weights. */
const PHRASE_WORTH = 0.1;
const PHRASE_SLOP = 8;
const PHRASE_TERMS = { min: 2, max: 8 };
/** The best by their words, among which those with the words together come first. */
const RESCORED = 500;

/** Pages by BM25F over their weighed terms, with what titles, headings and words in a row add; filters as marks. */
export function candidateQuery(
  query: IndexQuery,
  terms: readonly CandidateTerm[],
  pages: number,
): { query: Clause; rescore?: Clause } {
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  const should = terms.flatMap((term) => termClauses(term, pages));
  const filtered = filterClauses(query);
  return {
    query: { bool: { should, minimum_should_match: 1, ...filtered } },
    ...(isPhrase(terms) ? { rescore: phraseRescore(terms, total) } : {}),
  };
}

const isPhrase = (terms: readonly CandidateTerm[]): boolean =>
  terms.length >= PHRASE_TERMS.min && terms.length <= PHRASE_TERMS.max;

function termClauses({ forms, weight, frequency }: CandidateTerm, pages: number): Clause[] {
  // The cluster weighs a term by its own idf; the weight of the query takes its place.
  const boost = weight / Math.log(1 + (pages - Math.min(frequency, pages) + 0.5) / (frequency + 0.5));
  const any = (field: string): Clause => ({ terms: { [field]: forms } });
  const found = forms.map((form) => ({ term: { words: { value: form, boost } } }));
  return [
    found.length === 1 ? (found[0] as Clause) : { dis_max: { queries: found } },
    { constant_score: { filter: any('title'), boost: weight * TITLE_WORTH } },
    { constant_score: { filter: any('headings'), boost: weight * HEADING_WORTH } },
  ];
}

function phraseRescore(terms: readonly CandidateTerm[], total: number): Clause {
  const phrase = terms.map(({ forms }) => forms[0]).join(' ');
  return {
    window_size: RESCORED,
    query: {
      rescore_query: {
        match_phrase: { words: { query: phrase, slop: PHRASE_SLOP, boost: PHRASE_WORTH * total } },
      },
    },
  };
}

/** The filters of a query; paths deeper than the marks let too much through, and each page is judged again. */
function filterClauses({
  includeDomains,
  excludeDomains,
  publishedFrom,
  publishedTo,
}: Omit<IndexQuery, 'query' | 'limit'>): { filter: Clause[]; must_not: Clause[] } {
  const filter: Clause[] = [];
  if (includeDomains.length > 0) filter.push(anyOf(domainClauses(includeDomains, 'include')));
  if (publishedFrom !== null || publishedTo !== null)
    filter.push({
      range: {
        day: {
          ...(publishedFrom === null ? {} : { gte: publishedFrom }),
          ...(publishedTo === null ? {} : { lte: publishedTo }),
        },
      },
    });
  return { filter, must_not: domainClauses(excludeDomains, 'exclude') };
}

const anyOf = (clauses: Clause[]): Clause =>
  clauses.length === 0 ? { match_none: {} } : { bool: { should: clauses, minimum_should_match: 1 } };

/** Hosts share one clause; each path has one of its own. */
function domainClauses(domains: readonly string[], use: 'include' | 'exclude'): Clause[] {
  const hosts: string[] = [];
  const clauses: Clause[] = [];
  for (const domain of domains) {
    const filter = parseDomainFilter(domain);
    if (filter === null) continue;
    const host = hostMarks(filter.host)[0] as string;
    const deepest = filter.path === '' ? undefined : pathMarks(filter.path).at(-1);
    if (deepest === undefined) hosts.push(host);
    else if (use === 'include' || !isDeep(filter.path))
      clauses.push({ bool: { filter: [{ term: { marks: host } }, { term: { marks: deepest } }] } });
  }
  return hosts.length === 0 ? clauses : [...clauses, { terms: { marks: hosts } }];
}
