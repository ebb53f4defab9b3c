import { dayOfParts } from '../responses/answer-day.ts';
import { offsetOf } from '../responses/further-results.ts';
import { listAt, textAt } from '../responses/loose-json.ts';
import { plainOfHtml } from '../responses/plain-words.ts';
import { readJson } from '../responses/read-json.ts';
import { sourceAddress, sourceHeaders } from '../responses/source-address.ts';
import { SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/tidy-items.ts';
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
    url: sourceAddress(baseUrl, '/works', {
      query: asked.query.text,
      rows: Math.min(asked.limit, COUNT_MAX),
      offset: offsetOf(asked, Math.min(asked.limit, COUNT_MAX)),
      select: 'DOI,URL,title,abstract,published',
      filter: publishedIn(asked),
      mailto: MAIL.exec(contact ?? '')?.[0] ?? null,
    }),
    headers: sourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      entries: (root) => listAt(root, 'message', 'items'),
      item: (entry) => ({
        url: textAt(entry, 'URL'),
        title: plainOfHtml(textAt(entry, 'title', 0), TITLE_CHARS_MAX),
        snippet: plainOfHtml(withoutHeading(textAt(entry, 'abstract')), SNIPPET_CHARS_MAX),
        publishedDay: dayOfParts(listAt(entry, 'published', 'date-parts', 0)),
      }),
    }),
};

const withoutHeading = (abstract: string): string =>
  abstract.replace(/^\s*<jats:title>\s*abstract\s*<\/jats:title>/i, '');

function publishedIn({ publishedFrom, publishedTo }: SourceQuery): string | null {
  const filters = [
    publishedFrom === null ? [] : [`from-pub-date:${publishedFrom}`],
    publishedTo === null ? [] : [`until-pub-date:${publishedTo}`],
  ].flat();
  return filters.length === 0 ? null : filters.join(',');
}
