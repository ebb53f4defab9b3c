import { type Case, charsFrom, each, failing, missing, posting, refused, served } from './spec-case.ts';

const similar = posting('/v1/findSimilar');
const url = '{site}/birds';
const domains = (count: number): string[] =>
  Array.from({ length: count }, (_, place) => `host${place}.example`);

/** What POST /v1/findSimilar takes and refuses, field by field. */
export const SIMILAR_REQUESTS: Case[] = [
  similar(
    'FU01',
    'a public URL gives results of other domains',
    { url },
    served(1, { is: { 'results.*.url': /^http:\/\/host\d+\.example:/ } }),
  ),
  similar('FU02', 'a missing url is refused', {}, refused('url')),
  similar('FU03', 'a null url counts as missing', { url: null }, refused('url')),
  ...each(['', ' ', 7, true, ['{site}/birds'], {}], (value, n) =>
    similar(`FU04.${n}`, `url ${JSON.stringify(value)} is refused`, { url: value }, refused('url')),
  ),
  similar(
    'FU05',
    'a page that answers 404 is fetch_failed',
    { url: '{site}/lost' },
    failing(502, 'fetch_failed', { message: /\S/ }),
  ),
  similar(
    'FU06',
    'a page that answers 500 is fetch_failed',
    { url: '{site}/broken' },
    failing(502, 'fetch_failed'),
  ),
  similar(
    'FU07',
    'a page with nothing readable is fetch_failed',
    { url: '{site}/empty' },
    failing(502, 'fetch_failed'),
  ),
  similar(
    'FU08',
    'a name that does not resolve is fetch_failed',
    { url: 'http://lost.example.net/' },
    failing(502, 'fetch_failed'),
  ),
  similar(
    'FU09',
    'a name with a private address is url_not_allowed',
    { url: 'http://private.example.org/' },
    failing(400, 'url_not_allowed'),
  ),
  similar(
    'FU10',
    'a redirect to a private address is url_not_allowed',
    { url: '{site}/to-private' },
    failing(400, 'url_not_allowed'),
  ),
  ...each(
    [
      'ftp://example.org/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://localhost/',
    ],
    (value, n) =>
      similar(`FU11.${n}`, `${value} is url_not_allowed`, { url: value }, failing(400, 'url_not_allowed')),
  ),

  similar('FN01', 'numResults defaults to 10', { url }, served(1, { is: { 'results.length': 10 } })),
  similar(
    'FN02',
    'numResults 1 gives one result',
    { url, numResults: 1 },
    served(1, { is: { 'results.length': 1 } }),
  ),
  similar(
    'FN03',
    'num_results 2 gives two results',
    { url, num_results: 2 },
    served(1, { is: { 'results.length': 2 } }),
  ),
  similar(
    'FN04',
    'numResults 25 gives 25 results',
    { url, numResults: 25 },
    served(1, { is: { 'results.length': 25 } }),
  ),
  similar(
    'FN05',
    'numResults 26 is capped at 25',
    { url, numResults: 26 },
    served(1, { is: { 'results.length': 25 } }),
  ),
  similar(
    'FN06',
    'numResults beyond exact integers is capped at 25',
    { url, numResults: 1e20 },
    served(1, { is: { 'results.length': 25 } }),
  ),
  ...each([0, -1, 1.5, '5', false], (numResults, n) =>
    similar(
      `FN07.${n}`,
      `numResults ${JSON.stringify(numResults)} is refused`,
      { url, numResults },
      refused('numResults'),
    ),
  ),
  ...each(['includeDomains', 'include_domains', 'excludeDomains', 'exclude_domains'], (name, n) =>
    similar(`FD01.${n}`, `${name} takes 100 entries`, { url, [name]: domains(100) }, served(1)),
  ),
  ...each(['includeDomains', 'include_domains', 'excludeDomains', 'exclude_domains'], (name, n) =>
    similar(`FD02.${n}`, `${name} refuses 101 entries`, { url, [name]: domains(101) }, refused(name)),
  ),
  similar(
    'FD03',
    'includeDomains keeps only results of the domain',
    { url, includeDomains: ['host3.example'] },
    served(1, { is: { 'results.*.url': /^http:\/\/host3\.example:/ } }),
  ),
  similar(
    'FD04',
    'excludeDomains never gives results of the domain',
    { url, numResults: 25, excludeDomains: ['host3.example'] },
    served(1, { is: { 'results.*.url': /^(?!http:\/\/host3\.example)/ } }),
  ),
  similar(
    'FD05',
    "the source's own domain stays out even when it is asked for",
    { url, includeDomains: ['127.10.0.1'] },
    served(1, { is: { 'results.length': 0 } }),
  ),
  similar(
    'FD06',
    "subdomains of the source's registrable domain stay out",
    { url: 'http://sub.host4.example:{port}/birds', numResults: 25 },
    served(1, { is: { 'results.*.url': /^(?!http:\/\/(?:\w+\.)?host4\.example)/ } }),
  ),
  similar('FD07', 'excludeSourceDomain is accepted', { url, excludeSourceDomain: true }, served(1)),

  similar(
    'FP01',
    'startPublishedDate keeps results published on or after it',
    { url, numResults: 25, startPublishedDate: '2025-06-15' },
    served(1, { is: { 'results.*.publishedDate': /^2025-(?:0[6-9]|1[0-2])-/ } }),
  ),
  similar(
    'FP02',
    'start_published_date is the same field',
    { url, numResults: 25, start_published_date: '2025-06-15' },
    served(1, { is: { 'results.*.publishedDate': /^2025-(?:0[6-9]|1[0-2])-/ } }),
  ),
  ...each(['2025-02-30', 'soon', 7], (date, n) =>
    similar(
      `FP03.${n}`,
      `${JSON.stringify(date)} is no ISO date`,
      { url, startPublishedDate: date },
      refused('startPublishedDate'),
    ),
  ),
  similar(
    'FC01',
    'without contents a result has no parts of its page',
    { url, numResults: 2 },
    served(1, {
      is: { 'results.*.text': missing, 'results.*.highlights': missing, 'results.*.prunedContext': missing },
    }),
  ),
  similar(
    'FC02',
    'contents true gives the text',
    { url, numResults: 2, contents: true },
    served(1, { is: { 'results.*.text': charsFrom(1, 1e6), 'results.*.highlights': missing } }),
  ),
  similar(
    'FC03',
    'highlights default to the topic terms of the page',
    { url, numResults: 2, contents: { highlights: true } },
    served(1, { is: { 'results.*.highlights.*': charsFrom(400, 700), 'results.*.text': missing } }),
  ),
  similar(
    'FC04',
    'pruned_context gives prunedContext',
    { url, numResults: 2, contents: { pruned_context: true } },
    served(1, { is: { 'results.*.prunedContext': charsFrom(1, 1e6) } }),
  ),
  similar('FC05', 'contents that is a number is refused', { url, contents: 7 }, refused('contents')),
  similar('FC06', 'stream true is refused', { url, stream: true }, refused('stream')),
  similar(
    'FA01',
    'the response has every field of a search',
    { url, numResults: 2 },
    served(1, {
      is: {
        requestId: /\S/,
        'costDollars.total': 0.001,
        searchTimeMs: /^\d+$/,
        searchTime: /^\d+$/,
        'service.cache': /^(?:miss|hit|stale)$/,
        'results.*.id': /^http/,
        'results.*.score': /^[\d.]+$/,
      },
    }),
  ),
];
