import { absent, aList, anyText, type Case, each, missing, posting, served, someText } from './spec-case.ts';

const search = posting('/shapeB/search');
const query = 'survey';
const count = (length: number) => served(1, { is: { 'results.length': length } });

/** Time filters, ignored fields and the response of POST /shapeB/search. */
export const SECOND_SHAPE_ANSWERS: Case[] = [
  ...each(['day', 'week', 'month', 'year', 'd', 'w', 'm', 'y', null], (value, n) =>
    search(`TT01.${n}`, `time_range ${value} is accepted`, { query, time_range: value }, served(1)),
  ),
  search(
    'TT02',
    'start_date and end_date filter by date',
    { query, max_results: 25, start_date: '2025-03-01', end_date: '2025-04-30' },
    served(1, { is: { 'results.*.published_date': /^2025-0[34]-/ } }),
  ),
  ...each(
    [
      'topic',
      'country',
      'language',
      'filter_by_language',
      'auto_parameters',
      'exact_match',
      'safe_search',
      'max_hours',
      'fetch_timeout',
      'cache_fallback',
      'include_published_date',
      'filter_by_published_date',
      'include_images',
      'include_image_descriptions',
      'include_domains_mode',
      'apiKey',
      'apiBaseURL',
      'client_source',
      'customField',
      'timeout',
    ],
    (name, n) =>
      search(
        `TI01.${n}`,
        `${name} is ignored whatever it holds`,
        { query, [name]: { any: [1, null] } },
        count(5),
      ),
  ),
  search(
    'TI02',
    'include_usage adds the credits',
    { query, include_usage: true },
    served(1, { is: { usage: { credits: 1 } } }),
  ),
  search('TI03', 'usage is missing unless asked for', { query }, served(1, { is: { usage: missing } })),

  search(
    'TS01',
    'query comes back as received',
    { query: '  Survey  of  WADERS ' },
    served(1, { is: { query: '  Survey  of  WADERS ' } }),
  ),
  search(
    'TS02',
    'images is an empty array',
    { query, include_images: true },
    served(1, { is: { images: [] } }),
  ),
  search(
    'TS03',
    'every result has title, url, content, raw_content and score',
    { query },
    served(1, {
      is: {
        'results.*.title': someText,
        'results.*.url': /^http/,
        'results.*.content': anyText,
        'results.*.score': /^[\d.e-]+$/,
      },
    }),
  ),
  search(
    'TS04',
    'response_time is a number of seconds',
    { query },
    served(1, { is: { response_time: /^\d+(?:\.\d+)?$/ } }),
  ),
  search('TS05', 'request_id is a text', { query }, served(1, { is: { request_id: someText } })),
  search(
    'TS06',
    'a search that finds nothing is 200 with arrays',
    { query: 'nothing zxqv blorp' },
    served(1, { is: { results: aList, images: [] } }),
  ),
  search(
    'TS07',
    'content is a passage from the page',
    { query: 'counts of the turnstone', max_results: 2 },
    served(1, { is: { 'results.0.content': /wading bird|Survey \d+: counts/ } }),
  ),
  search(
    'TS08',
    'fields of the first shape are not there',
    { query },
    served(1, { is: { requestId: absent, costDollars: absent, service: absent } }),
  ),
];
