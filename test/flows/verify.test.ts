import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type RealServed, serveReal } from '../harness.ts';

const PAGE = `<!doctype html><html lang="en"><head><title>Sanderling</title></head><body><main><h1>Sanderling</h1>
<p>The sanderling is a small wading bird of sandy beaches, known by the way in which it runs after the waves.</p>
<h2>Eggs</h2><p>It lays <b>four eggs</b> in a scrape on the ground &ndash; both parents sit on them for some “24” days.</p>
</main></body></html>`;

let web: FakeWeb;
let app: RealServed;
before(async () => {
  web = await startWeb({ address: '127.30.0.1', routes: { '/sanderling': PAGE } });
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8' });
});
after(async () => {
  await app.close();
  await web.close();
});

test('text of a page is found verbatim and as a reader copies it; other text is not', async () => {
  const { post } = await app.owner();
  const url = `${web.origin}/sanderling`;
  const quotes = [
    'runs after the waves',
    'It lays four eggs in a  scrape',
    'for some "24" days',
    'It lays five eggs',
  ];
  const { status, json, text } = await post('/v1/verify', { url, quotes });
  assert.equal(status, 200, text);
  assert.deepEqual(
    json.results.map(({ found }: { found: string }) => found),
    ['exact', 'normalized', 'normalized', 'no'],
  );
  assert.deepEqual(json.results[1].headingPath, ['Sanderling', 'Eggs']);
  assert.equal(json.results[1].link, `${url}#:~:text=It%20lays%20four%20eggs%20in%20a%20scrape`);
  assert.match(json.contentHash, /^sha256:[0-9a-f]{64}$/);
  assert.equal(json.changed, false);

  const [again, other] = await Promise.all([
    post('/v1/verify', { url, quote: 'waves', contentHash: json.contentHash }),
    post('/v1/verify', { url, quote: 'waves', contentHash: `sha256:${'0'.repeat(64)}` }),
  ]);
  assert.deepEqual([again.json.changed, other.json.changed], [false, true]);
});

test('highlights carry citations that verify, and none unless requested', async () => {
  const { post } = await app.owner();
  const url = `${web.origin}/sanderling`;
  const read = await post('/v1/contents', { urls: [url], text: true, highlights: { query: 'eggs' } });
  const [{ text, highlights, highlightProofs, contentHash }] = read.json.results;
  assert.equal(highlightProofs.length, highlights.length);
  const slices = highlightProofs.map(({ start, end }: { start: number; end: number }) =>
    text.slice(start, end),
  );
  assert.deepEqual(
    slices,
    highlights.map((highlight: string) => highlight.trim()),
  );
  const { json } = await post('/v1/verify', { url, quotes: slices, contentHash });
  for (const [place, { found, start, end, link, changed }] of json.results.entries())
    assert.deepEqual(
      { found, start, end, link, changed },
      { found: 'exact', changed: false, ...pick(highlightProofs[place]) },
    );
  const plain = await post('/v1/contents', { urls: [url] });
  assert.ok(!('highlightProofs' in plain.json.results[0]) && !('contentHash' in plain.json.results[0]));
});

test('so do the stretches of the pruned context', async () => {
  const { post } = await app.owner();
  const url = `${web.origin}/sanderling`;
  const read = await post('/v1/contents', { urls: [url], text: true, prunedContext: { query: 'eggs' } });
  const [{ text, prunedContext, prunedProofs, contentHash }] = read.json.results;
  assert.ok(prunedProofs.length > 0);
  const quotes = prunedProofs.map(({ start, end }: { start: number; end: number }) => text.slice(start, end));
  for (const quote of quotes) assert.ok(prunedContext.includes(quote));
  const { json } = await post('/v1/verify', { url, quotes, contentHash });
  for (const [place, { found, start, end, link, changed }] of json.results.entries())
    assert.deepEqual(
      { found, start, end, link, changed },
      { found: 'exact', changed: false, ...pick(prunedProofs[place]) },
    );
});

const pick = ({ start, end, link }: { start: number; end: number; link: string }) => ({ start, end, link });

test('a page that cannot be had, and one that may not be', async () => {
  const { post } = await app.owner();
  const missing = await post('/v1/verify', { url: `${web.origin}/missing`, quote: 'waves' });
  assert.deepEqual([missing.status, missing.json.error], [502, 'fetch_failed']);
  for (const url of ['http://10.0.0.1/', 'ftp://example.org/', 'nonsense']) {
    const refused = await post('/v1/verify', { url, quote: 'waves' });
    assert.deepEqual([refused.status, refused.json.error], [400, 'url_not_allowed'], url);
  }
});
