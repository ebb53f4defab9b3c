import { computeNextDay, parseDay } from '../responses/answer-day.ts';
import {
  buildSourceAddress,
  buildSourceHeaders,
  computeOffset,
  readListAt,
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
import { findOnlySite } from '../responses/site-operators.ts';
import type { SourceQuery, SourceSpec } from '../source.ts';

const COUNT_MAX = 40;
/** Pause once the daily limit is used up. */
const DAY_LIMIT_MS = 3_600_000;

/** https://www.mojeek.com/support/api/search/ */
export const mojeek: SourceSpec = {
  name: 'mojeek',
  about: 'the whole web, from the independent index of Mojeek',
  scope: 'web',
  hosts: null,
  terms: { url: 'https://www.mojeek.com/services/search/web-search-api/', note: 'by contract' },
  needsConsent: true,
  key: { setting: 'MOJEEK_API_KEY', required: true },
  base: { setting: 'MOJEEK_URL', standard: 'https://www.mojeek.com' },
  rate: { calls: 5, perMs: 1_000, atOnce: 4 },
  queryMax: { chars: 300, words: 24 },
  mayBeCached: false,
  fit: () => 1,
  request: (asked, { baseUrl, userAgent, key }) => ({
    url: buildSourceAddress(baseUrl, '/search', {
      api_key: key ?? '',
      q: asked.query.text,
      fmt: 'json',
      t: Math.min(asked.limit, COUNT_MAX),
      s: computeStart(asked),
      site: findOnlySite(asked),
      since: asked.publishedFrom?.replaceAll('-', '') ?? null,
      // Exclusive.
      before: asked.publishedTo === null ? null : computeNextDay(asked.publishedTo).replaceAll('-', ''),
    }),
    headers: buildSourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      complaint: (root) => readError(readTextAt(root, 'response', 'status')),
      entries: (root) => readListAt(root, 'response', 'results'),
      item: (entry) => ({
        url: readTextAt(entry, 'url'),
        title: stripHtml(readTextAt(entry, 'title'), TITLE_CHARS_MAX),
        snippet: stripHtml(readTextAt(entry, 'desc'), SNIPPET_CHARS_MAX),
        publishedDay: parseDay(readTextAt(entry, 'date')),
      }),
    }),
};

/** Reads Mojeek's errors, which it reports as text with status 200. */
function readError(status: string): BadAnswer | null {
  if (status === '' || status === 'OK') return null;
  if (/limit/i.test(status))
    return { kind: 'throttled', retryAfterMs: /dai|day|month/i.test(status) ? DAY_LIMIT_MS : null };
  return /key|auth|permi|denied|ip address/i.test(status)
    ? createRefusedAnswer('the key is not taken')
    : createFailedAnswer('status ERROR');
}

/** Computes the number of the first result; Mojeek counts from 1. */
function computeStart(asked: SourceQuery): number | null {
  const offset = computeOffset(asked, Math.min(asked.limit, COUNT_MAX));
  return offset === null ? null : offset + 1;
}
