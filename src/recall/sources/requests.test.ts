import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readQuery } from '../../text/query/read-query.ts';
import type { SourceQuery, SourceSettings, SourceSpec } from '../source.ts';
import { ALL_SOURCES, canAnswer, chooseRate } from './all-sources.ts';
import { chooseWikipediaEdition } from './wikipedia.ts';

const QUERY: SourceQuery = {
  query: readQuery('tide & table'),
  limit: 10,
  includeDomains: [],
  excludeDomains: [],
  publishedFrom: null,
  publishedTo: null,
};
const DATED = { ...QUERY, publishedFrom: '2024-02-28', publishedTo: '2024-02-29' };
const SETTINGS: SourceSettings = {
  baseUrl: 'https://mirror.example.org/base',
  key: 'a&key',
  userAgent: 'Test/1.0 (+https://example.org)',
  contact: 'ops@example.org',
};

const specOf = (name: string): SourceSpec => {
  const spec = ALL_SOURCES.find((one) => one.name === name);
  assert.ok(spec !== undefined);
  return spec;
};
const asked = (name: string, query: SourceQuery, settings = SETTINGS): URL =>
  new URL(specOf(name).request(query, settings).url);
const parameters = (name: string, query: SourceQuery): Record<string, string> =>
  Object.fromEntries(asked(name, query).searchParams);

describe('every source', () => {
  for (const spec of ALL_SOURCES) {
    test(`${spec.name} keeps the base address, names the service and is under its own bounds`, () => {
      const { url, headers } = spec.request({ ...DATED, limit: 100 }, SETTINGS);
      assert.ok(url.startsWith('https://mirror.example.org/base/'), url);
      assert.equal(headers['user-agent'], SETTINGS.userAgent);
      for (const name of Object.keys(headers)) assert.equal(name, name.toLowerCase());
      const counts = [...new URL(url).searchParams].filter(([name]) =>
        /^(?:count|t|limit|size|rows|per.?page|pagesize|hitsPerPage|srlimit|max_results)$/.test(name),
      );
      for (const [, count] of counts) assert.ok(Number(count) <= 50);
      assert.match(spec.name, /^[a-z]+$/);
      assert.ok(spec.rate.calls > 0 && spec.rate.atOnce > 0 && spec.rate.perMs > 0);
    });
    test(`${spec.name} has its key in the request if and only if it has one`, () => {
      const withKey = JSON.stringify(spec.request(QUERY, SETTINGS));
      const without = JSON.stringify(spec.request(QUERY, { ...SETTINGS, key: null }));
      assert.equal(/a&key|a%26key/.test(withKey), spec.key !== null);
      assert.doesNotMatch(without, /a&key|a%26key|null|undefined/);
    });
  }
});

describe('further results', () => {
  const table: [name: string, parameter: string, second: string][] = [
    ['searxng', 'pageno', '2'],
    ['brave', 'offset', '1'],
    ['mojeek', 's', '11'],
    ['marginalia', 'page', '2'],
    ['wikipedia', 'sroffset', '10'],
    ['stackexchange', 'page', '2'],
    ['hackernews', 'page', '1'],
    ['github', 'page', '2'],
    ['npm', 'from', '10'],
    ['crossref', 'offset', '10'],
    ['openalex', 'page', '2'],
    ['semanticscholar', 'offset', '10'],
    ['arxiv', 'start', '10'],
  ];
  for (const [name, parameter, second] of table) {
    test(`${name} requests them by ${parameter}`, () => {
      const { [parameter]: first, ...others } = parameters(name, { ...QUERY, page: 0 });
      assert.deepEqual(
        { ...others, ...(first === undefined ? {} : { [parameter]: first }) },
        parameters(name, QUERY),
      );
      assert.deepEqual(parameters(name, { ...QUERY, page: 1 }), { ...others, [parameter]: second });
    });
  }
  test('the others send the same request for every page', () => {
    const paged = new Set(table.map(([name]) => name));
    for (const { name } of ALL_SOURCES.filter((spec) => !paged.has(spec.name)))
      assert.deepEqual(parameters(name, { ...QUERY, page: 1 }), parameters(name, QUERY));
  });
});

describe('filters are passed on if the source supports them', () => {
  const sites = {
    ...QUERY,
    includeDomains: ['https://www.a.org/docs', 'b.org'],
    excludeDomains: ['c.org', 'd.org/x'],
  };
  const one = { ...QUERY, includeDomains: ['a.org'] };
  const table: [name: string, query: SourceQuery, parameter: string, value: string | undefined][] = [
    ['brave', sites, 'q', 'tide & table (site:a.org OR site:b.org) -site:c.org'],
    ['brave', DATED, 'freshness', '2024-02-28to2024-02-29'],
    ['brave', { ...QUERY, publishedFrom: '2024-02-28' }, 'freshness', '2024-02-28to2099-12-31'],
    ['brave', QUERY, 'freshness', undefined],
    ['kagi', one, 'q', 'tide & table site:a.org'],
    ['searxng', sites, 'q', 'tide & table -site:c.org'],
    ['searxng', one, 'q', 'tide & table site:a.org'],
    ['mojeek', one, 'site', 'a.org'],
    ['mojeek', sites, 'site', undefined],
    ['mojeek', DATED, 'since', '20240228'],
    ['mojeek', DATED, 'before', '20240301'],
    ['marginalia', one, 'query', 'tide & table site:a.org'],
    ['stackexchange', DATED, 'fromdate', '1709078400'],
    ['stackexchange', DATED, 'todate', '1709251199'],
    ['stackexchange', QUERY, 'site', 'stackoverflow'],
    ['stackexchange', { ...QUERY, includeDomains: ['x.org', 'superuser.com'] }, 'site', 'superuser'],
    ['stackexchange', { ...QUERY, includeDomains: ['dba.stackexchange.com'] }, 'site', 'dba'],
    ['stackexchange', { ...QUERY, includeDomains: ['mathoverflow.net'] }, 'site', 'mathoverflow'],
    ['hackernews', DATED, 'numericFilters', 'created_at_i>=1709078400'],
    ['github', DATED, 'q', 'tide table created:2024-02-28..2024-02-29'],
    ['crossref', DATED, 'filter', 'from-pub-date:2024-02-28,until-pub-date:2024-02-29'],
    ['crossref', QUERY, 'mailto', 'ops@example.org'],
    ['openalex', DATED, 'filter', 'from_publication_date:2024-02-28,to_publication_date:2024-02-29'],
    ['semanticscholar', DATED, 'publicationDateOrYear', '2024-02-28:2024-02-29'],
    [
      'arxiv',
      DATED,
      'search_query',
      '(all:tide AND all:table) AND submittedDate:[202402280000 TO 202402292359]',
    ],
  ];
  for (const [name, query, parameter, value] of table) {
    test(`${name} ${parameter}=${value}`, () => assert.equal(parameters(name, query)[parameter], value));
  }
});

describe('the query as each field wants it', () => {
  const table: [name: string, query: string, parameter: string, value: string][] = [
    ['wikipedia', 'what is the capital of Mongolia?', 'srsearch', 'capital Mongolia'],
    ['wikidata', 'who was the first president of Botswana', 'search', 'Botswana'],
    ['wikidata', 'When was Ludwig van Beethoven born', 'search', 'Ludwig van Beethoven'],
    ['wikidata', 'what is photosynthesis', 'search', 'photosynthesis'],
    [
      'arxiv',
      'a "fast multipole" method (2020)',
      'search_query',
      'all:"fast multipole" AND all:method AND all:2020',
    ],
    [
      'arxiv',
      'one two gull tern plover knot',
      'search_query',
      'all:one OR all:two OR all:gull OR all:tern OR all:plover OR all:knot',
    ],
    ['openalex', 'tide, table|moon', 'search', 'tide  table moon'],
    ['semanticscholar', 'self-attention', 'query', 'self attention'],
  ];
  for (const [name, query, parameter, value] of table) {
    test(`${name}: ${query}`, () =>
      assert.equal(parameters(name, { ...QUERY, query: readQuery(query) })[parameter], value));
  }
});

describe('the edition of Wikipedia is that of the script', () => {
  const en = 'https://en.wikipedia.org';
  const table: [base: string, query: string, edition: string][] = [
    [en, 'tide table', en],
    ['https://de.wikipedia.org', 'Gezeitentafel', 'https://de.wikipedia.org'],
    [en, '潮汐表', 'https://zh.wikipedia.org'],
    [en, '潮の満ち引き', 'https://ja.wikipedia.org'],
    [en, '조석 예보', 'https://ko.wikipedia.org'],
    [en, 'таблица приливов', 'https://ru.wikipedia.org'],
    [en, 'таблиця припливів', 'https://uk.wikipedia.org'],
    [en, 'παλίρροια', 'https://el.wikipedia.org'],
    [en, 'المد والجزر', 'https://ar.wikipedia.org'],
    [en, 'the word 潮 in Chinese', en],
    [en, '12345', en],
    ['http://127.0.0.1:1/wikipedia', '潮汐表', 'http://127.0.0.1:1/wikipedia'],
  ];
  for (const [base, query, edition] of table) {
    test(`${query} at ${base}`, () => assert.equal(chooseWikipediaEdition(base, query), edition));
  }
});

describe('canAnswer', () => {
  const table: [name: string, includeDomains: string[], could: boolean][] = [
    ['wikipedia', [], true],
    ['wikipedia', ['en.wikipedia.org'], true],
    ['wikipedia', ['wikipedia.org/wiki'], true],
    ['wikipedia', ['org'], true],
    ['wikipedia', ['notwikipedia.org'], false],
    ['wikipedia', ['example.org', 'WIKIPEDIA.org'], true],
    ['github', ['stackoverflow.com'], false],
    ['stackexchange', ['unix.stackexchange.com'], true],
    ['hackernews', ['example.org'], true],
    ['brave', ['example.org'], true],
    ['arxiv', ['%%'], false],
  ];
  for (const [name, includeDomains, could] of table) {
    test(`${name} within ${includeDomains.join(' ') || 'everything'}: ${could}`, () =>
      assert.equal(canAnswer(specOf(name), includeDomains), could));
  }
});

test('a key raises the rate of the sources that allow it', () => {
  assert.equal(chooseRate(specOf('github'), null).calls, 9);
  assert.equal(chooseRate(specOf('github'), 'token').calls, 27);
  assert.equal(chooseRate(specOf('brave'), 'key'), specOf('brave').rate);
});
