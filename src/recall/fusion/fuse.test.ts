import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { toCanonicalUrl } from '../../text/urls/url-spelling.ts';
import { computeIndexWeight, fuse, type ListedItem, type SourceList } from './fuse.ts';
import { orderByPassages, rerankByPassages } from './mix-scores.ts';

const item = (url: string, parts: Partial<ListedItem> = {}): ListedItem => ({
  url,
  title: '',
  snippet: '',
  publishedDay: null,
  ...parts,
});
const list = (source: string, weight: number, ...items: ListedItem[]): SourceList => ({
  source,
  weight,
  items,
});

test('the local index weighs as much as its best page is about the query', () => {
  const weightOf = (...scores: number[]): number =>
    computeIndexWeight(scores.map((localScore) => item('https://e.org/', { localScore })));
  assert.deepEqual([weightOf(), weightOf(0), weightOf(0.25), weightOf(0.1, 0.25)], [0.5, 0.5, 0.75, 0.75]);
  assert.deepEqual([weightOf(0.5), weightOf(0.9, 0.1)], [1, 1]);
});

describe('fuse', () => {
  test('a page from two sources ranks above the first page of one', () => {
    const pages = fuse([
      list('a', 1, item('https://one.org/'), item('https://both.org/')),
      list('b', 1, item('https://two.org/'), item('https://www.both.org/?utm_source=x')),
    ]);
    assert.equal(pages[0]?.url, 'https://both.org/');
    assert.deepEqual(pages[0]?.sources, ['a', 'b']);
    assert.equal(pages.length, 3);
  });

  test('a source of more weight goes first', () => {
    const pages = fuse([list('field', 0.5, item('https://f.org/')), list('web', 1, item('https://w.org/'))]);
    assert.deepEqual(
      pages.map(({ url }) => url),
      ['https://w.org/', 'https://f.org/'],
    );
  });

  test('first place in all sources is worth 1', () => {
    const [page] = fuse([list('a', 0.7, item('https://x.org/')), list('b', 1, item('https://x.org/'))]);
    assert.ok(Math.abs((page?.fused ?? 0) - 1) < 1e-9);
  });

  test('a merged page has the longest sane title, the longest snippet, the earliest trusted day and https', () => {
    const paragraph = 'A very long heading '.repeat(20);
    const [page, ...others] = fuse([
      list(
        'web',
        1,
        item('http://x.org/a', { title: 'Red knot - Wi…', snippet: 'Short.', publishedDay: '2024-05-02' }),
      ),
      list(
        'other',
        1,
        item('https://m.x.org/a', {
          title: 'Red knot - Wikipedia',
          snippet: 'A longer one.',
          publishedDay: '2024-05-01',
        }),
      ),
      list('field', 0.5, item('https://x.org/a/', { title: paragraph, publishedDay: '2020-01-01' })),
    ]);
    assert.equal(others.length, 0);
    assert.partialDeepStrictEqual(page, {
      url: 'https://m.x.org/a',
      title: 'Red knot - Wikipedia',
      snippet: 'A longer one.',
      publishedDay: '2024-05-01',
    });
  });

  test('a page gets an allowed address, whichever source names it and however late', () => {
    const lists = [
      list('a', 1, item('https://arxiv.org/abs/2401.00001'), item('https://ar5iv.org/abs/2401.00001')),
      list('b', 0.5, item('https://other.org/'), item('https://alphaxiv.org/abs/2401.00001')),
    ];
    const stands = (...hosts: string[]): (string | undefined)[] =>
      fuse(lists, (url) => hosts.includes(new URL(url).hostname)).map(({ url }) => url);
    assert.equal(stands('arxiv.org', 'ar5iv.org')[0], 'https://arxiv.org/abs/2401.00001');
    assert.equal(stands('ar5iv.org')[0], 'https://ar5iv.org/abs/2401.00001');
    assert.equal(stands('alphaxiv.org')[0], 'https://alphaxiv.org/abs/2401.00001');
    assert.equal(stands()[0], 'https://arxiv.org/abs/2401.00001');
  });

  test('a page that one source names twice gains nothing', () => {
    const [once] = fuse([list('a', 1, item('https://x.org/'))]);
    const [twice] = fuse([list('a', 1, item('https://x.org/'), item('https://www.x.org/'))]);
    assert.deepEqual(twice, once);
  });

  const url = fc.constantFrom(
    'https://a.org/',
    'http://a.org',
    'https://a.org/x',
    'https://b.org/',
    'https://www.b.org/index.html',
    'https://c.org/?b=1&a=2',
    'https://c.org/?a=2&b=1',
    'https://d.org/',
    'https://e.org/',
    'https://f.org/?utm_source=1',
  );
  const text = fc.constantFrom(
    '',
    'red knot',
    'the tide of the north sea turns twice a day and nobody who walks the flats forgets it',
    'waders',
  );
  const items = fc.array(
    fc.record({
      url,
      title: text,
      snippet: text,
      publishedDay: fc.option(fc.constantFrom('2024-01-01', '2024-02-01')),
    }),
    { maxLength: 8 },
  );
  const lists = fc
    .uniqueArray(fc.constantFrom('index', 'web', 'other', 'wiki', 'papers'), { maxLength: 5 })
    .chain((sources) =>
      fc.tuple(
        ...sources.map((source) =>
          fc.record({ source: fc.constant(source), weight: fc.constantFrom(0.5, 0.9, 1), items }),
        ),
      ),
    );

  test('the order of answers changes nothing; no page comes twice; scores descend from at most 1', () => {
    fc.assert(
      fc.property(
        lists.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          const ranked = fuse(all);
          assert.deepEqual(fuse(shuffled), ranked);
          const keys = ranked.map((page) => toCanonicalUrl(page.url));
          assert.equal(new Set(keys).size, keys.length);
          for (const [place, { fused }] of ranked.entries()) {
            assert.ok(fused >= 0 && fused <= 1 + 1e-9, String(fused));
            assert.ok(place === 0 || fused <= (ranked[place - 1]?.fused ?? 1));
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('rerankByPassages', () => {
  const result = (name: string, score: number, ...highlightScores: number[]) => ({
    name,
    score,
    highlightScores,
  });
  test('a page with a better passage passes one that was a little ahead', () => {
    const ranked = rerankByPassages([result('a', 0.6, 0.1), result('b', 0.55, 0.9)], [true, true]);
    assert.deepEqual(
      ranked.map(({ name }) => name),
      ['b', 'a'],
    );
  });
  test('a page that was not opened neither wins nor loses', () => {
    const ranked = rerankByPassages(
      [result('a', 0.8, 0.5), result('late', 0.7, 0.9), result('c', 0.6, 0.5)],
      [true, false, true],
    );
    assert.deepEqual(
      ranked.map(({ name }) => name),
      ['a', 'late', 'c'],
    );
  });
  test('when none was opened nothing changes', () => {
    const results = [result('a', 0.6), result('b', 0.5)];
    assert.deepEqual(rerankByPassages(results, [false, false]), results);
  });
});

describe('orderByPassages', () => {
  const result = (name: string, score: number, ...highlightScores: number[]) => ({
    name,
    score,
    highlightScores,
  });
  const namesOf = (results: { name: string }[]) => results.map(({ name }) => name).join(' ');

  test('a page that says the answer passes one that is only about it, and relevances still fall', () => {
    const ranked = orderByPassages(
      [result('about', 0.6, 0.02), result('says', 0.5, 0.9), result('c', 0.1, 0.1)],
      [true, true, true],
    );
    assert.equal(namesOf(ranked), 'says about c');
    assert.deepEqual(
      ranked.map(({ score }) => score.toFixed(2)),
      ['0.55', '0.55', '0.10'],
    );
  });

  test('the first page stays where the next says little more, and where its relevance is far ahead', () => {
    const little = [result('a', 0.6, 0.5), result('b', 0.55, 0.6)];
    assert.equal(namesOf(orderByPassages(little, [true, true])), 'a b');
    const far = [result('a', 0.9, 0.3), result('b', 0.1, 0.8)];
    assert.equal(namesOf(orderByPassages(far, [true, true])), 'a b');
  });

  test('only the first three change places', () => {
    const results = [0.6, 0.5, 0.4].map((score, place) => result(`p${place}`, score, 0.01));
    const ranked = orderByPassages([...results, result('late', 0.39, 0.99)], new Array(4).fill(true));
    assert.equal(namesOf(ranked), 'p0 p1 p2 late');
  });

  test('a page that was not opened neither wins nor loses, and when none was nothing changes', () => {
    const results = [result('a', 0.6, 0.5), result('b', 0.5)];
    assert.equal(namesOf(orderByPassages(results, [true, false])), 'a b');
    assert.deepEqual(orderByPassages(results, [false, false]), results);
  });
});
