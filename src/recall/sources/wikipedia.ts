import { computeOffset } from '../responses/further-results.ts';
import { readListAt, readTextAt } from '../responses/loose-json.ts';
import { readMediawikiError } from '../responses/mediawiki-complaint.ts';
import { cleanText, stripHtml } from '../responses/plain-words.ts';
import { readJson } from '../responses/read-json.ts';
import { buildSourceAddress, buildSourceHeaders } from '../responses/source-address.ts';
import { SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/tidy-items.ts';
import type { SourceSpec } from '../source.ts';
import { chooseWikipediaEdition } from './wikipedia-edition.ts';

const COUNT_MAX = 25;
/** All words must be found. */
const KEYWORDS_MAX = 7;
/** Seconds of replication lag above which it should refuse to answer; robots are asked to set this. */
const MAX_LAG = 5;

/**
 * The search of MediaWiki (https://www.mediawiki.org/wiki/API:Search). The answer contains the addresses of its articles, so the
 * base can be any edition and any other MediaWiki. A timestamp is the last edit, never a publication.
 */
export const wikipedia: SourceSpec = {
  name: 'wikipedia',
  about: 'articles of Wikipedia, in the edition of the setting or of the script of the query',
  scope: 'field',
  hosts: ['wikipedia.org'],
  terms: {
    url: 'https://www.mediawiki.org/wiki/Wikimedia_APIs/Rate_limits',
    note: 'CC BY-SA 4.0 with attribution; a User-Agent with a contact; at most three calls at once',
  },
  needsConsent: false,
  key: null,
  base: { setting: 'WIKIPEDIA_URL', standard: 'https://en.wikipedia.org' },
  // One limit covers all of Wikimedia, Wikidata included; its size is unpublished, only 429 shows it.
  rate: { calls: 60, perMs: 60_000, atOnce: 2 },
  queryMax: { chars: 280, words: 32 },
  mayBeCached: true,
  fit: ({ entity, code }) => Math.max(0.3, Math.min(1, 0.4 + 0.6 * entity - 0.2 * code)),
  request: ({ query, limit, page = 0 }, { baseUrl, userAgent }) => ({
    url: buildSourceAddress(chooseWikipediaEdition(baseUrl, query.text), '/w/api.php', {
      action: 'query',
      format: 'json',
      formatversion: 2,
      list: 'search',
      srsearch: query.keywords(KEYWORDS_MAX).join(' '),
      srlimit: Math.min(limit, COUNT_MAX),
      sroffset: computeOffset({ page }, Math.min(limit, COUNT_MAX)),
      srprop: 'snippet',
      meta: 'siteinfo',
      siprop: 'general',
      maxlag: MAX_LAG,
    }),
    headers: buildSourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      complaint: (root) => readMediawikiError(root, response),
      entries: (root) => readListAt(root, 'query', 'search'),
      item: (entry, root) => ({
        url: buildArticleUrl(root, readTextAt(entry, 'title')),
        title: cleanText(readTextAt(entry, 'title'), TITLE_CHARS_MAX),
        snippet: stripHtml(readTextAt(entry, 'snippet'), SNIPPET_CHARS_MAX),
        publishedDay: null,
      }),
    }),
};

/** `server` may lack its scheme; `articlepath` holds `$1` for the title. */
function buildArticleUrl(root: unknown, title: string): string {
  const server = readTextAt(root, 'query', 'general', 'server').replace(/^\/\//, 'https://');
  const path = readTextAt(root, 'query', 'general', 'articlepath');
  if (title === '' || server === '' || !path.includes('$1')) return '';
  const name = encodeURIComponent(title.toWellFormed().replaceAll(' ', '_')).replaceAll(
    /%(?:3A|2F|2C|40)/g,
    decodeURIComponent,
  );
  return server + path.replace('$1', () => name);
}
