import { parseDomainFilter } from '../../text/query/filters.ts';
import { toDayFromSeconds } from '../responses/answer-day.ts';
import {
  buildSourceAddress,
  buildSourceHeaders,
  computePageNumber,
  readListAt,
  readNumberAt,
  readTextAt,
  stripHtml,
} from '../responses/loose-json.ts';
import {
  type BadAnswer,
  createFailedAnswer,
  createRefusedAnswer,
  readJson,
  SNIPPET_CHARS_MAX,
  TITLE_CHARS_MAX,
} from '../responses/read-json.ts';
import type { SourceSpec } from '../source.ts';

const COUNT_MAX = 30;
/** Maximum keywords; all must be found. */
const KEYWORDS_MAX = 5;
const FIT_MIN = 0.45;
/** Sites of the network with a domain of their own; the others are `<site>.stackexchange.com`. */
const OWN_DOMAINS = [
  'stackoverflow.com',
  'superuser.com',
  'serverfault.com',
  'askubuntu.com',
  'mathoverflow.net',
];
/** Errors about the key (https://api.stackexchange.com/docs/error-handling). */
const KEY_ERRORS = new Set([401, 402, 403, 405, 406]);
const THROTTLED = 502;
const DAY_SECONDS = 86_400;

/** https://api.stackexchange.com/docs/advanced-search */
export const stackexchange: SourceSpec = {
  name: 'stackexchange',
  about: 'questions and answers of Stack Overflow and its sister sites',
  scope: 'field',
  hosts: [...OWN_DOMAINS, 'stackexchange.com'],
  terms: {
    url: 'https://api.stackexchange.com/docs/throttle',
    note: 'CC BY-SA with attribution; 300 calls a day, 10,000 with a free key',
  },
  needsConsent: false,
  key: { setting: 'STACKEXCHANGE_KEY', required: false },
  base: { setting: 'STACKEXCHANGE_URL', standard: 'https://api.stackexchange.com' },
  rate: { calls: 280, perMs: 86_400_000, atOnce: 2 },
  keyedRate: { calls: 9_500, perMs: 86_400_000, atOnce: 4 },
  queryMax: { chars: 240, words: 32 },
  mayBeCached: true,
  fit: ({ code }) => (code < FIT_MIN ? 0 : code),
  request: (
    { query, limit, includeDomains, publishedFrom, publishedTo, page = 0 },
    { baseUrl, userAgent, key },
  ) => ({
    url: buildSourceAddress(baseUrl, '/2.3/search/advanced', {
      site: pickSite(includeDomains),
      q: query.keywords(KEYWORDS_MAX).join(' '),
      sort: 'relevance',
      order: 'desc',
      pagesize: Math.min(limit, COUNT_MAX),
      page: computePageNumber({ page }),
      fromdate: publishedFrom === null ? null : Date.parse(publishedFrom) / 1_000,
      todate: publishedTo === null ? null : Date.parse(publishedTo) / 1_000 + DAY_SECONDS - 1,
      key,
    }),
    headers: buildSourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      complaint: readError,
      entries: (root) => readListAt(root, 'items'),
      item: (entry) => ({
        url: readTextAt(entry, 'link'),
        title: stripHtml(readTextAt(entry, 'title'), TITLE_CHARS_MAX),
        snippet: stripHtml(formatTags(entry), SNIPPET_CHARS_MAX),
        publishedDay: toDayFromSeconds(readNumberAt(entry, 'creation_date')),
      }),
      quotaLeft: (root) => readNumberAt(root, 'quota_remaining'),
      pauseMs: (root) => {
        const seconds = readNumberAt(root, 'backoff');
        return seconds === null || seconds <= 0 ? null : Math.min(seconds, DAY_SECONDS) * 1_000;
      },
    }),
};

/** Picks the first included site of the network, otherwise Stack Overflow. */
function pickSite(includeDomains: readonly string[]): string {
  const hosts = includeDomains.flatMap((domain) => parseDomainFilter(domain)?.host ?? []);
  const site = hosts.find((host) => OWN_DOMAINS.includes(host) || host.endsWith('.stackexchange.com'));
  return site?.replace(/\.(?:com|net)$/, '').replace(/\.stackexchange$/, '') ?? 'stackoverflow';
}

const formatTags = (entry: unknown): string =>
  (readListAt(entry, 'tags') ?? []).filter((tag) => typeof tag === 'string').join(', ');

function readError(root: unknown): BadAnswer | null {
  const id = readNumberAt(root, 'error_id');
  if (id === null) return null;
  if (id === THROTTLED) {
    const seconds = /in (\d{1,6}) seconds/.exec(readTextAt(root, 'error_message'))?.[1];
    return {
      kind: 'throttled',
      retryAfterMs: seconds === undefined ? null : Math.min(Number(seconds), DAY_SECONDS) * 1_000,
    };
  }
  return KEY_ERRORS.has(id)
    ? createRefusedAnswer(`Stack Exchange error ${id}`)
    : createFailedAnswer(`Stack Exchange error ${id}`);
}
