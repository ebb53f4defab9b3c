import { parseDay } from '../responses/answer-day.ts';
import {
  buildSourceAddress,
  buildSourceHeaders,
  cleanText,
  computeOffset,
  readAt,
  readListAt,
  readTextAt,
} from '../responses/loose-json.ts';
import { readJson, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/read-json.ts';
import type { SourceQuery, SourceSpec } from '../source.ts';

const COUNT_MAX = 50;
const FIT_MIN = 0.4;

/** https://api.semanticscholar.org/api-docs/graph */
export const semanticscholar: SourceSpec = {
  name: 'semanticscholar',
  about: 'scholarly papers with their abstracts',
  scope: 'field',
  hosts: ['arxiv.org', 'doi.org', 'semanticscholar.org'],
  terms: {
    url: 'https://www.semanticscholar.org/product/api/license',
    note: 'attribution is asked for; without a key all the world shares one allowance',
  },
  needsConsent: true,
  key: { setting: 'SEMANTICSCHOLAR_API_KEY', required: false },
  base: { setting: 'SEMANTICSCHOLAR_URL', standard: 'https://api.semanticscholar.org' },
  rate: { calls: 1, perMs: 1_100, atOnce: 1 },
  queryMax: { chars: 300, words: 24 },
  mayBeCached: true,
  fit: ({ paper }) => (paper < FIT_MIN ? 0 : paper),
  request: (asked, { baseUrl, userAgent, key }) => ({
    url: buildSourceAddress(baseUrl, '/graph/v1/paper/search', {
      // A hyphenated word finds nothing.
      query: asked.query.text.replaceAll('-', ' '),
      limit: Math.min(asked.limit, COUNT_MAX),
      offset: computeOffset(asked, Math.min(asked.limit, COUNT_MAX)),
      fields: 'title,url,abstract,publicationDate,externalIds',
      publicationDateOrYear: buildDateFilter(asked),
    }),
    headers: { ...buildSourceHeaders(userAgent), ...(key === null ? {} : { 'x-api-key': key }) },
  }),
  read: (response) =>
    readJson(response, {
      // Without results, the list may be absent.
      entries: (root) =>
        readAt(root, 'total') === 0 ? (readListAt(root, 'data') ?? []) : readListAt(root, 'data'),
      item: (entry) => ({
        url: buildPaperUrl(entry),
        title: cleanText(readTextAt(entry, 'title'), TITLE_CHARS_MAX),
        snippet: cleanText(readTextAt(entry, 'abstract'), SNIPPET_CHARS_MAX),
        publishedDay: parseDay(readTextAt(entry, 'publicationDate')),
      }),
    }),
};

/** Builds the URL of the paper itself rather than the page about it: arXiv can be read, a DOI leads to the publisher. */
function buildPaperUrl(entry: unknown): string {
  const arxiv = readTextAt(entry, 'externalIds', 'ArXiv');
  if (/^[\w.-]{4,20}(?:\/\d{7})?$/.test(arxiv)) return `https://arxiv.org/abs/${arxiv}`;
  const doi = readTextAt(entry, 'externalIds', 'DOI');
  return /^10\.\d{4,9}\/\S{1,300}$/.test(doi)
    ? `https://doi.org/${encodeURI(doi.toWellFormed())}`
    : readTextAt(entry, 'url');
}

function buildDateFilter({ publishedFrom, publishedTo }: SourceQuery): string | null {
  if (publishedFrom === null && publishedTo === null) return null;
  return `${publishedFrom ?? ''}:${publishedTo ?? ''}`;
}
