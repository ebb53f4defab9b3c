import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { startTrapSite, type TrapSite } from '../fixtures/trap-site.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type Answered, type RealServed, serveReal } from '../harness.ts';

/** Whole sites with traps, crawled over HTTP by the real service with real books. */
const PAGES = 600;
const PER_HOST_MAX = 4;

let site: TrapSite;
let app: RealServed;
before(async () => {
  site = await startTrapSite({ pages: PAGES });
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
});
after(async () => {
  assert.deepEqual(await createAudit(app.billing)(), []);
  await app.close();
  await site.close();
});

const keyWith = async (credits: number) => {
  const { apiKey, keyId } = await app.billing.keys.create({ credits, label: null });
  return { headers: { authorization: `Bearer ${apiKey}` }, keyId };
};
const urlsOf = ({ json }: Answered): string[] => json.results.map(({ url }: { url: string }) => url);
const remaining = ({ headers }: Answered): number => Number(headers.get('x-credits-remaining'));
const wide = () => ({ url: site.origin, max_depth: 5, max_breadth: 500 });

test('a site of 600 pages with traps: every page once, nothing forbidden, a credit for each', async () => {
  const key = await keyWith(4_000);
  const answer = await app.post(
    '/shapeB/crawl',
    { ...wide(), limit: 3_000, include_usage: true },
    key.headers,
  );
  assert.equal(answer.status, 200, answer.text.slice(0, 300));
  const urls = urlsOf(answer);
  assert.equal(new Set(urls).size, urls.length);
  assert.deepEqual(
    site.pages.filter((url) => !urls.includes(url)),
    [],
  );
  // A calendar has no end; five links from the start page are one.
  const others = urls.filter((url) => !site.pages.includes(url));
  assert.deepEqual(
    others.filter((url) => !url.includes('/calendar/')),
    [],
  );
  assert.ok(others.length <= 20, `${others.length} pages of the calendar`);
  for (const path of site.forbidden) assert.equal(site.hits(path.split('?')[0]), 0, path);
  assert.ok(site.peak() <= PER_HOST_MAX, `${site.peak()} requests at once`);
  // A session's number in a link makes no other page of it: soon nobody asks for it again.
  assert.ok(site.hits() < PAGES * 1.25, `${site.hits()} requests`);
  assert.deepEqual(answer.json.usage, { credits: urls.length });
  assert.equal(remaining(answer), 4_000 - urls.length);
  assert.equal(await app.billing.ledger.available(key.keyId), 4_000 - urls.length);
});

test('crawls of one key at once share its credits: none is spent twice, none is lost', async () => {
  const key = await keyWith(100);
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => app.post('/shapeB/crawl', { ...wide(), limit: 40 }, key.headers)),
  );
  const served = answers.filter(({ status }) => status === 200);
  assert.ok(served.length >= 3);
  for (const { status } of answers) assert.ok(status === 200 || status === 432, String(status));
  const pages = served.reduce((sum, answer) => sum + urlsOf(answer).length, 0);
  assert.equal(await app.billing.ledger.available(key.keyId), 100 - pages);
  assert.ok(served.every((answer) => urlsOf(answer).length <= 40));
});

test('a caller that hangs up pays nothing', async () => {
  const key = await keyWith(60);
  const asked = site.hits();
  const hungUp = new AbortController();
  const call = fetch(`${app.address}/shapeB/crawl`, {
    method: 'POST',
    headers: key.headers,
    // Under this address the page is not kept from earlier: the site is asked while the caller waits.
    body: JSON.stringify({ ...wide(), url: `${site.origin}/?fresh=1`, limit: 60 }),
    signal: hungUp.signal,
  });
  await waitFor(() => site.hits() > asked);
  hungUp.abort();
  await assert.rejects(call, { name: 'AbortError' });
  await waitFor(async () => (await app.billing.ledger.available(key.keyId)) === 60);
});
