import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { app, ended, keyWith, serveJobs, site, started } from './jobs-fixture.ts';

serveJobs();

describe('a job', () => {
  test('belongs to the key that started it', async () => {
    const { headers } = await keyWith();
    const other = await keyWith();
    const { json } = await started('/v2/crawl', { url: `${site.origin}/small`, limit: 1 }, headers);
    for (const path of [
      `/v2/crawl/${json.id}`,
      `/v2/crawl/${json.id}/errors`,
      `/v2/batch/scrape/${json.id}`,
    ]) {
      assert.equal((await app.get(path, other.headers)).status, 404);
      assert.equal((await app.get(path)).status, 404);
    }
    assert.equal((await app.delete(`/v2/crawl/${json.id}`, other.headers)).status, 404);
    assert.equal((await app.get(`/v2/crawl/${json.id}`, { authorization: 'Bearer nobody' })).status, 401);
    await ended(`/v2/crawl/${json.id}`, headers);
    assert.equal((await app.get(`/v2/batch/scrape/${json.id}`, headers)).status, 404);
  });

  test('that is a batch is found among the crawls too, where old clients look for it', async () => {
    const { headers } = await keyWith();
    const { json } = await started('/firecrawl/v1/batch/scrape', { urls: [`${site.origin}/small`] }, headers);
    await ended(`/firecrawl/v1/batch/scrape/${json.id}`, headers);
    const polled = await app.get(`/firecrawl/v1/crawl/${json.id}`, headers);
    assert.deepEqual([polled.status, polled.json.status, polled.json.data.length], [200, 'completed', 1]);
    assert.equal((await app.delete(`/firecrawl/v1/crawl/${json.id}`, headers)).status, 404);
  });

  test('counts its unread addresses as waiting', async () => {
    const { headers } = await keyWith();
    // The pause before the second page is longer than the test.
    const { json } = await started('/v2/crawl', { url: `${site.origin}/`, delay: 60 }, headers);
    let { status, json: queue } = await app.get('/v2/team/queue-status', headers);
    // The links of the first page wait once it is read.
    while (queue.waitingJobsInQueue === 0)
      ({ status, json: queue } = await app.get('/v2/team/queue-status', headers));
    assert.deepEqual([status, queue.success, queue.maxConcurrency], [200, true, 64]);
    assert.ok(queue.waitingJobsInQueue > 0, JSON.stringify(queue));
    assert.equal(queue.jobsInQueue, queue.activeJobsInQueue + queue.waitingJobsInQueue);
    await app.delete(`/v2/crawl/${json.id}`, headers);
    const after = (await app.get('/v2/team/queue-status', headers)).json;
    assert.deepEqual([after.jobsInQueue, after.waitingJobsInQueue], [0, 0]);
  });

  test('is listed while it runs, and ends when it is cancelled', async () => {
    const { headers } = await keyWith();
    const { json } = await started('/v2/crawl', { url: `${site.origin}/`, delay: 30 }, headers);
    for (const path of ['/v2/crawl/ongoing', '/v2/crawl/active']) {
      const { crawls } = (await app.get(path, headers)).json;
      assert.deepEqual(
        crawls.map(({ id, url }: { id: string; url: string }) => [id, url]),
        [[json.id, `${site.origin}/`]],
      );
    }
    const cancelled = await app.delete(`/v2/crawl/${json.id}`, headers);
    assert.deepEqual([cancelled.status, cancelled.json.status], [200, 'cancelled']);
    assert.equal((await ended(`/v2/crawl/${json.id}`, headers)).status, 'cancelled');
    assert.deepEqual((await app.get('/v2/crawl/ongoing', headers)).json.crawls, []);
    assert.equal((await app.delete(`/v2/crawl/${json.id}`, headers)).status, 200);
  });

  test('that has ended cannot be cancelled', async () => {
    const { headers } = await keyWith();
    const { json } = await started('/v2/crawl', { url: `${site.origin}/small`, limit: 1 }, headers);
    await ended(`/v2/crawl/${json.id}`, headers);
    const { status, json: refused } = await app.delete(`/v2/crawl/${json.id}`, headers);
    assert.deepEqual([status, refused.code, refused.success], [409, 'job_ended', false]);
  });

  test('is one per key: twenty may run, and a repeated request starts no second one', async () => {
    const { headers } = await keyWith();
    const body = { url: `${site.origin}/`, delay: 60 };
    const ids: string[] = [];
    for (let at = 0; at < 20; at++) ids.push((await started('/v2/crawl', body, headers)).json.id);
    assert.equal((await app.post('/v2/crawl', body, headers)).status, 429);
    for (const id of ids) await app.delete(`/v2/crawl/${id}`, headers);
    const named = { ...headers, 'x-idempotency-key': 'a name' };
    const first = await started('/v2/crawl', body, named);
    assert.equal((await started('/v2/crawl', body, named)).json.id, first.json.id);
    await app.delete(`/v2/crawl/${first.json.id}`, headers);
  });
});
