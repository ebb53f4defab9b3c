import { dayOfSeconds } from '../responses/answer-day.ts';
import { pageIndex } from '../responses/further-results.ts';
import { at, listAt, numberAt, textAt } from '../responses/loose-json.ts';
import { plainOfHtml, plainOfText } from '../responses/plain-words.ts';
import { readJson } from '../responses/read-json.ts';
import { sourceAddress, sourceHeaders } from '../responses/source-address.ts';
import { SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/tidy-items.ts';
import type { SourceItem, SourceSpec } from '../source.ts';

const COUNT_MAX = 50;
/** All words must be found. */
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
    url: sourceAddress(baseUrl, '/api/v1/search', {
      query: query.keywords(KEYWORDS_MAX).join(' '),
      tags: 'story',
      hitsPerPage: Math.min(limit, COUNT_MAX),
      page: pageIndex({ page }),
      // A page is submitted after it was published: the start of the span bounds both, its end does not.
      numericFilters: publishedFrom === null ? null : `created_at_i>=${Date.parse(publishedFrom) / 1_000}`,
    }),
    headers: sourceHeaders(userAgent),
  }),
  read: (response) => readJson(response, { entries: (root) => listAt(root, 'hits'), item: storyOf }),
};

/** The page that a story links to, whose date is unknown; a story without a link is a page of Hacker News itself. */
function storyOf(entry: unknown): SourceItem {
  const title = plainOfText(textAt(entry, 'title'), TITLE_CHARS_MAX);
  const snippet = plainOfHtml(textAt(entry, 'story_text'), SNIPPET_CHARS_MAX);
  const url = textAt(entry, 'url');
  if (url !== '') return { url, title, snippet, publishedDay: null };
  const id = textAt(entry, 'objectID');
  const isOwn = at(entry, 'url') === null || at(entry, 'url') === undefined;
  return {
    url: isOwn && /^\d{1,12}$/.test(id) ? `https://news.ycombinator.com/item?id=${id}` : '',
    title,
    snippet,
    publishedDay: dayOfSeconds(numberAt(entry, 'created_at_i')),
  };
}
