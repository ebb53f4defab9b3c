import { parseDay } from '../responses/answer-day.ts';
import {
  buildSourceAddress,
  buildSourceHeaders,
  cleanText,
  computePageNumber,
  readListAt,
  readTextAt,
} from '../responses/loose-json.ts';
import {
  type BadAnswer,
  createFailedAnswer,
  parseLastNumber,
  readJson,
  SNIPPET_CHARS_MAX,
  TITLE_CHARS_MAX,
} from '../responses/read-json.ts';
import type { SourceQuery, SourceSpec } from '../source.ts';

const COUNT_MAX = 30;
/** Maximum keywords; all must be found in a name, a description or a topic. */
const KEYWORDS_MAX = 4;
const FIT_MIN = 0.45;
/** Pause if no header names one; the documented minimum. */
const SECONDARY_LIMIT_MS = 60_000;
const PROJECT_WORDS = new Set(
  'github repo repository library libraries framework tool tools cli sdk client implementation open-source project'.split(
    ' ',
  ),
);

/** https://docs.github.com/en/rest/search/search */
export const github: SourceSpec = {
  name: 'github',
  about: 'repositories on GitHub',
  scope: 'field',
  hosts: ['github.com'],
  terms: {
    url: 'https://docs.github.com/en/rest/search/search#rate-limit',
    note: '10 searches a minute, 30 with a token',
  },
  needsConsent: false,
  key: { setting: 'GITHUB_API_TOKEN', required: false },
  base: { setting: 'GITHUB_URL', standard: 'https://api.github.com' },
  rate: { calls: 9, perMs: 60_000, atOnce: 2 },
  keyedRate: { calls: 27, perMs: 60_000, atOnce: 2 },
  // The published limit is 256 characters, including the date range.
  queryMax: { chars: 200, words: 32 },
  mayBeCached: true,
  fit: ({ code, words }) => {
    if (code < FIT_MIN) return 0;
    return code * (words.some((word) => PROJECT_WORDS.has(word)) ? 0.9 : 0.5);
  },
  request: (asked, { baseUrl, userAgent, key }) => ({
    url: buildSourceAddress(baseUrl, '/search/repositories', {
      q: [...asked.query.keywords(KEYWORDS_MAX), ...buildDateFilter(asked)].join(' '),
      per_page: Math.min(asked.limit, COUNT_MAX),
      page: computePageNumber(asked),
    }),
    headers: {
      ...buildSourceHeaders(userAgent, 'application/vnd.github+json'),
      'x-github-api-version': '2022-11-28',
    },
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  }),
  read: (response) =>
    readJson(response, {
      complaint: readError,
      entries: (root) => readListAt(root, 'items'),
      item: (entry) => ({
        url: readTextAt(entry, 'html_url'),
        title: cleanText(readTextAt(entry, 'full_name'), TITLE_CHARS_MAX),
        snippet: cleanText(readTextAt(entry, 'description'), SNIPPET_CHARS_MAX),
        publishedDay: parseDay(readTextAt(entry, 'created_at')),
      }),
      // Calls left in this minute, including those that others made with the same token.
      quotaLeft: (_root, { headers }) => parseLastNumber(headers['x-ratelimit-remaining']),
    }),
};

/** Reads GitHub's errors. Besides its counted limit, GitHub has a secondary one that only the message names. */
function readError(root: unknown, status: number): BadAnswer | null {
  if (status === 422) return createFailedAnswer('the query was not understood');
  const isSecondary = status === 403 && /secondary rate limit/i.test(readTextAt(root, 'message'));
  return isSecondary ? { kind: 'throttled', retryAfterMs: SECONDARY_LIMIT_MS } : null;
}

function buildDateFilter({ publishedFrom, publishedTo }: SourceQuery): string[] {
  if (publishedFrom === null && publishedTo === null) return [];
  return [`created:${publishedFrom ?? '*'}..${publishedTo ?? '*'}`];
}
