import { type Case, charsFrom, containing, each, posting, refused, served } from './spec-case.ts';

const search = posting('/v1/search');
const found = () => served(1, { is: { 'results.*.url': /^http/ } });

/** What POST /v1/search makes of dates, options of contents and fields that it does not know. */
export const SEARCH_OPTIONS: Case[] = [
  ...each(['startPublishedDate', 'start_published_date'], (name, n) =>
    search(
      `SP01.${n}`,
      `${name} keeps results published on or after it`,
      { query: 'survey', numResults: 25, [name]: '2025-06-15' },
      served(1, { is: { 'results.*.publishedDate': /^2025-(?:0[6-9]|1[0-2])-/ } }),
    ),
  ),
  search(
    'SP02',
    'a result published on the day itself stays',
    { query: 'survey', includeDomains: ['host5.example'], startPublishedDate: '2025-06-15' },
    served(1, { is: { 'results.length': 1 } }),
  ),
  search(
    'SP03',
    'a result published the day before is left out',
    { query: 'survey', includeDomains: ['host5.example'], startPublishedDate: '2025-06-16' },
    served(1, { is: { 'results.length': 0 } }),
  ),
  ...each(['2025-06-15T00:00:00Z', '2025-06-15T00:00:00.000Z', '2025-06-15T00:00:00+00:00'], (date, n) =>
    search(
      `SP04.${n}`,
      `the timestamp ${date} is a date`,
      { query: 'survey', startPublishedDate: date },
      found(),
    ),
  ),
  search('SP05', '0001-01-01 is a date', { query: 'survey', startPublishedDate: '0001-01-01' }, found()),
  search(
    'SP06',
    '9999-12-31 is a date that nothing follows',
    { query: 'survey', startPublishedDate: '9999-12-31' },
    served(1, { is: { 'results.length': 0 } }),
  ),
  search(
    'SP07',
    '29 February of a leap year is a date',
    { query: 'survey', startPublishedDate: '2024-02-29' },
    found(),
  ),
  ...each(
    [
      '2025-02-29',
      '2025-02-30',
      '2025-13-01',
      '2025-00-10',
      '2025-01-32',
      'yesterday',
      '',
      '2025',
      '15.06.2025',
      20250615,
      true,
      {},
    ],
    (date, n) =>
      search(
        `SP08.${n}`,
        `${JSON.stringify(date)} is no ISO date`,
        { query: 'q', startPublishedDate: date },
        refused('startPublishedDate'),
      ),
  ),
  search(
    'SP09',
    'startPublishedDate null counts as absent',
    { query: 'survey', startPublishedDate: null },
    found(),
  ),
  search(
    'SP10',
    'endPublishedDate keeps results published by then',
    { query: 'survey', numResults: 25, endPublishedDate: '2025-06-15' },
    served(1, { is: { 'results.*.publishedDate': /^2025-0[1-6]-/ } }),
  ),
  search(
    'SP11',
    'end_published_date is the same field',
    { query: 'survey', numResults: 25, end_published_date: '2025-06-15' },
    served(1, { is: { 'results.*.publishedDate': /^2025-0[1-6]-/ } }),
  ),
  search(
    'SP12',
    'endPublishedDate that is no date is refused',
    { query: 'q', endPublishedDate: 'soon' },
    refused('endPublishedDate'),
  ),

  ...each(
    [
      'category',
      'useAutoprompt',
      'flags',
      'moderation',
      'userLocation',
      'additionalQueries',
      'systemPrompt',
      'outputSchema',
      'compliance',
      'startCrawlDate',
      'endCrawlDate',
      'context',
      'livecrawl',
      'includeText',
      'excludeText',
      'excludeSourceDomain',
      'apiKey',
      'apiBaseURL',
      'customField',
      'client_source',
    ],
    (name, n) =>
      search(
        `SU01.${n}`,
        `${name} is ignored whatever it holds`,
        { query: 'survey', [name]: { any: [1, null] } },
        found(),
      ),
  ),
  search('SU02', 'stream false is ignored', { query: 'survey', stream: false }, found()),
  search(
    'SU03',
    'stream true is refused with a clear message',
    { query: 'q', stream: true },
    refused('stream', { message: /stream/ }),
  ),
  ...each([7, 'text', [true]], (contents, n) =>
    search(
      `SU04.${n}`,
      `contents ${JSON.stringify(contents)} is refused`,
      { query: 'q', contents },
      refused('contents'),
    ),
  ),
  ...each(['text', 'highlights', 'prunedContext', 'pruned_context'], (name, n) =>
    search(
      `SU05.${n}`,
      `contents.${name} takes a boolean or an object only`,
      { query: 'q', contents: { [name]: 7 } },
      refused(`contents.${name}`),
    ),
  ),
  ...each([0, -1, 1.5, 'many'], (maxCharacters, n) =>
    search(
      `SU06.${n}`,
      `contents.text.maxCharacters ${JSON.stringify(maxCharacters)} is refused`,
      { query: 'q', contents: { text: { maxCharacters } } },
      refused('contents.text.maxCharacters'),
    ),
  ),
  search(
    'SU07',
    'contents.text.maxCharacters bounds every text',
    { query: 'survey', numResults: 2, contents: { text: { maxCharacters: 100 } } },
    served(1, { is: { 'results.*.text': charsFrom(1, 100) } }),
  ),
  search(
    'SU08',
    'max_characters is the same field',
    { query: 'survey', numResults: 2, contents: { text: { max_characters: 100 } } },
    served(1, { is: { 'results.*.text': charsFrom(1, 100) } }),
  ),
  search(
    'SU09',
    'unknown names within contents are ignored',
    {
      query: 'survey',
      numResults: 1,
      contents: { text: { includeHtmlTags: 'x' }, summary: true, extras: { links: 1 }, subpages: 'x' },
    },
    served(1, { is: { 'results.*.text': containing('Survey') } }),
  ),
  search(
    'SU10',
    'contents.highlights.query of 2,001 characters is refused',
    { query: 'q', contents: { highlights: { query: 'h'.repeat(2_001) } } },
    refused('contents.highlights.query'),
  ),
  search(
    'SU11',
    'numSentences is ignored whatever it holds',
    { query: 'survey', numResults: 1, contents: { highlights: { numSentences: 'three' } } },
    served(1, { is: { 'results.*.highlights.*': charsFrom(1, 700) } }),
  ),
];
