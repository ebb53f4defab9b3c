import { dayOfText } from '../responses/answer-day.ts';
import { pageNumber } from '../responses/further-results.ts';
import { at, listAt, textAt } from '../responses/loose-json.ts';
import { plainOfHtml, plainOfText } from '../responses/plain-words.ts';
import { readJson } from '../responses/read-json.ts';
import { sourceAddress, sourceHeaders } from '../responses/source-address.ts';
import { SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/tidy-items.ts';
import type { SourceQuery, SourceSpec } from '../source.ts';

const COUNT_MAX = 25;
const FIT_MIN = 0.4;
/** Words of an abstract that are put back in order. */
const ABSTRACT_WORDS_MAX = 120;
/** Distinct words of an abstract that are read. */
const ABSTRACT_ENTRIES_MAX = 2_000;

/** https://developers.openalex.org/ */
export const openalex: SourceSpec = {
  name: 'openalex',
  about: 'scholarly works of all kinds, with their open copies',
  scope: 'field',
  hosts: null,
  terms: { url: 'https://openalex.org/terms', note: 'CC0; a free key pays for 1,000 searches a day' },
  needsConsent: false,
  key: { setting: 'OPENALEX_API_KEY', required: true },
  base: { setting: 'OPENALEX_URL', standard: 'https://api.openalex.org' },
  rate: { calls: 950, perMs: 86_400_000, atOnce: 4 },
  queryMax: { chars: 300, words: 32 },
  mayBeCached: true,
  fit: ({ paper }) => (paper < FIT_MIN ? 0 : paper),
  request: (asked, { baseUrl, userAgent, key }) => ({
    url: sourceAddress(baseUrl, '/works', {
      // Commas and bars would be read as operators.
      search: asked.query.text.replaceAll(/[,|]/g, ' '),
      'per-page': Math.min(asked.limit, COUNT_MAX),
      page: pageNumber(asked),
      select:
        'id,doi,display_name,publication_date,primary_location,best_oa_location,abstract_inverted_index',
      filter: publishedIn(asked),
      api_key: key,
    }),
    headers: sourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      entries: (root) => listAt(root, 'results'),
      item: (entry) => ({
        url:
          textAt(entry, 'best_oa_location', 'landing_page_url') ||
          textAt(entry, 'primary_location', 'landing_page_url') ||
          textAt(entry, 'doi') ||
          textAt(entry, 'id'),
        title: plainOfHtml(textAt(entry, 'display_name'), TITLE_CHARS_MAX),
        snippet: plainOfText(abstractOf(at(entry, 'abstract_inverted_index')), SNIPPET_CHARS_MAX),
        publishedDay: dayOfText(textAt(entry, 'publication_date')),
      }),
    }),
};

/** `{ tide: [1, 4], ... }`, the positions of each word -> the beginning of the text. */
function abstractOf(index: unknown): string {
  if (typeof index !== 'object' || index === null) return '';
  const text: string[] = [];
  for (const [word, places] of Object.entries(index).slice(0, ABSTRACT_ENTRIES_MAX)) {
    for (const place of listAt(places)?.slice(0, ABSTRACT_WORDS_MAX) ?? []) {
      if (typeof place === 'number' && Number.isInteger(place) && place >= 0 && place < ABSTRACT_WORDS_MAX)
        text[place] = word;
    }
  }
  return text.join(' ');
}

function publishedIn({ publishedFrom, publishedTo }: SourceQuery): string | null {
  const filters = [
    publishedFrom === null ? [] : [`from_publication_date:${publishedFrom}`],
    publishedTo === null ? [] : [`to_publication_date:${publishedTo}`],
  ].flat();
  return filters.length === 0 ? null : filters.join(',');
}
