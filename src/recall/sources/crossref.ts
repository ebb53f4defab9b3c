import { toDayFromParts } from '../responses/answer-day.ts';
import {
  buildSourceAddress,
  buildSourceHeaders,
  computeOffset,
  readListAt,
  readTextAt,
  stripHtml,
} from '../responses/loose-json.ts';
import { readJson, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/read-json.ts';
import type { SourceQuery, SourceSpec } from '../source.ts';

const COUNT_MAX = 25;
const FIT_MIN = 0.4;
const MAIL = /(?<![^\s<>()@])[^\s<>()@]+@[^\s<>()@]+\.[^\s<>()@]+/;

/** https://www.crossref.org/documentation/retrieve-metadata/rest-api/ */
export const crossref: SourceSpec = {
  name: 'crossref',
  about: 'scholarly works with a DOI',
  scope: 'field',
  hosts: ['doi.org'],
  terms: {
    url: 'https://www.crossref.org/documentation/retrieve-metadata/rest-api/access-and-authentication/',
    note: 'facts, free to use; a mail address as contact gives better service',
  },
  needsConsent: false,
  key: null,
  base: { setting: 'CROSSREF_URL', standard: 'https://api.crossref.org' },
  rate: { calls: 50, perMs: 60_000, atOnce: 1 },
  queryMax: { chars: 300, words: 32 },
  mayBeCached: true,
  fit: ({ paper }) => (paper < FIT_MIN ? 0 : paper),
  request: (asked, { baseUrl, userAgent, contact }) => ({
    url: buildSourceAddress(baseUrl, '/works', {
      query: asked.query.text,
      rows: Math.min(asked.limit, COUNT_MAX),
      offset: computeOffset(asked, Math.min(asked.limit, COUNT_MAX)),
      select: 'DOI,URL,title,abstract,published',
      filter: buildDateFilter(asked),
      mailto: MAIL.exec(contact ?? '')?.[0] ?? null,
    }),
    headers: buildSourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      entries: (root) => readListAt(root, 'message', 'items'),
      item: (entry) => ({
        url: readTextAt(entry, 'URL'),
        title: stripHtml(readTextAt(entry, 'title', 0), TITLE_CHARS_MAX),
        snippet: stripHtml(stripHeading(readTextAt(entry, 'abstract')), SNIPPET_CHARS_MAX),
        publishedDay: toDayFromParts(readListAt(entry, 'published', 'date-parts', 0)),
      }),
    }),
};

const stripHeading = (abstract: string): string =>
  abstract.replace(/^\s*<jats:title>\s*abstract\s*<\/jats:title>/i, '');

function buildDateFilter({ publishedFrom, publishedTo }: SourceQuery): string | null {
  const filters = [
    publishedFrom === null ? [] : [`from-pub-date:${publishedFrom}`],
    publishedTo === null ? [] : [`until-pub-date:${publishedTo}`],
  ].flat();
  return filters.length === 0 ? null : filters.join(',');
}
