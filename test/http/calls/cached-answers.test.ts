import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createForget } from '../../../src/index/upkeep/forget.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type Answered, type RealServed, type Served, serveReal } from '../../harness.ts';

const SENTENCE =
  'The sanderling runs along the edge of the surf and picks sandhoppers — "before" the next wave. ';
const pageOf = (name: string): string =>
  `<!doctype html><title>Page ${name}</title><main><h1>${name}</h1><p>${SENTENCE.repeat(8)}</p><p>${SENTENCE.repeat(6)}</p></main>`;

/** Everything that may vary from call to call, made equal. */
function settled({ status, headers, text }: Answered): unknown {
  const varies = new Set(['date', 'x-request-id', 'x-credits-remaining', 'x-cache']);
  return {
    status,
    headers: Object.fromEntries(
      [...headers].filter(([name]) => !varies.has(name) && name !== 'content-length'),
    ),
    text: text
      .replace(/"requestId":"req_[0-9a-f]{24}"/g, '"requestId":""')
      .replace(/"(searchTimeMs|searchTime)":\d+/g, '"$1":0')
      .replace(/"ms":\d+/g, '"ms":0')
      .replace(/"timingsMs":\{[^}]*\}/g, '"timingsMs":{}')
      .replace(/"(cache|source)":"(?:hit|miss|cached|crawled)"/g, '"$1":""'),
  };
}

describe('a cached answer', () => {
  let web: FakeWeb;
  let app: RealServed;
  let owner: Pick<Served, 'get' | 'post'>;
  const asked: string[] = [];
  before(async () => {
    const page = (name: string) => [
      `/${name}`,
      (
        _request: unknown,
        response: { writeHead(status: number, headers: object): void; end(text: string): void },
      ) => {
        asked.push(name);
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
        response.end(pageOf(name));
      },
    ];
    web = await startWeb({ routes: Object.fromEntries(['one', 'two', 'three', 'four', 'five'].map(page)) });
    app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8' });
    owner = await app.owner();
  });
  after(async () => {
    await app.close();
    await web.close();
  });
  const address = (name: string): string => `${web.origin}/${name}`;
  const remaining = ({ headers }: Answered): number => Number(headers.get('x-credits-remaining'));

  /** Makes one call several times: all answers are alike and cost the same, and only the first fetches. */
  async function repeated(call: () => Promise<Answered>, cost: number): Promise<Answered[]> {
    const answers = [await call()];
    const fetched = asked.length;
    for (let tries = 0; tries < 3; tries += 1) {
      await app.billing.background.drain();
      answers.push(await call());
    }
    assert.equal(asked.length, fetched);
    for (const [place, answer] of answers.slice(1).entries()) {
      assert.deepEqual(settled(answer), settled(answers[0] as Answered));
      assert.equal(answer.headers.get('x-cache'), 'hit');
      assert.equal(remaining(answers[place] as Answered) - remaining(answer), cost);
    }
    const ids = answers.map(({ headers }) => headers.get('x-request-id'));
    assert.equal(new Set(ids).size, answers.length);
    for (const [place, { json }] of answers.entries())
      if (json?.requestId !== undefined) assert.equal(json.requestId, ids[place]);
    return answers;
  }

  test('a page that was read: the same bytes, one credit each', async () => {
    const answers = await repeated(() => owner.get(`/r/${address('one')}`), 1);
    assert.match(answers[0]?.text ?? '', /picks sandhoppers — "before"/);
    const json = { accept: 'application/json' };
    assert.equal((await repeated(() => owner.get(`/r/${address('one')}`, json), 1))[3]?.json.code, 200);
  });

  test('contents: a credit for each page, the results in the order asked for', async () => {
    const urls = ['two', 'one', 'three'].map(address);
    const [, second] = await repeated(() => owner.post('/v1/contents', { urls }), 3);
    assert.deepEqual(
      second?.json.results.map(({ id }: { id: string }) => id),
      urls,
    );
    assert.equal(second?.json.costDollars.total, 0.003);
    const cut = await repeated(() => owner.post('/v1/contents', { urls, text: { maxCharacters: 40 } }), 3);
    assert.ok(cut[3]?.json.results[0].text.length <= 40);
  });

  test('contents of which one page is not kept are work, and are fetched', async () => {
    const before = asked.length;
    const { json } = await owner.post('/v1/contents', { urls: ['one', 'four'].map(address) });
    assert.deepEqual(asked.slice(before), ['four']);
    assert.deepEqual(
      json.statuses.map(({ source }: { source: string }) => source),
      ['cached', 'crawled'],
    );
  });

  test('a search: its results as they were, one credit each', async () => {
    // Pages that are still entering the index change it.
    await app.billing.background.drain();
    await owner.post('/v1/search', { query: 'sanderling surf' });
    const [, second] = await repeated(() => owner.post('/v1/search', { query: 'sanderling surf' }), 1);
    assert.ok(second?.json.results.length > 0);
    assert.equal(second?.json.costDollars.total, 0.001);
  });

  test('a search with highlights outlives the pages that it brought into the index, also for a tool', async () => {
    await app.billing.background.drain();
    const markdown = 'A dunlin stood there once.';
    const stale = { url: address('five'), title: 'five', headings: [], markdown, language: 'en' };
    const undated = { publishedDay: null, site: null, author: null, rawChars: 30, fetchedAt: 0 };
    await app.services.index.put([{ ...stale, ...undated }]);
    const query = 'dunlin';
    const call = { name: 'service_search', arguments: { query } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call };
    const byTool = async (): Promise<string> =>
      (await owner.post('/mcp', message, { accept: 'application/json' })).json.result.content[0].text;
    const before = asked.length;
    const first = await byTool();
    assert.match(first, /picks sandhoppers/);
    await app.billing.background.drain();
    assert.deepEqual(asked.slice(before), ['five']);
    const contents = { highlights: { highlightsPerUrl: 2 } };
    const byHttp = async (): Promise<Answered> => owner.post('/v1/search', { query, contents });
    const kept = await byHttp();
    assert.equal(kept.headers.get('x-cache'), 'hit');
    assert.equal(await byTool(), first);
    assert.equal(remaining(kept) - remaining(await byHttp()), 2);
    const { apiKey } = await app.billing.keys.create({ credits: 9, label: null });
    const other = await app.post('/v1/search', { query, contents }, { 'x-api-key': apiKey });
    assert.equal(other.headers.get('x-cache'), 'miss');
    // A later reading of the page says something else.
    await app.services.index.put([{ ...stale, ...undated, fetchedAt: 1 }]);
    assert.equal((await byHttp()).headers.get('x-cache'), 'miss');
  });

  test('a kept search outlives a page that has nothing to do with it, and no other', async () => {
    const cacheOf = async (): Promise<string | null> =>
      (await owner.post('/v1/search', { query: 'sandhoppers' })).headers.get('x-cache');
    await cacheOf();
    assert.equal(await cacheOf(), 'hit');
    const put = (name: string, markdown: string): Promise<void> =>
      app.services.index.put([
        {
          url: `https://example.org/${name}`,
          title: name,
          headings: [],
          markdown,
          language: 'en',
          publishedDay: null,
          site: null,
          author: null,
          rawChars: markdown.length,
          fetchedAt: 0,
        },
      ]);
    await put('ferry', 'The ferry left the harbour at dawn.');
    assert.equal(await cacheOf(), 'hit');
    await put('beach', 'A sandhopper jumps on the beach.');
    assert.equal(await cacheOf(), 'miss');
    assert.equal(await cacheOf(), 'hit');
    await app.services.index.remove(['https://example.org/beach']);
    assert.equal(await cacheOf(), 'miss');
  });

  test('a key without credits is refused, and a page that is not kept is not fetched for it', async () => {
    const { apiKey } = await app.billing.keys.create({ credits: 0, label: null });
    const before = asked.length;
    const refused = await app.get(`/r/${address('one')}`, { 'x-api-key': apiKey });
    assert.deepEqual([refused.status, asked.length], [402, before]);
  });

  test('what was forgotten is cached no more, whoever forgot it', async () => {
    await owner.get(`/r/${address('two')}`);
    await app.services.operations.forget({ url: address('two') });
    const before = asked.length;
    await owner.get(`/r/${address('two')}`);
    assert.deepEqual(asked.slice(before), ['two']);
    await app.billing.background.drain();
    // Another process has no way to drop what this one holds in memory.
    const { index, store } = app.services;
    const { removeCopies } = await import('../../../src/pages/page-cache.ts');
    const elsewhere = createForget({
      index,
      forgettings: { notice: async () => 0 },
      removeCopies: (isMeant) => removeCopies(store, isMeant),
      removeAddresses: async () => 0,
    });
    await owner.get(`/r/${address('two')}`);
    await elsewhere({ url: address('two') });
    await owner.get(`/r/${address('two')}`);
    assert.deepEqual(asked.slice(before), ['two', 'two']);
  });
});
