import type { Query } from '../../text/query/read-query.ts';
import {
  buildSourceAddress,
  buildSourceHeaders,
  cleanText,
  readListAt,
  readTextAt,
} from '../responses/loose-json.ts';
import { readMediawikiError } from '../responses/mediawiki-complaint.ts';
import { readJson, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/read-json.ts';
import type { SourceSpec } from '../source.ts';

const COUNT_MAX = 10;
/** Maximum keywords; Wikidata looks up names, which are rarely longer. */
const KEYWORDS_MAX = 5;
const FIT_MIN = 0.6;
/** Maximum fit, because a page of bare statements is rarely the best answer. */
const FIT_MAX = 0.5;

/** Words that begin with a capital, with the small words between them: `Ludwig van Beethoven`, `House of Commons`. */
const NAME =
  /\p{Lu}[\p{L}\p{M}'’.-]{1,40}(?: (?:(?:of|the|de|da|di|van|von|der|la|le|and) ){0,2}\p{Lu}[\p{L}\p{M}'’.-]{0,40}){0,6}/gu;
const ASKING = /^(?:who|what|when|where|which|why|how|is|are|was|were|did|does|the|a|an|tell|define)$/i;

/** https://www.wikidata.org/w/api.php?action=help&modules=wbsearchentities */
export const wikidata: SourceSpec = {
  name: 'wikidata',
  about: 'people, places, works and things by their name',
  scope: 'field',
  hosts: ['wikidata.org'],
  terms: {
    url: 'https://www.wikidata.org/wiki/Wikidata:Data_access',
    note: 'CC0; a User-Agent with a contact',
  },
  needsConsent: false,
  key: null,
  base: { setting: 'WIKIDATA_URL', standard: 'https://www.wikidata.org' },
  rate: { calls: 30, perMs: 60_000, atOnce: 1 },
  queryMax: { chars: 200, words: 16 },
  mayBeCached: true,
  fit: ({ entity }) => (entity < FIT_MIN ? 0 : entity * FIT_MAX),
  request: ({ query, limit }, { baseUrl, userAgent }) => ({
    url: buildSourceAddress(baseUrl, '/w/api.php', {
      action: 'wbsearchentities',
      format: 'json',
      search: pickName(query),
      language: 'en',
      uselang: 'en',
      type: 'item',
      limit: Math.min(limit, COUNT_MAX),
    }),
    headers: buildSourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      complaint: (root) => readMediawikiError(root, response),
      entries: (root) => readListAt(root, 'search'),
      item: (entry) => ({
        url: readTextAt(entry, 'url').replace(/^\/\//, 'https://'),
        title: cleanText(readTextAt(entry, 'label'), TITLE_CHARS_MAX),
        snippet: cleanText(readTextAt(entry, 'description'), SNIPPET_CHARS_MAX),
        publishedDay: null,
      }),
    }),
};

/** Wikidata matches the beginning of a name: searches for the longest name in the query, otherwise for its keywords. */
function pickName(query: Query): string {
  const names = [...query.text.matchAll(NAME)].map(([name]) => name).filter((name) => !ASKING.test(name));
  const longest = names.toSorted((one, other) => other.length - one.length)[0];
  return longest ?? query.keywords(KEYWORDS_MAX).join(' ');
}
