import { offsetOf } from '../responses/further-results.ts';
import { listAt, textAt } from '../responses/loose-json.ts';
import { mediawikiComplaint } from '../responses/mediawiki-complaint.ts';
import { plainOfHtml, plainOfText } from '../responses/plain-words.ts';
import { readJson } from '../responses/read-json.ts';
import { sourceAddress, sourceHeaders } from '../responses/source-address.ts';
import { SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/tidy-items.ts';
import type { SourceSpec } from '../source.ts';
import { wikipediaEdition } from './wikipedia-edition.ts';

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
    url: sourceAddress(wikipediaEdition(baseUrl, query.text), '/w/api.php', {
      action: 'query',
      format: 'json',
      formatversion: 2,
      list: 'search',
      srsearch: query.keywords(KEYWORDS_MAX).join(' '),
      srlimit: Math.min(limit, COUNT_MAX),
      sroffset: offsetOf({ page }, Math.min(limit, COUNT_MAX)),
      srprop: 'snippet',
      meta: 'siteinfo',
      siprop: 'general',
      maxlag: MAX_LAG,
    }),
    headers: sourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      complaint: (root) => mediawikiComplaint(root, response),
      entries: (root) => listAt(root, 'query', 'search'),
      item: (entry, root) => ({
        url: articleUrl(root, textAt(entry, 'title')),
        title: plainOfText(textAt(entry, 'title'), TITLE_CHARS_MAX),
        snippet: plainOfHtml(textAt(entry, 'snippet'), SNIPPET_CHARS_MAX),
        publishedDay: null,
      }),
    }),
};

/** `server` may lack its scheme; `articlepath` holds `$1` for the title. */
function articleUrl(root: unknown, title: string): string {
  const server = textAt(root, 'query', 'general', 'server').replace(/^\/\//, 'https://');
  const path = textAt(root, 'query', 'general', 'articlepath');
  if (title === '' || server === '' || !path.includes('$1')) return '';
  const name = encodeURIComponent(title.toWellFormed().replaceAll(' ', '_')).replaceAll(
    /%(?:3A|2F|2C|40)/g,
    decodeURIComponent,
  );
  return server + path.replace('$1', () => name);
}
