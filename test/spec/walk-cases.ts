import { aList, type Case, each, failing, posting, refused, served, someText } from './spec-case.ts';

const crawl = posting('/shapeB/crawl', { credits: 20 });
const map = posting('/shapeB/map');
const url = '{site}/docs/';

/** POST /shapeB/crawl and /shapeB/map. */
export const WALK_CASES: Case[] = [
  crawl(
    'WC01',
    'a crawl gives the start page and what it links to',
    { url },
    served(3, { is: { 'results.length': 3 } }),
  ),
  crawl('WC02', 'base_url is the start', { url, limit: 1 }, served(1, { is: { base_url: url } })),
  crawl(
    'WC03',
    'a result has url, raw_content and images',
    { url, limit: 1 },
    served(1, { is: { 'results.0.url': url, 'results.0.raw_content': /Guides/, 'results.0.images': [] } }),
  ),
  crawl(
    'WC04',
    'the response has a time and an id',
    { url, limit: 1 },
    served(1, { is: { results: aList, response_time: /^[\d.]+$/, request_id: someText } }),
  ),
  crawl('WC05', 'limit bounds the pages', { url, limit: 2 }, served(2, { is: { 'results.length': 2 } })),
  crawl(
    'WC06',
    'select_paths keeps paths that match',
    { url, select_paths: ['/docs/.*'], limit: 5 },
    served(3, { is: { 'results.*.url': /\/docs\// } }),
  ),
  crawl(
    'WC07',
    'exclude_paths drops paths that match',
    { url, exclude_paths: ['/docs/two'], limit: 5 },
    served(2, { is: { 'results.*.url': /\/docs\/(?!two)/ } }),
  ),
  crawl('WC08', 'max_depth beyond 5 is brought within', { url, max_depth: 50, limit: 1 }, served(1)),
  crawl('WC09', 'max_breadth of any size is brought within', { url, max_breadth: 1e9, limit: 1 }, served(1)),
  crawl(
    'WC10',
    'timeout 150, as a client always sends it, is served',
    { url, timeout: 150, limit: 1 },
    served(1),
  ),
  crawl(
    'WC11',
    'chunks_per_source without instructions is ignored',
    { url, chunks_per_source: 3, limit: 1 },
    served(1),
  ),
  crawl(
    'WC12',
    'fields without effect are ignored',
    { url, extract_depth: 7, categories: 'x', include_images: 'x', include_favicon: null, limit: 1 },
    served(1),
  ),
  crawl('WC13', 'a missing url is refused', {}, refused('url')),
  crawl(
    'WC14',
    'select_paths that is no regular expression is refused',
    { url, select_paths: ['('] },
    refused('select_paths'),
  ),
  crawl(
    'WC15',
    'a start page that is lost is 502',
    { url: '{site}/lost' },
    failing(502, 'fetch_failed', { is: { detail: { error: 'fetch_failed' } } }),
  ),
  crawl(
    'WC16',
    'a start that is not public is 400',
    { url: 'http://10.0.0.1/' },
    failing(400, 'url_not_allowed', { is: { detail: { error: 'url_not_allowed' } } }),
  ),
  ...each(['', 7, null, ['x']], (value, n) =>
    crawl(`WC17.${n}`, `url ${JSON.stringify(value)} is refused`, { url: value }, refused('url')),
  ),

  map(
    'WM01',
    'a map is a list of absolute URLs',
    { url },
    served(1, { is: { 'results.*': /^http:\/\/127\.10\.0\.1:\d+\// } }),
  ),
  map('WM02', 'base_url is the start', { url }, served(1, { is: { base_url: url } })),
  map(
    'WM03',
    'the response has a time and an id',
    { url },
    served(1, { is: { results: aList, response_time: /^[\d.]+$/, request_id: someText } }),
  ),
  map('WM04', 'limit bounds the list', { url, limit: 2 }, served(1, { is: { 'results.length': 2 } })),
  map('WM05', 'a missing url is refused', {}, refused('url')),
  map(
    'WM06',
    'a start that is not public is 400',
    { url: 'http://10.0.0.1/' },
    failing(400, 'url_not_allowed'),
  ),
  map(
    'WM07',
    'include_usage adds the credit',
    { url, include_usage: true },
    served(1, { is: { usage: { credits: 1 } } }),
  ),
];
