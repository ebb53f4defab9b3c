import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { opener, signal, wantText } from '../../test/fixtures/unit-tests/given-pages.ts';
import {
  givenIndex,
  item,
  request,
  searchOver,
  someOpen,
  web,
} from '../../test/fixtures/unit-tests/search-fixture.ts';
import type { OpenPage } from '../pages/open-page-types.ts';
import { recordDeadline } from '../platform/clock.ts';
import type { LocalSource } from '../recall/recall.ts';
import type { Reranker } from '../recall/rerank/reranker.ts';
import type { SourceItem } from '../recall/source.ts';
import type { Upstream } from '../recall/upstream/upstream-types.ts';

describe('search', () => {
  const { index } = givenIndex();
  const down: LocalSource = { name: 'index', find: () => Promise.reject(new Error('refused')) };

  test('one page under two spellings is one result', async () => {
    const { results } = await searchOver(index)(request);
    assert.deepEqual(
      results.map(({ url }) => url),
      ['https://a.org/', 'https://b.org/', 'https://badb.org/'],
    );
    assert.ok(results.every((result) => !('text' in result)));
  });

  test('a model judges results beyond those wanted, and its best comes first', async () => {
    const liked = 'https://badb.org/';
    const reranker: Reranker = {
      judge: async (_, passages) => passages.map((passage) => (passage.includes(liked) ? 1 : 0)),
      compareTokens: async () => null,
      close: async () => {},
    };
    const search = searchOver(index, [], someOpen, reranker);
    const { results } = await search({ ...request, numResults: 1 });
    assert.deepEqual(
      results.map(({ url }) => url),
      [liked],
    );
  });

  test('a page of the index that says the answer passes one that does not, unless a model has ordered them', async () => {
    const says = 'Waders are birds that find their food at the edge of the water.';
    const pages = opener({ 'https://a.org/': 'Text of a.', 'https://b.org/': says });
    const reranker: Reranker = {
      judge: async (_, { length }) => new Array(length).fill(0),
      compareTokens: async () => null,
      close: async () => {},
    };
    const wanted = { text: null, highlights: { query: null, perUrl: 1, charsMax: null }, pruned: null };
    const firstOf = async (model: Reranker | null): Promise<string | undefined> => {
      const asked = { ...request, query: 'what are waders', contents: wanted };
      return (await searchOver(index, [], pages, model)(asked)).results[0]?.url;
    };
    assert.equal(await firstOf(null), 'https://b.org/');
    assert.equal(await firstOf(reranker), 'https://a.org/');
  });

  test('how the pages of results are opened is handed on; their time is that of the caller, at most what the search has left', async () => {
    const opened: object[] = [];
    const open: OpenPage = (url, { signal: _, ...opening }) => {
      opened.push(opening);
      return opener({ [url]: 'x' })(url, { signal });
    };
    const search = searchOver(index, [], open);
    const wanted = { ...request, numResults: 1, contents: wantText, tenant: 'key 1', keep: false };
    await search({ ...wanted, opening: { freshMs: 0, copies: 'never', timeoutMs: 5 } });
    await search(wanted);
    await search({ ...wanted, opening: { timeoutMs: 15_000 } });
    assert.deepEqual(opened, [
      { tenant: 'key 1', keep: false, freshMs: 0, copies: 'never', timeoutMs: 5 },
      { tenant: 'key 1', keep: false, timeoutMs: 3_000 },
      { tenant: 'key 1', keep: false, timeoutMs: 15_000 },
    ]);
    const late = new AbortController();
    recordDeadline(late.signal, 0);
    await search({ ...wanted, signal: late.signal });
    assert.partialDeepStrictEqual(opened.at(-1), { timeoutMs: 250 });
  });

  test('a page that cannot be opened keeps its place with the snippet as text', async () => {
    const { results, tokens } = await searchOver(index)({ ...request, contents: wantText });
    assert.deepEqual(
      results.map(({ text }) => text),
      ['Text of a.', 'snippet of https://b.org/', 'snippet of https://badb.org/'],
    );
    assert.equal(tokens.raw, 1_000);
  });

  test('one source that fails is told and the other answers; when all fail nothing is found out', async () => {
    const { results, sources } = await searchOver(down, [web([[item('https://w.org/')]])])(request);
    assert.deepEqual(
      results.map(({ url }) => url),
      ['https://w.org/'],
    );
    assert.partialDeepStrictEqual(sources, { index: { ok: false, error: 'failed' }, web: { ok: true } });
    await assert.rejects(searchOver(down)(request), { code: 'recall_unavailable' });
    await assert.rejects(searchOver(down, [web(null)])(request), { code: 'recall_unavailable' });
  });

  test('an empty index beside sources that fail knows nothing, one that holds pages answers', async () => {
    const holding = (isEmpty: boolean): LocalSource => ({
      name: 'index',
      find: async () => [],
      isEmpty: async () => isEmpty,
    });
    await assert.rejects(searchOver(holding(true), [web(null)])(request), {
      code: 'recall_unavailable',
      message: /local index holds no pages yet/,
    });
    const knowing = await searchOver(holding(false), [web(null)])(request);
    assert.deepEqual(knowing.results, []);
    assert.ok(!JSON.stringify(knowing.sources.index).includes('note'));
    // Nobody else was asked, or somebody else said that there is nothing: then that is the answer, and it says why.
    for (const others of [[], [web([])]]) {
      const { results, sources } = await searchOver(holding(true), others)(request);
      assert.deepEqual(results, []);
      assert.match(JSON.stringify(sources.index), /"note":"the local index holds no pages yet/);
    }
  });

  test('the index alone keeps its order and its scores, whatever the words of its titles', async () => {
    const { results } = await searchOver(index, [web([])])(request);
    assert.deepEqual(
      results.map(({ score }) => score),
      [0.9, 0.7, 0.6],
    );
  });

  test('weak results come last and carry it: those of specialised sources, and those of the index, which other results precede', async () => {
    const named = (url: string, title: string): SourceItem => ({ ...item(url), title });
    const packages: Upstream = {
      ...web([[named('https://w.org/', 'Waders of the coast'), named('https://x.org/', 'Make a directory')]]),
      name: 'npm',
      scope: 'field',
    };
    const own: LocalSource = {
      name: 'index',
      find: async () => [
        { ...item('https://own.org/'), title: 'Waders', score: 0.9, source: 'index', isWeak: false },
        { ...item('https://far.org/'), title: 'A coast', score: 0.08, source: 'index', isWeak: true },
      ],
    };
    const asked = { ...request, query: 'waders of the coast' };
    const { results } = await searchOver(own, [packages])(asked);
    assert.deepEqual(
      results
        .map(({ url, isWeak }) => [url, isWeak])
        .slice(0, 2)
        .toSorted(),
      [
        ['https://own.org/', undefined],
        ['https://w.org/', undefined],
      ],
    );
    assert.deepEqual(
      results
        .map(({ url, isWeak }) => [url, isWeak])
        .slice(2)
        .toSorted(),
      [
        ['https://far.org/', true],
        ['https://x.org/', true],
      ],
    );
    const few = await searchOver(own, [packages])({ ...asked, numResults: 2 });
    assert.ok(!few.results.some(({ isWeak }) => isWeak));
    const likely = await searchOver(own)({ ...asked, minScore: 0.1 });
    assert.deepEqual(
      likely.results.map(({ url }) => url),
      ['https://own.org/'],
    );
  });
});
