import { createMadeOnce } from '../../../platform/made-once.ts';
import type { Answer, JsonObject } from '../../calls/call.ts';
import { READ_FIELDS, READ_ONLY, type Tool, type ToolArguments } from '../tool.ts';
import { createFootnotes, fieldOf, quoted, recordsOf, sections, textOf, textsOf } from '../writing.ts';

const DOMAINS = { kind: 'list', separator: /[\s,]+/ } as const;

const FILTERS = {
  max_results: { kind: 'count', aliases: ['num_results', 'limit', 'count', 'n', 'results'] },
  include_domains: { ...DOMAINS, aliases: ['domains', 'site'] },
  exclude_domains: DOMAINS,
} as const satisfies ToolArguments;

const PASSAGES_PER_RESULT = 2;

/** The tool for POST /v1/search. */
export const search: Tool = {
  name: 'search',
  title: 'Search the web',
  description: 'Search the web. Each result: title, URL, date, quoted passages.',
  price: '1 credit.',
  fields: {
    query: { kind: 'text', required: true, aliases: ['q', 'question', 'search', 'search_query'] },
    ...FILTERS,
    start_date: { kind: 'text', about: 'YYYY-MM-DD', aliases: ['start_published_date', 'from', 'since'] },
    end_date: { kind: 'text', aliases: ['end_published_date', 'to', 'until'] },
    ...READ_FIELDS,
  },
  annotations: READ_ONLY,
  call: ({ query, start_date, end_date, ...filters }) => ({
    method: 'POST',
    path: '/v1/search',
    body: { query, startPublishedDate: start_date, endPublishedDate: end_date, ...resultsWanted(filters) },
  }),
  write: writtenOnce,
};

/** The tool for POST /v1/findSimilar. */
export const findSimilar: Tool = {
  name: 'find_similar',
  title: 'Find similar pages',
  description: 'Find pages on the same topic as a page, on other sites.',
  price: '1 credit.',
  fields: { url: { kind: 'text', required: true, aliases: ['urls', 'link'] }, ...FILTERS, ...READ_FIELDS },
  annotations: READ_ONLY,
  call: ({ url, ...filters }) => ({
    method: 'POST',
    path: '/v1/findSimilar',
    body: { url, ...resultsWanted(filters) },
  }),
  write: writtenOnce,
};

function resultsWanted({ max_results, include_domains, exclude_domains }: JsonObject): JsonObject {
  return {
    numResults: max_results,
    includeDomains: include_domains,
    excludeDomains: exclude_domains,
    contents: { highlights: { highlightsPerUrl: PASSAGES_PER_RESULT } },
  };
}

const written = createMadeOnce<object, { text: string }>();

/** Kept answers hold the same results, which are written once. */
function writtenOnce(answer: Answer['body']): { text: string } {
  const results = fieldOf(answer, 'results');
  return Array.isArray(results) ? written(results, '', () => writeResults(answer)) : writeResults(answer);
}

/** A passage that several results share is shown once. */
function writeResults(answer: Answer['body']): { text: string } {
  const shown = new Set<string>();
  const footnotes = createFootnotes();
  const results = recordsOf(answer, 'results').map((result, place) => {
    const citations = recordsOf(result, 'highlightProofs');
    const url = textOf(result, 'url');
    const passages = textsOf(result, 'highlights').flatMap((passage, at) => {
      if (shown.has(passage)) return [];
      shown.add(passage);
      const mark = footnotes.mark(textOf(citations[at], 'link'), url);
      return mark === '' ? [quoted(passage)] : [quoted(passage), mark];
    });
    const date = textOf(result, 'publishedDate');
    const heading = `${place + 1}. ${textOf(result, 'title') || '(no title)'}${date === '' ? '' : ` (${date})`}`;
    return [heading, url, ...passages].join('\n');
  });
  if (results.length === 0) return { text: 'No results. Try other words or fewer filters.' };
  return { text: sections([...results, footnotes.text()]) };
}
