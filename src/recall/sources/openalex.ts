import { parseDay } from '../responses/answer-day.ts';
import {
  buildSourceAddress,
  buildSourceHeaders,
  cleanText,
  computePageNumber,
  readAt,
  readListAt,
  readTextAt,
  stripHtml,
} from '../responses/loose-json.ts';
import { readJson, SNIPPET_CHARS_MAX, TITLE_CHARS_MAX } from '../responses/read-json.ts';
import type { SourceQuery, SourceSpec } from '../source.ts';

const COUNT_MAX = 25;
const FIT_MIN = 0.4;
/** Maximum words of an abstract that are put back in order. */
const ABSTRACT_WORDS_MAX = 120;
/** Maximum distinct words of an abstract that are read. */
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
    url: buildSourceAddress(baseUrl, '/works', {
      // Commas and bars would be read as operators.
      search: asked.query.text.replaceAll(/[,|]/g, ' '),
      'per-page': Math.min(asked.limit, COUNT_MAX),
      page: computePageNumber(asked),
      select:
        'id,doi,display_name,publication_date,primary_location,best_oa_location,abstract_inverted_index',
      filter: buildDateFilter(asked),
      api_key: key,
    }),
    headers: buildSourceHeaders(userAgent),
  }),
  read: (response) =>
    readJson(response, {
      entries: (root) => readListAt(root, 'results'),
      item: (entry) => ({
        url:
          readTextAt(entry, 'best_oa_location', 'landing_page_url') ||
          readTextAt(entry, 'primary_location', 'landing_page_url') ||
          readTextAt(entry, 'doi') ||
          readTextAt(entry, 'id'),
        title: stripHtml(readTextAt(entry, 'display_name'), TITLE_CHARS_MAX),
        snippet: cleanText(rebuildAbstract(readAt(entry, 'abstract_inverted_index')), SNIPPET_CHARS_MAX),
        publishedDay: parseDay(readTextAt(entry, 'publication_date')),
      }),
    }),
};

/** Rebuilds the start of a text from the positions of each word: `{ tide: [1, 4], ... }`. */
function rebuildAbstract(index: unknown): string {
  if (typeof index !== 'object' || index === null) return '';
  const text: string[] = [];
  for (const [word, places] of Object.entries(index).slice(0, ABSTRACT_ENTRIES_MAX)) {
    for (const place of readListAt(places)?.slice(0, ABSTRACT_WORDS_MAX) ?? []) {
      if (typeof place === 'number' && Number.isInteger(place) && place >= 0 && place < ABSTRACT_WORDS_MAX)
        text[place] = word;
    }
  }
  return text.join(' ');
}

function buildDateFilter({ publishedFrom, publishedTo }: SourceQuery): string | null {
  const filters = [
    publishedFrom === null ? [] : [`from_publication_date:${publishedFrom}`],
    publishedTo === null ? [] : [`to_publication_date:${publishedTo}`],
  ].flat();
  return filters.length === 0 ? null : filters.join(',');
}
