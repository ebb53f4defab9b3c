import {
  buildSourceAddress,
  buildSourceHeaders,
  cleanText,
  computeOffset,
  readListAt,
  readTextAt,
  stripHtml,
} from '../responses/loose-json.ts';
import { readMediawikiError } from '../responses/mediawiki-complaint.ts';
import { readJson, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/read-json.ts';
import type { SourceSpec } from '../source.ts';

/** Scripts with one edition, or with one that outweighs all others; the first match counts. */
const EDITIONS: [script: RegExp, language: string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/[іїєґ]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}/u, 'el'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/[پچژگک]/u, 'fa'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Bengali}/u, 'bn'],
  [/\p{Script=Tamil}/u, 'ta'],
  [/\p{Script=Telugu}/u, 'te'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Georgian}/u, 'ka'],
  [/\p{Script=Armenian}/u, 'hy'],
];
const WIKIPEDIA = /^https:\/\/[a-z-]{2,20}\.wikipedia\.org$/;
const LETTER = /\p{L}/gu;

const COUNT_MAX = 25;
/** Maximum keywords; all must be found. */
const KEYWORDS_MAX = 7;
/** Replication lag in seconds above which the server should refuse; robots are asked to set this. */
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
  // One limit covers all of Wikimedia, including Wikidata. Its size is unpublished; only status 429 shows it.
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

/**
 * Chooses the edition for a query: that of its script if most of its letters are not Latin, otherwise the configured one,
 * because the language of a few Latin words is uncertain. A base that is not Wikipedia itself stays unchanged.
 */
export function chooseWikipediaEdition(baseUrl: string, query: string): string {
  if (!WIKIPEDIA.test(baseUrl)) return baseUrl;
  const letters = query.match(LETTER) ?? [];
  const latin = letters.filter((letter) => /\p{Script=Latin}/u.test(letter)).length;
  if (letters.length === 0 || latin * 2 >= letters.length) return baseUrl;
  const language = EDITIONS.find(([script]) => script.test(query))?.[1];
  return language === undefined ? baseUrl : `https://${language}.wikipedia.org`;
}
