import { parseDomainFilter } from '../../text/query/filters.ts';
import { dayOfSeconds } from '../responses/answer-day.ts';
import { pageNumber } from '../responses/further-results.ts';
import { type BadAnswer, failed, refused } from '../responses/judge-answer.ts';
import { listAt, numberAt, textAt } from '../responses/loose-json.ts';
import { plainOfHtml } from '../responses/plain-words.ts';
import { readJson } from '../responses/read-json.ts';
import { sourceAddress, sourceHeaders } from '../responses/source-address.ts';
import { SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/tidy-items.ts';
import type { SourceSpec } from '../source.ts';

const COUNT_MAX = 30;
/** All words must be found. */
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
    url: sourceAddress(baseUrl, '/2.3/search/advanced', {
      site: siteOf(includeDomains),
      q: query.keywords(KEYWORDS_MAX).join(' '),
      sort: 'relevance',
      order: 'desc',
      pagesize: Math.min(limit, COUNT_MAX),
      page: pageNumber({ page }),
      fromdate: publishedFrom === null ? null : Date.parse(publishedFrom) / 1_000,
      todate: publishedTo === null ? null : Date.parse(publishedTo) / 1_000 + DAY_SECONDS - 1,
      key,
    }),
    headers: sourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      complaint: complaintOf,
      entries: (root) => listAt(root, 'items'),
      item: (entry) => ({
        url: textAt(entry, 'link'),
        title: plainOfHtml(textAt(entry, 'title'), TITLE_CHARS_MAX),
        snippet: plainOfHtml(tagsOf(entry), SNIPPET_CHARS_MAX),
        publishedDay: dayOfSeconds(numberAt(entry, 'creation_date')),
      }),
      quotaLeft: (root) => numberAt(root, 'quota_remaining'),
      pauseMs: (root) => {
        const seconds = numberAt(root, 'backoff');
        return seconds === null || seconds <= 0 ? null : Math.min(seconds, DAY_SECONDS) * 1_000;
      },
    }),
};

/** The first included site of the network, otherwise Stack Overflow. */
function siteOf(includeDomains: readonly string[]): string {
  const hosts = includeDomains.flatMap((domain) => parseDomainFilter(domain)?.host ?? []);
  const site = hosts.find((host) => OWN_DOMAINS.includes(host) || host.endsWith('.stackexchange.com'));
  return site?.replace(/\.(?:com|net)$/, '').replace(/\.stackexchange$/, '') ?? 'stackoverflow';
}

const tagsOf = (entry: unknown): string =>
  (listAt(entry, 'tags') ?? []).filter((tag) => typeof tag === 'string').join(', ');

function complaintOf(root: unknown): BadAnswer | null {
  const id = numberAt(root, 'error_id');
  if (id === null) return null;
  if (id === THROTTLED) {
    const seconds = /in (\d{1,6}) seconds/.exec(textAt(root, 'error_message'))?.[1];
    return {
      kind: 'throttled',
      retryAfterMs: seconds === undefined ? null : Math.min(Number(seconds), DAY_SECONDS) * 1_000,
    };
  }
  return KEY_ERRORS.has(id) ? refused(`Stack Exchange error ${id}`) : failed(`Stack Exchange error ${id}`);
}
