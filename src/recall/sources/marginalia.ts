import {
  buildSourceAddress,
  buildSourceHeaders,
  cleanText,
  computePageNumber,
  readListAt,
  readTextAt,
} from '../responses/loose-json.ts';
import { readJson, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/read-json.ts';
import { findOnlySite } from '../responses/site-operators.ts';
import type { SourceSpec } from '../source.ts';

const COUNT_MAX = 50;
/** Maximum time of the engine itself, in milliseconds. */
const ENGINE_MS_MAX = 250;

/** https://about.marginalia-search.com/article/api */
export const marginalia: SourceSpec = {
  name: 'marginalia',
  about: 'the small web: personal sites, essays, documentation without advertising',
  scope: 'web',
  hosts: null,
  terms: {
    url: 'https://about.marginalia-search.com/article/api',
    note: 'free keys are CC-BY-NC-SA 4.0 and must not serve a paid service; commercial keys may',
  },
  needsConsent: true,
  key: { setting: 'MARGINALIA_API_KEY', required: true },
  base: { setting: 'MARGINALIA_URL', standard: 'https://api2.marginalia-search.com' },
  rate: { calls: 1, perMs: 1_000, atOnce: 2 },
  // All words must be found.
  queryMax: { chars: 200, words: 6 },
  mayBeCached: true,
  fit: () => 1,
  request: (asked, { baseUrl, userAgent, key }) => {
    const site = findOnlySite(asked);
    return {
      url: buildSourceAddress(baseUrl, '/search', {
        query: site === null ? asked.query.text : `${asked.query.text} site:${site}`,
        count: Math.min(asked.limit, COUNT_MAX),
        page: computePageNumber(asked),
        timeout: ENGINE_MS_MAX,
      }),
      headers: { ...buildSourceHeaders(userAgent), 'api-key': key ?? '' },
    };
  },
  read: (response) =>
    // Older servers answer 503 to callers over the limit, without saying for how long.
    response.status === 503
      ? { kind: 'throttled', retryAfterMs: null }
      : readJson(response, {
          entries: (root) => readListAt(root, 'results'),
          item: (entry) => ({
            url: readTextAt(entry, 'url'),
            title: cleanText(readTextAt(entry, 'title'), TITLE_CHARS_MAX),
            snippet: cleanText(readTextAt(entry, 'description'), SNIPPET_CHARS_MAX),
            publishedDay: null,
          }),
        }),
};
