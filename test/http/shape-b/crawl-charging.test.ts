import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import { createFetchFailure } from '../../../src/contract/errors.ts';
import type { CrawledPage, SiteCrawlRequest } from '../../../src/crawl/site/site-crawl.ts';
import { describeOnStores } from '../../fixtures/postgres.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';

/** How a crawl holds and settles, with the crawl itself played. */
await describeOnStores('what a crawl holds', (databaseUrl) => {
  let fixture: ChargedFixture;
  let crawl: (request: SiteCrawlRequest) => Promise<CrawledPage[]>;
  before(async () => {
    fixture = await openChargedFixture(databaseUrl, { siteCrawl: (request) => crawl(request) });
  });
  after(async () => {
    assert.deepEqual(await createAudit(fixture.billing)(), []);
    await fixture.close();
  });
  beforeEach(() => {
    crawl = async ({ pagesMax }) => pagesOf(pagesMax);
  });

  const pagesOf = (count: number): CrawledPage[] =>
    Array.from({ length: count }, (_, at) => ({
      url: `https://a.b/${at}`,
      title: '',
      text: 'text',
      passages: null,
      late: [],
    }));
  const newKey = async (credits: number) => {
    const { apiKey, keyId } = await fixture.billing.keys.create({ credits, label: null });
    const left = (): Promise<number> => fixture.billing.ledger.available(keyId);
    const call = (fields: object) =>
      fixture.served.post('/shapeB/crawl', { url: 'a.b', ...fields }, { 'x-api-key': apiKey });
    return { left, call };
  };

  test('as many credits as pages are asked for, and what came is used', async () => {
    const key = await newKey(100);
    let during = -1;
    crawl = async ({ pagesMax }) => {
      during = await key.left();
      return pagesOf(pagesMax - 5);
    };
    const answer = await key.call({ limit: 30 });
    assert.deepEqual([answer.json.results.length, during, await key.left()], [25, 70, 75]);
    assert.equal(answer.headers.get('x-credits-remaining'), '75');
  });

  test('50 when nobody says how many', async () => {
    const key = await newKey(100);
    assert.equal((await key.call({})).json.results.length, 50);
    assert.equal(await key.left(), 50);
  });

  test('all that there are when there are fewer, and no more pages are asked of the site', async () => {
    const key = await newKey(7);
    let asked = 0;
    crawl = async ({ pagesMax }) => {
      asked = pagesMax;
      return pagesOf(2);
    };
    assert.equal((await key.call({ limit: 30 })).status, 200);
    assert.deepEqual([asked, await key.left()], [7, 5]);
  });

  test('nothing of nothing: the crawl does not begin', async () => {
    const key = await newKey(0);
    crawl = async () => assert.fail('it began');
    const { status, headers } = await key.call({});
    assert.deepEqual([status, headers.get('x-credits-remaining')], [432, '0']);
  });

  test('a crawl that fails uses nothing', async () => {
    const key = await newKey(20);
    crawl = async () => {
      throw createFetchFailure('dns', 'no such host');
    };
    assert.equal((await key.call({})).status, 502);
    assert.equal(await key.left(), 20);
  });

  test('a page whose text came as Markdown for lack of time is named, and free', async () => {
    const key = await newKey(20);
    crawl = async () => pagesOf(3).map((page, at) => (at === 1 ? { ...page, late: ['text'] } : page));
    const answer = await key.call({ format: 'text' });
    assert.deepEqual([answer.status, answer.headers.get('x-incomplete')], [200, 'text']);
    assert.equal(await key.left(), 18);
  });

  test('without a key there are ten pages at most', async () => {
    const answer = await fixture.served.post('/shapeB/crawl', { url: 'a.b', limit: 500 });
    assert.deepEqual([answer.status, answer.json.results.length], [200, 10]);
  });
});
