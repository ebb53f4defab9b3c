import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ListedItem, SourceList } from '../../recall/fusion/fuse.ts';
import { createFilterCheck } from '../../text/query/filters.ts';
import { readQuery } from '../../text/query/read-query.ts';
import { toCanonicalUrl } from '../../text/urls/url-spelling.ts';
import type { SearchRequest } from '../search-types.ts';
import { type Choice, chooseResults, joinChoices } from './choose-results.ts';

const asked = (query: string) => ({ query: readQuery(query), today: '2026-11-21' });
const item = (url: string, parts: Partial<ListedItem> = {}): ListedItem => ({
  url,
  title: '',
  snippet: '',
  publishedDay: null,
  ...parts,
});
const list = (source: string, ...items: ListedItem[]): SourceList => ({ source, weight: 1, items });
const request = (query: string, parts: Partial<SearchRequest> = {}): SearchRequest => ({
  query,
  numResults: 10,
  includeDomains: [],
  excludeDomains: [],
  publishedFrom: null,
  publishedTo: null,
  contents: null,
  signal: new AbortController().signal,
  ...parts,
});
const best = (query: string, ...lists: SourceList[]): string | undefined =>
  chooseResults(lists, request(query), asked(query)).passing[0]?.url;

describe('results of several sources', () => {
  test('a title that says the query stands before one that says a part of it', () => {
    const web = list(
      'web',
      item('https://a.org/', { title: 'Migration of birds' }),
      item('https://b.org/', { title: 'Red knot migration' }),
    );
    assert.equal(best('red knot migration', web), 'https://b.org/');
  });

  test('the score of the local index, which read the whole page, stands in for words that the passage lacks', () => {
    const own = list('index', item('https://own.org/', { title: 'Red notes', localScore: 0.95 }));
    const web = list('web', item('https://w.org/', { title: 'Knot' }));
    assert.equal(best('red knot migration', own, web), 'https://own.org/');
  });

  test('a page that two sources name stands before its equals', () => {
    const page = (name: string): ListedItem => item(`https://${name}.org/`, { title: `Red knot ${name}` });
    assert.equal(
      best('red knot', list('web', page('a'), page('b')), list('wiki', page('b'))),
      'https://b.org/',
    );
  });
});

describe('results that are unlikely to be relevant', () => {
  const turnstones = item('https://birds.org/turnstones', {
    title: 'Feeding habits of turnstones',
    snippet: 'Turnstones use a variety of ways to locate and capture food.',
  });
  const encyclopaedia = item('https://en.encyclopaedia.org/Ruddy_turnstone', {
    title: 'Ruddy turnstone',
    snippet: 'It flips stones to get at prey hiding underneath. Turnstones feed on invertebrates.',
  });
  const packages = ['find-up', 'find-root', 'make-dir'].map((name) =>
    item(`https://packages.org/${name}`, {
      title: name,
      snippet: 'Find a file by walking up parent directories.',
    }),
  );
  const query = 'how do turnstones find food';
  const chosen = (lists: SourceList[]) => chooseResults(lists, request(query), asked(query));
  const weak = (lists: SourceList[]): string[] =>
    chosen(lists)
      .passing.filter(({ isWeak }) => isWeak)
      .map(({ url }) => url)
      .toSorted();

  test('of specialised sources are marked and come last when others are likely', () => {
    const lists = [list('npm', ...packages), list('web', turnstones, encyclopaedia)];
    const urls = packages.map(({ url }) => url).toSorted();
    assert.deepEqual(weak(lists), urls);
    assert.deepEqual(
      chosen(lists)
        .passing.slice(2)
        .map(({ url }) => url)
        .toSorted(),
      urls,
    );
  });

  test('of the index alone are as it marked them; what others propose too is not weak by its words', () => {
    const far = item('https://own.org/far', { title: 'Food', localScore: 0.08, isWeak: true });
    assert.deepEqual(weak([list('index', far), list('web', turnstones)]), [far.url]);
    assert.deepEqual(weak([list('index', far), list('web', turnstones, far)]), []);
    assert.deepEqual(weak([list('index', turnstones, far)]), [far.url]);
  });

  test('are not marked where an engine of the web proposes them, and where no other is likely', () => {
    const [one, ...others] = packages;
    const both = [list('npm', ...packages), list('web', turnstones, ...(one === undefined ? [] : [one]))];
    assert.deepEqual(weak(both), others.map(({ url }) => url).toSorted());
    const nothing = chooseResults([list('npm', ...packages)], request('qwzx vbnm'), asked('qwzx vbnm'));
    assert.deepEqual(
      nothing.passing.map(({ isWeak }) => isWeak),
      [false, false, false],
    );
  });

  test('scores are probabilities that fall along the order; a page of the index has its own', () => {
    const own = item('https://own.org/turnstones', { ...COPIED, title: 'Turnstones', localScore: 0.9 });
    const { passing } = chosen([list('index', own), list('web', turnstones, encyclopaedia)]);
    const scores = passing.map(({ score }) => score);
    assert.equal(passing[0]?.url, own.url);
    assert.ok(Math.abs((scores[0] ?? 0) - 0.9) < 1e-9);
    assert.deepEqual(
      scores,
      scores.toSorted((left, right) => right - left),
    );
    assert.ok((scores[1] ?? 0) > 0.4 && (scores[2] ?? 1) < 0.3, scores.join());
  });
});

/** Long enough that two pages with it are one text. */
const COPIED = {
  title: 'The red knot',
  snippet:
    'The red knot breeds in the far north and winters along coasts of the south, where it eats shellfish of mud flats and little else.',
};

test('a page gains what the sources of its copies know: the local index has read it whole', () => {
  const first = item('https://first.org/k', COPIED);
  const copy = item('https://copy.org/k', { ...COPIED, localScore: 0.2 });
  const topic = item('https://topic.org/', { title: 'Calidris canutus' });
  const lists = [list('web', first, topic), { ...list('index', copy), weight: 0.1 }];
  const urls = chooseResults(lists, request('calidris canutus'), asked('calidris canutus')).passing.map(
    ({ url }) => url,
  );
  // No word of the query stands in the passage, so that of sources that match words it would be off the topic.
  assert.deepEqual(urls.toSorted(), ['https://first.org/k', 'https://topic.org/']);
});

describe('a filter takes no page away but those it names', () => {
  const left = (lists: SourceList[], parts: Partial<SearchRequest>): string[] =>
    chooseResults(lists, request('red knot', parts), asked('red knot')).passing.map(({ url }) => url);

  test('a copy stands when the better one is kept out, by host or by date', () => {
    const lists = [
      list('a', item('https://first.org/k', { ...COPIED, publishedDay: '2019-01-01' })),
      list('b', item('https://other.org/', { title: 'A red knot' }), item('https://copy.org/k', COPIED)),
      list('c', item('https://dated.org/k', { ...COPIED, publishedDay: '2024-06-01' })),
    ];
    const everywhere = left(lists, {});
    assert.equal(everywhere.filter((url) => url !== 'https://other.org/').length, 1);
    assert.ok(left(lists, { excludeDomains: ['first.org', 'dated.org'] }).includes('https://copy.org/k'));
    assert.deepEqual(left(lists, { includeDomains: ['copy.org'] }), ['https://copy.org/k']);
    assert.deepEqual(left(lists, { publishedFrom: '2024-01-01' }), ['https://dated.org/k']);
    assert.deepEqual(left(lists, { publishedTo: '2019-12-31' }), ['https://first.org/k']);
  });

  test('a page named under two addresses stands at the one that is left', () => {
    const lists = [
      list('a', item('https://old.reddit.com/r/birds/1', { title: 'Red knot' })),
      list('b', item('https://www.reddit.com/r/birds/1', { title: 'Red knot' })),
    ];
    assert.deepEqual(left(lists, { excludeDomains: ['old.reddit.com'] }), [
      'https://www.reddit.com/r/birds/1',
    ]);
    assert.deepEqual(left(lists, { includeDomains: ['old.reddit.com'] }), [
      'https://old.reddit.com/r/birds/1',
    ]);
    assert.deepEqual(left(lists, { excludeDomains: ['reddit.com'] }), []);
  });

  test('a page on the topic that is kept out does not take those with it that are less so', () => {
    const lists = [
      list(
        'a',
        item('https://out.org/', { title: 'Red knot' }),
        item('https://in.org/', { title: 'Waders' }),
      ),
    ];
    assert.deepEqual(left(lists, { excludeDomains: ['out.org'] }), ['https://in.org/']);
  });

  const HOSTS = [
    'reddit.com',
    'www.reddit.com',
    'old.reddit.com',
    'np.reddit.com',
    'm.a.org',
    'a.org',
    'b.org',
  ];
  const address = fc
    .tuple(fc.constantFrom('http', 'https'), fc.constantFrom(...HOSTS), fc.constantFrom('', 'x', 'docs/y'))
    .map(([scheme, host, path]) => `${scheme}://${host}/${path}`);
  const listed = fc.record({
    url: address,
    title: fc.constantFrom('Red knot', 'The red knot of the flats'),
    snippet: fc.constantFrom('', 'Of waders.'),
    publishedDay: fc.option(fc.constantFrom('2023-01-01', '2024-01-01')),
  });
  const lists = fc.uniqueArray(
    fc.record({
      source: fc.constantFrom('index', 'web', 'wiki'),
      weight: fc.constantFrom(0.5, 1),
      items: fc.array(listed, { maxLength: 8 }),
    }),
    { selector: ({ source }) => source, maxLength: 3 },
  );
  const domains = fc.array(fc.constantFrom(...HOSTS, 'a.org/docs', 'reddit.com/docs'), { maxLength: 2 });

  test('whatever the lists and the filters: what passes passes, and every address that passes has its page there', () => {
    fc.assert(
      fc.property(
        lists,
        domains,
        domains,
        fc.option(fc.constantFrom('2023-06-01', '2024-01-01')),
        (proposed, includeDomains, excludeDomains, publishedFrom) => {
          const filters = { includeDomains, excludeDomains, publishedFrom, publishedTo: null };
          const chosen = chooseResults(proposed, request('red knot', filters), asked('red knot'));
          const failed = createFilterCheck(filters);
          for (const one of chosen.passing) assert.equal(failed(one), null, one.url);
          for (const one of chosen.undated) assert.equal(failed(one), 'publishedDate', one.url);
          const kept = [...chosen.passing, ...chosen.undated];
          const anyDay = createFilterCheck({ ...filters, publishedFrom: null });
          const pages = new Map<string, ListedItem[]>();
          for (const one of proposed.flatMap(({ items }) => items))
            pages.set(toCanonicalUrl(one.url), [...(pages.get(toCanonicalUrl(one.url)) ?? []), one]);
          for (const [page, spellings] of pages) {
            const mayStand = spellings.some((one) => anyDay(one) === null);
            const isInTime =
              publishedFrom === null || spellings.every(({ publishedDay }) => publishedDay !== '2023-01-01');
            const isKept = kept.some(({ url }) => toCanonicalUrl(url) === page);
            if (mayStand && isInTime) assert.ok(isKept, page);
            if (!mayStand) assert.ok(!isKept, page);
          }
          const removed = Object.values(chosen.filters).reduce((sum, one) => sum + one.removed, 0);
          assert.equal(removed + chosen.passing.length, pages.size);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

test('a page that turned out to be in time is no second copy of one that was known to be', () => {
  const choice = (url: string, score: number, parts = COPIED): Choice => ({
    url,
    score,
    publishedDay: '2024-01-01',
    ...parts,
  });
  const joined = joinChoices(
    [choice('https://a.org/', 0.8), choice('https://b.org/', 0.4, { title: 'Waders', snippet: '' })],
    [choice('https://copy.org/', 0.6), choice('https://c.org/', 0.5, { title: 'Terns', snippet: '' })],
  );
  assert.deepEqual(
    joined.map(({ url }) => url),
    ['https://a.org/', 'https://c.org/', 'https://b.org/'],
  );
});
