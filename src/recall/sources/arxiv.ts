import { parseDay } from '../responses/answer-day.ts';
import { buildSourceAddress, buildSourceHeaders, computeOffset } from '../responses/loose-json.ts';
import { readAtom } from '../responses/read-atom.ts';
import type { SourceQuery, SourceSpec } from '../source.ts';

const COUNT_MAX = 25;
const KEYWORDS_MAX = 8;
/** Maximum words that must all match; of more words, as many as possible. */
const ALL_OF_MAX = 4;
const FIT_MIN = 0.4;

/** https://info.arxiv.org/help/api/user-manual.html */
export const arxiv: SourceSpec = {
  name: 'arxiv',
  about: 'preprints of physics, mathematics, computing and their neighbours',
  scope: 'field',
  hosts: ['arxiv.org'],
  terms: {
    url: 'https://info.arxiv.org/help/api/tou.html',
    note: 'metadata is CC0; one call every three seconds over one connection, by all your machines together',
  },
  needsConsent: false,
  key: null,
  base: { setting: 'ARXIV_URL', standard: 'https://export.arxiv.org' },
  rate: { calls: 1, perMs: 3_100, atOnce: 1 },
  queryMax: { chars: 300, words: 32 },
  mayBeCached: true,
  fit: ({ paper }) => (paper < FIT_MIN ? 0 : paper),
  request: (asked, { baseUrl, userAgent }) => ({
    url: buildSourceAddress(baseUrl, '/api/query', {
      search_query: buildSearchQuery(asked),
      start: computeOffset(asked, Math.min(asked.limit, COUNT_MAX)) ?? 0,
      max_results: Math.min(asked.limit, COUNT_MAX),
      sortBy: 'relevance',
      sortOrder: 'descending',
    }),
    headers: buildSourceHeaders(userAgent, 'application/atom+xml'),
  }),
  read: (response) => readAtom(response, { dayOf: parseDay, urlOf: (id) => id.replace(/^http:/, 'https:') }),
};

function buildSearchQuery({ query, publishedFrom, publishedTo }: SourceQuery): string {
  const words = query
    .keywords(KEYWORDS_MAX)
    .map((word) => word.replaceAll(/[^\p{L}\p{N} .-]+/gu, ' ').trim())
    .filter((word) => word !== '');
  const terms = words.map((word) => `all:${/[ .-]/.test(word) ? `"${word}"` : word}`);
  const topic = terms.join(terms.length <= ALL_OF_MAX ? ' AND ' : ' OR ');
  if (publishedFrom === null && publishedTo === null) return topic;
  const from = publishedFrom?.replaceAll('-', '') ?? '19900101';
  const to = publishedTo?.replaceAll('-', '') ?? '20991231';
  return `(${topic}) AND submittedDate:[${from}0000 TO ${to}2359]`;
}
