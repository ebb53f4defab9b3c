import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type RealServed, serveReal } from '../harness.ts';

/** Pages of two hosts on loopback, read so that they are in the index, then asked for what is like one of them. */
const page = (title: string, text: string): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>${text}</main></body></html>`;
const WADERS = `<p>Sanderlings are small wading birds that run along the surf of sandy beaches and pick sandhoppers out of the
wet sand. In winter a flock of sanderlings follows every wave.</p><p>They breed on the tundra of the high Arctic.</p>`;
const DUNLINS = `<p>The dunlin is a wading bird of muddy shores that often keeps company with sanderlings on sandy beaches in
winter. Dunlins breed on wet moors and on the tundra and feed on worms and sandhoppers.</p>`;
const LEDGERS = `<p>A ledger keeps the entries of accounts. Each entry has a debit and a credit, and the sums must agree at the
end of the month when the books are closed by the accountant.</p>`;

let own: FakeWeb;
let other: FakeWeb;
let app: RealServed;
before(async () => {
  own = await startWeb({
    address: '127.10.0.1',
    routes: { '/sanderling': page('Sanderling', WADERS), '/dunlin': page('Dunlin', DUNLINS) },
  });
  other = await startWeb({
    address: '127.20.0.1',
    routes: { '/dunlins': page('Dunlins of the shore', DUNLINS), '/ledger': page('Ledgers', LEDGERS) },
  });
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8' });
});
after(async () => {
  await app.close();
  await own.close();
  await other.close();
});

test('finds the similar page of another domain, and none of the same', async () => {
  const { post } = await app.owner();
  const urls = [`${own.origin}/dunlin`, `${other.origin}/dunlins`, `${other.origin}/ledger`];
  const read = await post('/v1/contents', { urls });
  assert.equal(read.json.results.length, 3, read.text);
  // Indexing goes on behind the answer.
  await waitFor(async () => (await app.services.index.size()).pages === 3);

  const { json: found } = await post('/findSimilar', {
    url: `${own.origin}/sanderling`,
    excludeSourceDomain: true,
    numResults: 2,
    contents: { highlights: true },
  });
  assert.equal(found.results[0]?.url, `${other.origin}/dunlins`);
  assert.ok(found.results.every(({ url }: { url: string }) => !url.startsWith(own.origin)));
  assert.match(JSON.stringify(found.results[0]), /wading bird of muddy shores/);
  assert.deepEqual(found.costDollars, { total: 0.001 });
});

test('a page that cannot be had, and one that may not be', async () => {
  const { post } = await app.owner();
  const missing = await post('/v1/findSimilar', { url: `${own.origin}/missing` });
  assert.deepEqual([missing.status, missing.json.error], [502, 'fetch_failed']);
  assert.ok(missing.json.message.length > 0);
  for (const url of ['http://10.0.0.1/', 'ftp://example.org/', 'nonsense']) {
    const refused = await post('/v1/findSimilar', { url });
    assert.deepEqual([refused.status, refused.json.error], [400, 'url_not_allowed'], url);
  }
});
