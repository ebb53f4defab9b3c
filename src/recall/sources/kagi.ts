import { parseDay } from '../responses/answer-day.ts';
import {
  buildSourceAddress,
  buildSourceHeaders,
  readAt,
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
import { addSiteOperators } from '../responses/site-operators.ts';
import type { SourceSpec } from '../source.ts';

const COUNT_MAX = 25;
/** The price of one search; the reported balance is in dollars. */
const USD_PER_CALL = 0.025;
/** Unauthorized, no billing information, insufficient credit. */
const KEY_CODES = new Set([2, 100, 101]);
/** `t` of an entry that is a result; related searches have 1. */
const RESULT = 0;

/** https://help.kagi.com/kagi/api/search.html */
export const kagi: SourceSpec = {
  name: 'kagi',
  about: 'the whole web, mixed from several indexes by Kagi',
  scope: 'web',
  hosts: null,
  terms: {
    url: 'https://help.kagi.com/kagi/api/overview.html',
    note: 'whether results may be handed on must be agreed with Kagi',
  },
  needsConsent: true,
  key: { setting: 'KAGI_API_KEY', required: true },
  base: { setting: 'KAGI_URL', standard: 'https://kagi.com' },
  rate: { calls: 5, perMs: 1_000, atOnce: 4 },
  queryMax: { chars: 300, words: 32 },
  mayBeCached: false,
  fit: () => 1,
  request: (asked, { baseUrl, userAgent, key }) => ({
    url: buildSourceAddress(baseUrl, '/api/v0/search', {
      q: addSiteOperators(asked, { or: true }),
      limit: Math.min(asked.limit, COUNT_MAX),
    }),
    headers: buildSourceHeaders(userAgent),
    authorization: `Bot ${key ?? ''}`,
  }),
  read: (response) =>
    readJson(response, {
      complaint: readError,
      entries: (root) => readListAt(root, 'data'),
      item: (entry) =>
        readAt(entry, 't') === RESULT
          ? {
              url: readTextAt(entry, 'url'),
              title: stripHtml(readTextAt(entry, 'title'), TITLE_CHARS_MAX),
              snippet: stripHtml(readTextAt(entry, 'snippet'), SNIPPET_CHARS_MAX),
              publishedDay: parseDay(readTextAt(entry, 'published')),
            }
          : null,
      quotaLeft: (root) => {
        const balance = readNumberAt(root, 'meta', 'api_balance');
        return balance === null ? null : Math.max(0, Math.floor(balance / USD_PER_CALL));
      },
    }),
};

function readError(root: unknown): BadAnswer | null {
  const [error] = readListAt(root, 'error') ?? [];
  const code = readNumberAt(error, 'code');
  if (code === null) return null;
  return KEY_CODES.has(code)
    ? createRefusedAnswer(`Kagi error ${code}`)
    : createFailedAnswer(`Kagi error ${code}`);
}
