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
  readJson,
  SNIPPET_CHARS_MAX,
  TITLE_CHARS_MAX,
} from '../responses/read-json.ts';
import { addSiteOperators } from '../responses/site-operators.ts';
import type { SourceSpec } from '../source.ts';

/** Maximum engines that a failure names, and maximum characters of that list. */
const NAMED_MAX = 5;
const WHY_CHARS_MAX = 200;

/**
 * The operator's own metasearch server (https://docs.searxng.org/dev/search_api.html). It answers 200 even if its engines fail,
 * and does not name an engine that it has suspended: an empty list proves nothing.
 */
export const searxng: SourceSpec = {
  name: 'searxng',
  about: 'the whole web, through a SearXNG or searx server of your own',
  scope: 'web',
  hosts: null,
  terms: {
    url: 'https://docs.searxng.org/',
    note: 'the terms of every engine that the server asks hold; choose engines that permit it',
  },
  needsConsent: false,
  key: null,
  base: { setting: 'SEARXNG_URL', standard: null },
  rate: { calls: 20, perMs: 1_000, atOnce: 10 },
  queryMax: { chars: 400, words: 50 },
  // Its engines' results are fused already, so its places count a little less.
  weight: 0.9,
  mayBeCached: true,
  fit: () => 1,
  request: (asked, { baseUrl, userAgent }) => ({
    url: buildSourceAddress(baseUrl, '/search', {
      q: addSiteOperators(asked, { or: false }),
      format: 'json',
      categories: asked.topic ?? null,
      pageno: computePageNumber(asked) ?? 1,
    }),
    headers: buildSourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      complaint: (root, status) => (status === 200 ? detectSilentFailure(root) : null),
      entries: (root) => readListAt(root, 'results'),
      item: (entry) => ({
        url: readTextAt(entry, 'url'),
        title: cleanText(readTextAt(entry, 'title'), TITLE_CHARS_MAX),
        snippet: cleanText(readTextAt(entry, 'content'), SNIPPET_CHARS_MAX),
        publishedDay: parseDay(readTextAt(entry, 'publishedDate')),
      }),
      emptyIsProven: false,
    }),
};

/** Returns a failure if nothing was found and some engines did not answer: they might have found something. */
function detectSilentFailure(root: unknown): BadAnswer | null {
  const unresponsive = readListAt(root, 'unresponsive_engines') ?? [];
  if (readListAt(root, 'results')?.length !== 0 || unresponsive.length === 0) return null;
  const engines = unresponsive.slice(0, NAMED_MAX).map((engine) => readTextAt(engine, 0) || 'unnamed');
  return createFailedAnswer(`no engine answered: ${cleanText(engines.join(', '), WHY_CHARS_MAX)}`);
}
