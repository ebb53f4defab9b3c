import { WEAK_RESULTS_SHOWN } from '../../../contract/limits.ts';
import type { Answer, JsonObject } from '../../calls/call.ts';
import { type Arguments, READ_FIELDS, READ_ONLY, type Tool, type ToolArguments } from '../tool.ts';
import {
  createFootnotes,
  formatQuote,
  joinSections,
  readRecords,
  readTextField,
  readTextList,
} from '../writing.ts';

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
  description: 'Search the web: title, URL, date and quotations.',
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
    body: {
      query,
      startPublishedDate: start_date,
      endPublishedDate: end_date,
      ...buildResultOptions(filters),
    },
  }),
  write: writeResults,
};

/** The tool for POST /v1/findSimilar. */
export const findSimilar: Tool = {
  name: 'find_similar',
  title: 'Find similar pages',
  description: 'Find pages of other sites on the topic of a page.',
  price: '1 credit.',
  fields: { url: { kind: 'text', required: true, aliases: ['urls', 'link'] }, ...FILTERS, ...READ_FIELDS },
  annotations: READ_ONLY,
  call: ({ url, ...filters }) => ({
    method: 'POST',
    path: '/v1/findSimilar',
    body: { url, ...buildResultOptions(filters) },
  }),
  write: writeResults,
};

function buildResultOptions({ max_results, include_domains, exclude_domains }: JsonObject): JsonObject {
  return {
    numResults: max_results,
    includeDomains: include_domains,
    excludeDomains: exclude_domains,
    contents: { highlights: { highlightsPerUrl: PASSAGES_PER_RESULT } },
  };
}

/** Writes the results. A passage in several results is shown once. Unless `max_results` is given, few weak results are shown. */
function writeResults(answer: Answer['body'], { max_results }: Arguments): { text: string } {
  const shown = new Set<string>();
  const footnotes = createFootnotes();
  const found = readRecords(answer, 'results');
  const weak = found.filter(isWeak).length;
  const leftOut = max_results === undefined ? Math.max(0, weak - WEAK_RESULTS_SHOWN) : 0;
  // Weak results come last.
  const results = found.slice(0, found.length - leftOut).map((result, place) => {
    const citations = readRecords(result, 'highlightProofs');
    const url = readTextField(result, 'url');
    const passages = readTextList(result, 'highlights').flatMap((passage, at) => {
      if (shown.has(passage)) return [];
      shown.add(passage);
      const mark = footnotes.mark(readTextField(citations[at], 'link'), url);
      return mark === '' ? [formatQuote(passage)] : [formatQuote(passage), mark];
    });
    const date = readTextField(result, 'publishedDate');
    const notes = [...(date === '' ? [] : [` (${date})`]), ...(isWeak(result) ? [' [weak]'] : [])].join('');
    const heading = `${place + 1}. ${readTextField(result, 'title') || '(no title)'}${notes}`;
    return [heading, url, ...passages].join('\n');
  });
  if (results.length === 0) return { text: 'No results. Try other words or fewer filters.' };
  return { text: joinSections([...results, describeWeak(weak, leftOut), footnotes.text()]) };
}

const isWeak = (result: JsonObject): boolean => result.weak === true;

/** Returns `2 of these results are weak: unlikely to be relevant.`; empty if there are none. */
function describeWeak(weak: number, leftOut: number): string {
  const count = weak - leftOut;
  if (count === 0) return '';
  const shown = count === 1 ? '1 of these results is weak' : `${count} of these results are weak`;
  const more = leftOut === 0 ? '' : ` ${leftOut} more left out; max_results shows them.`;
  return `${shown}: unlikely to be relevant.${more}`;
}
