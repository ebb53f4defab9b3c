import { parseDay } from '../responses/answer-day.ts';
import {
  buildSourceAddress,
  buildSourceHeaders,
  computePageIndex,
  readAt,
  readListAt,
  readTextAt,
  stripHtml,
} from '../responses/loose-json.ts';
import {
  createFailedAnswer,
  createRefusedAnswer,
  parseLastNumber,
  readJson,
  SNIPPET_CHARS_MAX,
  TITLE_CHARS_MAX,
} from '../responses/read-json.ts';
import { addSiteOperators } from '../responses/site-operators.ts';
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
  // The published limit is 400 characters and 50 words; the rest is room for site operators.
  queryMax: { chars: 280, words: 36 },
  mayBeCached: false,
  fit: () => 1,
  request: (asked, { baseUrl, userAgent, key }) => ({
    url: buildSourceAddress(baseUrl, '/res/v1/web/search', {
      q: addSiteOperators(asked, { or: true }),
      count: Math.min(asked.limit, COUNT_MAX),
      offset: computePageIndex(asked),
      text_decorations: 'false',
      freshness: formatFreshness(asked),
    }),
    headers: { ...buildSourceHeaders(userAgent), 'x-subscription-token': key ?? '' },
  }),
  read: (response) =>
    readJson(response, {
      complaint: (root, status) => {
        if (status !== 422) return null;
        const code = readTextAt(root, 'error', 'code');
        return /TOKEN|SUBSCRIPTION/.test(code)
          ? createRefusedAnswer('the key is not taken')
          : createFailedAnswer(code || 'status 422');
      },
      entries: (root) => {
        // Without results, `web` is absent.
        if (readAt(root, 'type') === 'search' && readAt(root, 'web') === undefined) return [];
        return readListAt(root, 'web', 'results');
      },
      item: (entry) => ({
        url: readTextAt(entry, 'url'),
        title: stripHtml(readTextAt(entry, 'title'), TITLE_CHARS_MAX),
        snippet: stripHtml(readTextAt(entry, 'description'), SNIPPET_CHARS_MAX),
        publishedDay: parseDay(readTextAt(entry, 'page_age')),
      }),
      quotaLeft: (_root, { headers }) => parseLastNumber(headers['x-ratelimit-remaining']),
    }),
};

function formatFreshness({ publishedFrom, publishedTo }: SourceQuery): string | null {
  if (publishedFrom === null && publishedTo === null) return null;
  return `${publishedFrom ?? FIRST_DAY}to${publishedTo ?? LAST_DAY}`;
}
