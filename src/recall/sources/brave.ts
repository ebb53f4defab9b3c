import { dayOfText } from '../responses/answer-day.ts';
import { pageIndex } from '../responses/further-results.ts';
import { failed, refused } from '../responses/judge-answer.ts';
import { at, listAt, textAt } from '../responses/loose-json.ts';
import { plainOfHtml } from '../responses/plain-words.ts';
import { lastNumber, readJson } from '../responses/read-json.ts';
import { withSites } from '../responses/site-operators.ts';
import { sourceAddress, sourceHeaders } from '../responses/source-address.ts';
import { SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/tidy-items.ts';
import type { SourceQuery, SourceSpec } from '../source.ts';

const COUNT_MAX = 20;
/** Brave requires both ends of a date range. */
const FIRST_DAY = '1990-01-01';
const LAST_DAY = '2099-12-31';

/** https://api-dashboard.search.brave.com/app/documentation/web-search */
export const brave: SourceSpec = {
  name: 'brave',
  about: 'the whole web, from the independent index of Brave',
  scope: 'web',
  hosts: null,
  terms: {
    url: 'https://api-dashboard.search.brave.com/terms-of-service',
    note: 'what end users may be shown and whether answers may be kept depends on the plan',
  },
  needsConsent: true,
  key: { setting: 'BRAVE_API_KEY', required: true },
  base: { setting: 'BRAVE_URL', standard: 'https://api.search.brave.com' },
  rate: { calls: 20, perMs: 1_000, atOnce: 8 },
  // Published: 400 characters, 50 words; the rest is room for site operators.
  queryMax: { chars: 280, words: 36 },
  mayBeCached: false,
  fit: () => 1,
  request: (asked, { baseUrl, userAgent, key }) => ({
    url: sourceAddress(baseUrl, '/res/v1/web/search', {
      q: withSites(asked, { or: true }),
      count: Math.min(asked.limit, COUNT_MAX),
      offset: pageIndex(asked),
      text_decorations: 'false',
      freshness: freshness(asked),
    }),
    headers: { ...sourceHeaders(userAgent), 'x-subscription-token': key ?? '' },
  }),
  read: (response) =>
    readJson(response, {
      complaint: (root, status) => {
        if (status !== 422) return null;
        const code = textAt(root, 'error', 'code');
        return /TOKEN|SUBSCRIPTION/.test(code)
          ? refused('the key is not taken')
          : failed(code || 'status 422');
      },
      entries: (root) => {
        // Without results, `web` is absent.
        if (at(root, 'type') === 'search' && at(root, 'web') === undefined) return [];
        return listAt(root, 'web', 'results');
      },
      item: (entry) => ({
        url: textAt(entry, 'url'),
        title: plainOfHtml(textAt(entry, 'title'), TITLE_CHARS_MAX),
        snippet: plainOfHtml(textAt(entry, 'description'), SNIPPET_CHARS_MAX),
        publishedDay: dayOfText(textAt(entry, 'page_age')),
      }),
      quotaLeft: (_root, { headers }) => lastNumber(headers['x-ratelimit-remaining']),
    }),
};

function freshness({ publishedFrom, publishedTo }: SourceQuery): string | null {
  if (publishedFrom === null && publishedTo === null) return null;
  return `${publishedFrom ?? FIRST_DAY}to${publishedTo ?? LAST_DAY}`;
}
