import type { Answer, JsonObject } from '../../calls/call.ts';
import { type Fields, LOOKS, PART_FIELDS, type Tool } from '../tool.ts';
import { cited, recordsOf, sections, textOf, textsOf } from '../writing.ts';

const DOMAINS = { kind: 'list', separator: /[\s,]+/ } as const;

const FILTERS = {
  max_results: { kind: 'count', aliases: ['num_results', 'limit', 'count', 'n', 'results'] },
  include_domains: { ...DOMAINS, aliases: ['domains', 'site'] },
  exclude_domains: DOMAINS,
} as const satisfies Fields;

const PASSAGES_PER_RESULT = 2;

/** Stands for POST /v1/search. */
export const search: Tool = {
  name: 'search',
  description: 'Search the web. Each result: title, URL, date, quoted passages. 1 credit.',
  fields: {
    query: { kind: 'text', required: true, aliases: ['q', 'question', 'search', 'search_query'] },
    ...FILTERS,
    start_date: { kind: 'text', about: 'YYYY-MM-DD', aliases: ['start_published_date', 'from', 'since'] },
    end_date: { kind: 'text', aliases: ['end_published_date', 'to', 'until'] },
    ...PART_FIELDS,
  },
  annotations: LOOKS,
  call: ({ query, start_date, end_date, ...filters }) => ({
    method: 'POST',
    path: '/v1/search',
    body: { query, startPublishedDate: start_date, endPublishedDate: end_date, ...resultsWanted(filters) },
  }),
  write: writeResults,
};

/** Stands for POST /v1/findSimilar. */
export const findSimilar: Tool = {
  name: 'find_similar',
  description: 'Pages on the topic of a page, from other sites. 1 credit.',
  fields: { url: { kind: 'text', required: true, aliases: ['urls', 'link'] }, ...FILTERS, ...PART_FIELDS },
  annotations: LOOKS,
  call: ({ url, ...filters }) => ({
    method: 'POST',
    path: '/v1/findSimilar',
    body: { url, ...resultsWanted(filters) },
  }),
  write: writeResults,
};

function resultsWanted({ max_results, include_domains, exclude_domains }: JsonObject): JsonObject {
  return {
    numResults: max_results,
    includeDomains: include_domains,
    excludeDomains: exclude_domains,
    contents: { highlights: { highlightsPerUrl: PASSAGES_PER_RESULT } },
  };
}

/** A passage that two results share is told once. */
function writeResults(answer: Answer['body']): { text: string } {
  const told = new Set<string>();
  const results = recordsOf(answer, 'results').map((result, place) => {
    const proofs = recordsOf(result, 'highlightProofs');
    const passages = textsOf(result, 'highlights').flatMap((passage, at) => {
      if (told.has(passage)) return [];
      told.add(passage);
      return [cited(passage, textOf(proofs[at], 'link'))];
    });
    const date = textOf(result, 'publishedDate');
    const heading = `${place + 1}. ${textOf(result, 'title') || '(no title)'}${date === '' ? '' : ` (${date})`}`;
    return [heading, textOf(result, 'url'), ...passages].join('\n');
  });
  return { text: results.length === 0 ? 'No results. Use other words or fewer filters.' : sections(results) };
}
