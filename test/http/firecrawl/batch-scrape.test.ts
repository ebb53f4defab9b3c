import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { app, ended, keyWith, serveJobs, site, started } from './jobs-fixture.ts';

serveJobs();

describe('POST /v2/batch/scrape', () => {
  test('reads a list with the options of a scrape', async () => {
    const { headers, keyId } = await keyWith();
    const urls = ['/page/1', '/page/2', '/gone'].map((path) => site.origin + path);
    const body = {
      urls: [...urls, 'http://10.0.0.1/'],
      formats: ['markdown', 'links', 'rawHtml', 'summary'],
    };
    const { json } = await started('/v2/batch/scrape', body, headers);
    assert.deepEqual(json.invalidURLs, ['http://10.0.0.1/']);
    const job = await ended(`/v2/batch/scrape/${json.id}`, headers);
    assert.deepEqual([job.status, job.completed, job.total, job.creditsUsed], ['completed', 2, 3, 2]);
    for (const document of job.data) {
      assert.match(document.rawHtml, /<!doctype html>/);
      assert.equal(typeof document.summary, 'string');
      assert.ok(Array.isArray(document.links));
      assert.ok(urls.includes(document.metadata.sourceURL));
    }
    const { errors } = (await app.get(`/v2/batch/scrape/${json.id}/errors`, headers)).json;
    assert.deepEqual(
      errors.map(({ url }: { url: string }) => url),
      [`${site.origin}/gone`],
    );
    assert.equal(await app.billing.ledger.available(keyId), 998);
  });

  test('is refused if the key cannot pay for all, or if no address may be read', async () => {
    const { headers } = await keyWith(1);
    const urls = [`${site.origin}/page/1`, `${site.origin}/page/2`];
    assert.equal((await app.post('/v2/batch/scrape', { urls }, headers)).status, 402);
    assert.equal((await app.post('/v2/batch/scrape', { urls: ['http://10.0.0.1/'] }, headers)).status, 422);
    const strict = { urls: [urls[0], 'http://10.0.0.1/'], ignoreInvalidURLs: false };
    assert.equal((await app.post('/v2/batch/scrape', strict, headers)).status, 400);
  });
});
