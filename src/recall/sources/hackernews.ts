import { toDayFromSeconds } from '../responses/answer-day.ts';
import {
  buildSourceAddress,
  buildSourceHeaders,
  cleanText,
  computePageIndex,
  readAt,
  readListAt,
  readNumberAt,
  readTextAt,
  stripHtml,
} from '../responses/loose-json.ts';
import { readJson, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/read-json.ts';
import type { SourceItem, SourceSpec } from '../source.ts';

const COUNT_MAX = 50;
/** Maximum keywords; all must be found. */
const KEYWORDS_MAX = 5;

/** Stories of Hacker News by Algolia (https://hn.algolia.com/api): pages that people found worth a discussion. */
export const hackernews: SourceSpec = {
  name: 'hackernews',
  about: 'pages that were discussed on Hacker News',
  scope: 'field',
  hosts: null,
  terms: { url: 'https://hn.algolia.com/api', note: '10,000 calls an hour by courtesy' },
  needsConsent: false,
  key: null,
  base: { setting: 'HACKERNEWS_URL', standard: 'https://hn.algolia.com' },
  rate: { calls: 100, perMs: 60_000, atOnce: 4 },
  queryMax: { chars: 240, words: 32 },
  mayBeCached: true,
  fit: ({ code, news }) => Math.min(1, 0.2 + 0.5 * Math.max(code, news)),
  request: ({ query, limit, publishedFrom, page = 0 }, { baseUrl, userAgent }) => ({
    url: buildSourceAddress(baseUrl, '/api/v1/search', {
      query: query.keywords(KEYWORDS_MAX).join(' '),
      tags: 'story',
      hitsPerPage: Math.min(limit, COUNT_MAX),
      page: computePageIndex({ page }),
      // A page is submitted after it was published, so the start of the date range applies to both, its end does not.
      numericFilters: publishedFrom === null ? null : `created_at_i>=${Date.parse(publishedFrom) / 1_000}`,
    }),
    headers: buildSourceHeaders(userAgent),
  }),
  read: (response) => readJson(response, { entries: (root) => readListAt(root, 'hits'), item: readStory }),
};

/** Reads the page that a story links to, whose date is unknown; a story without a link is a page of Hacker News itself. */
function readStory(entry: unknown): SourceItem {
  const title = cleanText(readTextAt(entry, 'title'), TITLE_CHARS_MAX);
  const snippet = stripHtml(readTextAt(entry, 'story_text'), SNIPPET_CHARS_MAX);
  const url = readTextAt(entry, 'url');
  if (url !== '') return { url, title, snippet, publishedDay: null };
  const id = readTextAt(entry, 'objectID');
  const isOwn = readAt(entry, 'url') === null || readAt(entry, 'url') === undefined;
  return {
    url: isOwn && /^\d{1,12}$/.test(id) ? `https://news.ycombinator.com/item?id=${id}` : '',
    title,
    snippet,
    publishedDay: toDayFromSeconds(readNumberAt(entry, 'created_at_i')),
  };
}
