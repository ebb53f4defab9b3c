import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { ContentsRequest } from '../../../src/search/contents.ts';
import type { SearchRequest, SearchResult } from '../../../src/search/search-types.ts';
import { contentsAnswer, type Served, searchAnswer, serveScripted } from '../../harness.ts';

/** Fields of the first shape's clients beyond the contract. */
let app: Served;
let searched: SearchRequest[] = [];
let read: ContentsRequest[] = [];
let held: number[] = [];
let found: Partial<SearchResult> = {};

before(async () => {
  app = await serveScripted({
    search: async (request) => {
      searched.push(request);
      const results = searchAnswer().results.map((result) => ({ ...result, ...found }));
      return searchAnswer({ results });
    },
    similar: async () => searchAnswer(),
    contents: async (request) => {
      read.push(request);
      const answer = contentsAnswer();
      return { ...answer, results: answer.results.map((result) => ({ ...result, ...found })) as never };
    },
    meter: {
      remaining: async () => 100,
      beginCharge: async () => ({
        refuseIfKnown() {},
        async hold({ credits, least = credits }) {
          held.push(credits);
          return Math.max(least, Math.min(credits, 3));
        },
        settle: async () => {},
        refund: async () => {},
        spendable: async () => 100,
        remaining: async () => 99,
        stated: (used: number) => used,
      }),
    },
  });
});
beforeEach(() => {
  [searched, read, held, found] = [[], [], [], {}];
});
after(() => app.close());

const url = 'https://example.org/a';
const search = (body: object) => app.post('/v1/search', { query: 'q', ...body });
const subpage = (path: string) => ({
  url: `https://example.org/${path}`,
  title: path,
  author: null,
  publishedDay: null,
  text: `# ${path}`,
  details: { image: null, favicon: null, links: [], images: [] },
});

describe('what an opened page says about itself', () => {
  const details = {
    image: 'https://example.org/i.jpg',
    favicon: 'https://example.org/f.svg',
    links: ['https://example.org/1', 'https://example.org/2'],
    images: [{ url: 'https://example.org/p.png', description: 'P' }],
  };

  test('author, image and favicon are in the results of a search with contents', async () => {
    found = { author: 'Ann', details };
    const { json } = await search({ contents: { text: true } });
    assert.partialDeepStrictEqual(json.results[0], {
      author: 'Ann',
      image: details.image,
      favicon: details.favicon,
    });
    assert.equal('extras' in json.results[0], false);
  });

  test('and of contents', async () => {
    found = { details };
    const { json } = await app.post('/v1/contents', { urls: [url] });
    assert.partialDeepStrictEqual(json.results[0], { image: details.image, favicon: details.favicon });
  });

  test('what a page does not say is absent, never null', async () => {
    found = { author: null, details: { image: null, favicon: null, links: [], images: [] } };
    const { json } = await search({ contents: { text: true } });
    for (const name of ['author', 'image', 'favicon', 'extras', 'subpages', 'summary'])
      assert.equal(name in json.results[0], false, name);
  });

  test('extras are the links and pictures that were asked for, and open the pages', async () => {
    found = { details };
    const { json } = await search({ contents: { extras: { links: 2, image_links: 1 } } });
    assert.deepEqual(json.results[0].extras, {
      links: details.links,
      imageLinks: ['https://example.org/p.png'],
    });
    assert.deepEqual(searched[0]?.details, { links: 2, images: 1 });
    assert.deepEqual(searched[0]?.contents, { text: null, highlights: null, pruned: null });
    const one = await app.post('/contents', { urls: [url], extras: { links: 1_000 } });
    assert.deepEqual(one.json.results[0].extras, { links: details.links });
    assert.deepEqual(read[0]?.details, { links: 100, images: 0 });
  });
});

describe('summary', () => {
  test('is asked for with or without a query of its own', async () => {
    found = { summary: 'Short.' };
    const { json } = await search({ contents: { summary: true } });
    assert.equal(json.results[0].summary, 'Short.');
    await search({ contents: { summary: { query: ' why ' } } });
    assert.deepEqual(
      searched.map(({ contents }) => contents?.summary),
      [{ query: null }, { query: 'why' }],
    );
  });

  test('in the form of a schema is not offered, and named as ignored', async () => {
    const { json, headers } = await search({ contents: { text: true, summary: { schema: {} } } });
    assert.equal(searched[0]?.contents?.summary, undefined);
    assert.deepEqual(json.service.ignored, ['contents.summary']);
    assert.equal(headers.get('x-ignored-parameters'), 'contents.summary');
  });
});

describe('context', () => {
  test('joins the texts of all results, each with an equal share', async () => {
    found = { text: 'word '.repeat(200) };
    const { json } = await search({ contents: { text: true, context: { maxCharacters: 300 } } });
    assert.ok(json.context.length <= 300, String(json.context.length));
    assert.match(json.context, /^Title: A\nURL: https:\/\/example\.org\/a\n\nword .*\n\n---\n\nTitle: B\n/s);
    assert.equal(json.results[0].text, found.text);
  });

  test('alone reads the text without returning it', async () => {
    found = { text: 'The text.' };
    const { json } = await search({ contents: { context: true } });
    assert.match(json.context, /The text\./);
    assert.equal('text' in json.results[0], false);
    assert.deepEqual(searched[0]?.contents?.text, { charsMax: 10_000 });
  });

  test('of contents', async () => {
    found = { text: 'The text.' };
    const { json } = await app.post('/contents', { urls: [url], context: true });
    assert.equal(json.context, 'Title: A\nURL: https://example.org/a\n\nThe text.');
  });

  test('is absent unless requested', async () => {
    assert.equal('context' in (await search({ contents: { text: true } })).json, false);
  });
});

describe('subpages', () => {
  test('are in the results with their parts, and each costs a credit', async () => {
    found = { subpages: [subpage('about')] };
    const { json } = await search({
      numResults: 2,
      contents: { text: true, subpages: 1, subpageTarget: 'about' },
    });
    assert.deepEqual(json.results[0].subpages, [
      { id: 'https://example.org/about', url: 'https://example.org/about', title: 'about', text: '# about' },
    ]);
    assert.deepEqual(json.costDollars, { total: 0.003 });
    assert.deepEqual(held, [3]);
  });

  test('a key with fewer credits gets fewer of them', async () => {
    await search({ numResults: 10, contents: { text: true, subpages: 5, subpageTarget: ['about', 'docs'] } });
    assert.deepEqual(held, [11], 'without a key at most ten');
    assert.deepEqual(searched[0]?.subpages, { perPage: 5, most: 2, targets: ['about', 'docs'] });
  });

  test('of contents are held in full', async () => {
    found = { subpages: [subpage('about'), subpage('docs')] };
    const { json } = await app.post('/v1/contents', { urls: [url], subpages: 2 });
    assert.deepEqual(held, [3]);
    assert.deepEqual(json.costDollars, { total: 0.003 });
    assert.equal(json.results[0].subpages.length, 2);
  });

  test('a search without them costs what it did', async () => {
    await search({ contents: { text: true } });
    assert.deepEqual(held, [1]);
    assert.equal('subpages' in (searched[0] as object), false);
  });

  test('a value that is no number has no effect', async () => {
    const { json } = await search({ contents: { text: true, subpages: 'x', subpage_target: 7 } });
    assert.deepEqual(held, [1]);
    assert.deepEqual(json.service.ignored, ['contents.subpages', 'contents.subpage_target']);
  });
});

describe('the scope of a search', () => {
  test('texts, queries and categories are passed on', async () => {
    await search({
      includeText: [' one '],
      exclude_text: ['two'],
      additionalQueries: ['more'],
      category: 'Research Paper',
      includeDomains: ['arxiv.org/abs', 'example.org'],
    });
    assert.partialDeepStrictEqual(searched[0], {
      pageText: { include: ['one'], exclude: ['two'] },
      additionalQueries: ['more'],
      topic: 'science',
      includeDomains: ['arxiv.org/abs'],
    });
  });

  const categories: [name: string, fields: object][] = [
    ['news', { topic: 'news', includeDomains: [] }],
    ['pdf', { fileType: 'pdf', includeDomains: [] }],
    ['github', { includeDomains: ['github.com'] }],
    ['tweet', { includeDomains: ['x.com', 'twitter.com'] }],
    ['people', { includeDomains: ['linkedin.com/in'] }],
  ];
  for (const [category, fields] of categories)
    test(`category ${category}`, async () => {
      const { json } = await search({ category });
      assert.partialDeepStrictEqual(searched[0], fields);
      assert.deepEqual(json.service.ignored, []);
    });

  test('a category that a search cannot tell apart is named as ignored', async () => {
    for (const category of ['company', 'personal site', 7, 'constructor'])
      assert.deepEqual((await search({ category })).json.service.ignored, ['category'], String(category));
  });

  test('so is one that contradicts the included domains, which win', async () => {
    const { json } = await search({ category: 'github', includeDomains: ['example.org'] });
    assert.deepEqual(json.service.ignored, ['category']);
    assert.deepEqual(searched[0]?.includeDomains, ['example.org']);
  });

  test('findSimilar names them as ignored', async () => {
    const { json } = await app.post('/findSimilar', { url, category: 'news', includeText: ['x'] });
    assert.deepEqual(json.service.ignored, ['category', 'includeText']);
  });
});
