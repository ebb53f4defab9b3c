import { aList, type Case, each, failing, posting, refused, sending, served, someText } from './spec-case.ts';

const send = sending();
const contents = posting('/v1/contents');
const extract = posting('/shapeB/extract');
const read = (path: string) => ({ path: `/r/{site}${path}` });
const FAILED: [path: string, why: string, tag: string, httpStatusCode: number | null | undefined][] = [
  ['/lost', 'a page that answers 404', 'CRAWL_NOT_FOUND', 404],
  ['/gone', 'a page that answers 410', 'CRAWL_NOT_FOUND', 410],
  ['/locked', 'a page that answers 401', 'SOURCE_NOT_AVAILABLE', 401],
  ['/forbidden', 'a page that answers 403', 'SOURCE_NOT_AVAILABLE', 403],
  ['/broken', 'a page that answers 500', 'CRAWL_UNKNOWN_ERROR', 500],
  ['/unavailable', 'a page that answers 503', 'CRAWL_UNKNOWN_ERROR', 503],
  ['/hops/6', 'a page behind 6 redirects', 'CRAWL_UNKNOWN_ERROR', undefined],
  ['/loop', 'a redirect to itself', 'CRAWL_UNKNOWN_ERROR', undefined],
  ['/too-large', 'a page of 5 MB and 1 byte', 'CRAWL_UNKNOWN_ERROR', undefined],
  ['/image', 'an image', 'UNSUPPORTED_URL', null],
];
const TO_PRIVATE = ['/to-private', '/to-loopback', '/to-metadata', '/to-file'];
const status = (place: number, tag: string, code: number | null | undefined) => ({
  [`statuses.${place}.status`]: 'error',
  [`statuses.${place}.source`]: 'crawled',
  [`statuses.${place}.error.tag`]: tag,
  ...(code === undefined ? {} : { [`statuses.${place}.error.httpStatusCode`]: code }),
});

/** Redirects, sizes, failures and how each route reports them. */
export const FETCHING_CASES: Case[] = [
  ...each([1, 2, 3, 4, 5], (hops, n) =>
    send(
      `HO01.${n}`,
      `a page behind ${hops} redirects is read`,
      read(`/hops/${hops}`),
      served(1, { text: /Birds of the shore/ }),
    ),
  ),
  send('HO02', 'a page behind 6 redirects is fetch_failed', read('/hops/6'), failing(502, 'fetch_failed')),
  send('HO03', 'a page behind 7 redirects is fetch_failed', read('/hops/7'), failing(502, 'fetch_failed')),
  send('HO04', 'a redirect to itself is fetch_failed', read('/loop'), failing(502, 'fetch_failed')),
  ...each(TO_PRIVATE, (path, n) =>
    send(`HO05.${n}`, `the redirect ${path} is url_not_allowed`, read(path), failing(400, 'url_not_allowed')),
  ),
  ...each(TO_PRIVATE, (path, n) =>
    contents(
      `HO06.${n}`,
      `the redirect ${path} refuses a contents call of one URL`,
      { urls: [`{site}${path}`] },
      failing(400, 'url_not_allowed'),
    ),
  ),
  ...each(TO_PRIVATE, (path, n) =>
    contents(
      `HO07.${n}`,
      `the redirect ${path} is a status among several URLs`,
      { urls: ['{site}/birds', `{site}${path}`] },
      served(1, { is: status(1, 'UNSUPPORTED_URL', null) }),
    ),
  ),
  send('SI01', 'a page of exactly 5 MB is read', read('/largest'), served(1, { text: /A large page/ })),
  send('SI02', 'a page of 5 MB and 1 byte is fetch_failed', read('/too-large'), failing(502, 'fetch_failed')),
  ...each(FAILED, ([path, why], n) =>
    send(
      `SF01.${n}`,
      `${why} is fetch_failed with a message`,
      read(path),
      failing(502, 'fetch_failed', { message: /\S/ }),
    ),
  ),
  ...each(FAILED, ([path, why, tag, code], n) =>
    contents(
      `SF02.${n}`,
      `${why} is a status of contents`,
      { urls: ['{site}/birds', `{site}${path}`] },
      served(1, { is: { 'results.length': 1, 'statuses.length': 2, ...status(1, tag, code) } }),
    ),
  ),
  ...each(FAILED, ([path, why, tag, code], n) =>
    contents(
      `SF03.${n}`,
      `${why} alone is 200 and free`,
      { urls: [`{site}${path}`] },
      served(0, { is: { results: [], ...status(0, tag, code) } }),
    ),
  ),
  ...each(FAILED, ([path, why], n) =>
    extract(
      `SF04.${n}`,
      `${why} is a failed result of extract`,
      { urls: ['{site}/birds', `{site}${path}`] },
      served(1, {
        is: {
          'results.length': 1,
          'failed_results.0.url': `{site}${path}`,
          'failed_results.0.error': someText,
        },
      }),
    ),
  ),
  ...each(['/empty', '/blank'], (path, n) =>
    send(
      `SF05.${n}`,
      `${path}, where nothing is readable, is never an empty 200`,
      read(path),
      failing(502, 'fetch_failed'),
    ),
  ),
  contents(
    'SS01',
    'every requested URL has a status, in order',
    { urls: ['{site}/lost', '{site}/birds', '{site}/gone'] },
    served(1, {
      is: {
        'statuses.0.id': '{site}/lost',
        'statuses.1.id': '{site}/birds',
        'statuses.2.id': '{site}/gone',
        'statuses.length': 3,
      },
    }),
  ),
  contents(
    'SS02',
    'a success is named so and has no error',
    { urls: ['{site}/birds'] },
    served(1, {
      is: {
        'statuses.0.status': 'success',
        'statuses.0.source': /^(?:crawled|cached)$/,
        'statuses.0': { id: '{site}/birds', status: 'success', source: 'cached' },
      },
    }),
  ),
  contents(
    'SS03',
    'a page read before is cached',
    { urls: ['{site}/birds'] },
    served(1, { is: { 'statuses.0.source': 'cached' } }),
  ),
  contents(
    'SS04',
    'id of a status is the URL as it was requested',
    { urls: ['{site}/birds?utm_source=x'] },
    served(1, { is: { 'statuses.0.id': '{site}/birds?utm_source=x' } }),
  ),
  contents(
    'SS05',
    'results hold the URLs that loaded, in order',
    { urls: ['{site}/table', '{site}/lost', '{site}/birds'] },
    served(2, {
      is: {
        'results.length': 2,
        'results.0.title': 'Counts of the survey',
        'results.1.title': 'Birds of the shore',
      },
    }),
  ),
  contents(
    'SS06',
    'statuses is an array when all load',
    { urls: ['{site}/birds'] },
    served(1, { is: { statuses: aList } }),
  ),

  extract(
    'EX01',
    'urls as one text is one URL',
    { urls: '{site}/birds' },
    served(1, { is: { 'results.length': 1, failed_results: [] } }),
  ),
  extract(
    'EX02',
    'a result has url, title, raw_content and images',
    { urls: ['{site}/birds'] },
    served(1, {
      is: {
        'results.0.url': '{site}/birds',
        'results.0.title': 'Birds of the shore',
        'results.0.raw_content': /sanderling/,
        'results.0.images': [],
      },
    }),
  ),
  extract(
    'EX03',
    'the response has both arrays, a time and an id',
    { urls: ['{site}/birds'] },
    served(1, {
      is: { results: aList, failed_results: aList, response_time: /^[\d.]+$/, request_id: someText },
    }),
  ),
  ...each([{}, { urls: [] }, { urls: null }, { urls: 7 }, { urls: [7] }, { urls: [''] }], (body, n) =>
    extract(`EX04.${n}`, `${JSON.stringify(body)} is refused`, body, refused('urls')),
  ),
  extract(
    'EX05',
    'timeout outside its range is not refused',
    { urls: '{site}/birds', timeout: 5_000 },
    served(1),
  ),
  extract(
    'EX06',
    'the recorded body of a client is served',
    { urls: ['{site}/birds'], timeout: 30 },
    served(1),
  ),
  extract(
    'EX07',
    'query gives the best passages',
    { urls: '{site}/birds', query: 'turnstone' },
    served(1, { is: { 'results.0.raw_content': /turnstone/ } }),
  ),
  extract(
    'EX08',
    'extract_depth and include_images are ignored',
    { urls: '{site}/birds', extract_depth: 7, include_images: 'x' },
    served(1),
  ),
];
