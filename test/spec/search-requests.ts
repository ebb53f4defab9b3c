import { type Case, each, posting, refused, served } from './spec-case.ts';

const search = posting('/v1/search');
const found = (more: Parameters<typeof served>[1] = {}) =>
  served(1, { is: { 'results.*.url': /^http/, ...more.is } });
const domains = (count: number): string[] =>
  Array.from({ length: count }, (_, place) => `host${place}.example`);

/** What POST /v1/search takes and refuses, field by field. */
export const SEARCH_REQUESTS: Case[] = [
  search('SQ01', 'a query of 1 character is searched', { query: 'a' }, found()),
  search('SQ02', 'a query of 2,000 characters is searched', { query: 'a'.repeat(2_000) }, served(1)),
  search('SQ03', 'a query of 2,001 characters is refused', { query: 'a'.repeat(2_001) }, refused('query')),
  search('SQ04', 'an empty query is refused', { query: '' }, refused('query')),
  search('SQ05', 'a missing query is refused', {}, refused('query')),
  search('SQ06', 'a null query counts as missing', { query: null }, refused('query')),
  search(
    'SQ07',
    '2,000 characters beyond the basic plane are 2,000 characters',
    { query: '🐦'.repeat(2_000) },
    served(1),
  ),
  search(
    'SQ08',
    '2,001 characters beyond the basic plane are too many',
    { query: '🐦'.repeat(2_001) },
    refused('query'),
  ),
  ...each([7, true, ['q'], { q: 1 }], (query, n) =>
    search(`SQ09.${n}`, `a query that is ${JSON.stringify(query)} is refused`, { query }, refused('query')),
  ),

  search(
    'SN01',
    'numResults defaults to 10',
    { query: 'survey default' },
    served(1, { is: { 'results.length': 10 } }),
  ),
  search(
    'SN02',
    'numResults 1 gives one result',
    { query: 'survey', numResults: 1 },
    served(1, { is: { 'results.length': 1 } }),
  ),
  search(
    'SN03',
    'numResults 25 gives 25 results',
    { query: 'survey', numResults: 25 },
    served(1, { is: { 'results.length': 25 } }),
  ),
  search(
    'SN04',
    'numResults 26 is capped at 25',
    { query: 'survey', numResults: 26 },
    served(1, { is: { 'results.length': 25 } }),
  ),
  search(
    'SN05',
    'numResults 1,000,000 is capped at 25',
    { query: 'survey', numResults: 1_000_000 },
    served(1, { is: { 'results.length': 25 } }),
  ),
  search(
    'SN06',
    'numResults beyond exact integers is capped at 25',
    { query: 'survey', numResults: 1e300 },
    served(1, { is: { 'results.length': 25 } }),
  ),
  search(
    'SN07',
    'numResults 2^53 is capped at 25',
    { query: 'survey', numResults: 9_007_199_254_740_992 },
    served(1, { is: { 'results.length': 25 } }),
  ),
  search(
    'SN08',
    'num_results is the same field',
    { query: 'survey', num_results: 2 },
    served(1, { is: { 'results.length': 2 } }),
  ),
  search(
    'SN09',
    'num_results null gives the default',
    { query: 'survey', num_results: null },
    served(1, { is: { 'results.length': 10 } }),
  ),
  search(
    'SN10',
    'numResults null gives the default',
    { query: 'survey', numResults: null },
    served(1, { is: { 'results.length': 10 } }),
  ),
  ...each([0, -1, -25], (numResults, n) =>
    search(
      `SN11.${n}`,
      `numResults ${numResults} is refused`,
      { query: 'q', numResults },
      refused('numResults'),
    ),
  ),
  ...each([1.5, '5', true, [5], {}], (numResults, n) =>
    search(
      `SN12.${n}`,
      `numResults ${JSON.stringify(numResults)} is no integer`,
      { query: 'q', numResults },
      refused('numResults'),
    ),
  ),
  search(
    'SN13',
    'a refusal names num_results as the caller spelled it',
    { query: 'q', num_results: 0 },
    refused('num_results'),
  ),

  ...each(
    ['auto', 'neural', 'keyword', 'hybrid', 'fast', 'instant', 'deep', 'deep-reasoning', 'tomorrow'],
    (type, n) => search(`ST01.${n}`, `type ${type} is accepted`, { query: 'survey', type }, found()),
  ),
  search('ST02', 'type null is accepted', { query: 'survey', type: null }, found()),

  ...each(['includeDomains', 'include_domains', 'excludeDomains', 'exclude_domains'], (name, n) =>
    search(`SD01.${n}`, `${name} takes 100 entries`, { query: 'survey', [name]: domains(100) }, served(1)),
  ),
  ...each(['includeDomains', 'include_domains', 'excludeDomains', 'exclude_domains'], (name, n) =>
    search(
      `SD02.${n}`,
      `${name} refuses 101 entries`,
      { query: 'survey', [name]: domains(101) },
      refused(name),
    ),
  ),
  ...each(['includeDomains', 'excludeDomains'], (name, n) =>
    search(`SD03.${n}`, `an empty ${name} counts as absent`, { query: 'survey', [name]: [] }, found()),
  ),
  ...each(['includeDomains', 'excludeDomains'], (name, n) =>
    search(`SD04.${n}`, `${name} null counts as absent`, { query: 'survey', [name]: null }, found()),
  ),
  ...each([7, true, {}, [7], [null], [['a.org']]], (value, n) =>
    search(
      `SD05.${n}`,
      `includeDomains ${JSON.stringify(value)} is refused`,
      { query: 'q', includeDomains: value },
      { status: 422, code: 'validation_error', message: /^includeDomains/ },
    ),
  ),
  ...each([7, true, {}, [7], [null]], (value, n) =>
    search(
      `SD06.${n}`,
      `excludeDomains ${JSON.stringify(value)} is refused`,
      { query: 'q', excludeDomains: value },
      { status: 422, code: 'validation_error', message: /^excludeDomains/ },
    ),
  ),
  search(
    'SD07',
    'includeDomains keeps only results of the domain',
    { query: 'survey', includeDomains: ['host3.example'] },
    served(1, { is: { 'results.*.url': /^http:\/\/host3\.example:/ } }),
  ),
  search(
    'SD08',
    'includeDomains keeps subdomains',
    { query: 'survey', includeDomains: ['example'] },
    found(),
  ),
  search(
    'SD09',
    'excludeDomains never gives results of the domain',
    { query: 'survey', numResults: 25, excludeDomains: ['host3.example'] },
    served(1, { is: { 'results.*.url': /^(?!http:\/\/host3\.example)/ } }),
  ),
  ...each(
    ['https://host3.example/', 'www.host3.example', '*.host3.example', 'HOST3.example', 'host3.example/n'],
    (entry, n) =>
      search(
        `SD10.${n}`,
        `a domain written as ${entry} is understood`,
        { query: 'survey', includeDomains: [entry] },
        served(1, { is: { 'results.*.url': /^http:\/\/host3\.example:/ } }),
      ),
  ),
  search(
    'SD11',
    'a path after a domain narrows it',
    { query: 'survey', includeDomains: ['host3.example/elsewhere'] },
    served(1, { is: { 'results.length': 0 } }),
  ),
  search(
    'SD12',
    'a domain that is in both lists gives nothing',
    { query: 'survey', includeDomains: ['host3.example'], excludeDomains: ['host3.example'] },
    served(1, { is: { 'results.length': 0 } }),
  ),
];
