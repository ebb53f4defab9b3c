import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { ended, keyWith, receiver, serveJobs, site, started } from './jobs-fixture.ts';

serveJobs();

describe('a webhook', () => {
  test('gets every event, signed, with its metadata', async () => {
    const { headers } = await keyWith();
    const webhook = {
      url: receiver.url,
      headers: { authorization: 'Bearer hook', X_Own: 'mine' },
      metadata: { my_key: { inner_key: 1 } },
    };
    const body = {
      url: `${site.origin}/small`,
      crawlEntireDomain: true,
      maxDiscoveryDepth: 1,
      delay: 0,
      webhook,
    };
    const { json } = await started('/v2/crawl', body, headers);
    assert.match(json.webhookSecret, /^whsec_[0-9a-f]{64}$/);
    await receiver.next((got) => got.json.id === json.id && got.json.type === 'crawl.completed');
    const job = await ended(`/v2/crawl/${json.id}`, headers);
    await receiver.next((got) => got.json.id === json.id && got.json.success === false);
    for (const { metadata } of job.data)
      await receiver.next(
        ({ json: event }) => event.id === json.id && event.data[0]?.metadata.url === metadata.url,
      );
    const own = receiver.received.filter((got) => got.json.id === json.id);
    for (const got of own) {
      const signature = createHmac('sha256', json.webhookSecret).update(got.body).digest('hex');
      assert.equal(got.headers['x-firecrawl-signature'], `sha256=${signature}`);
      const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': standard } = got.headers;
      assert.equal(id, got.json.webhookId);
      assert.ok(Math.abs(Number(at) * 1_000 - Date.now()) < 3_600_000);
      const key = Buffer.from(json.webhookSecret.slice('whsec_'.length), 'base64');
      const timed = createHmac('sha256', key).update(`${id}.${at}.${got.body}`).digest('base64');
      assert.equal(standard, `v1,${timed}`);
      assert.equal(got.headers['content-type'], 'application/json');
      assert.equal(got.headers.authorization, 'Bearer hook');
      assert.equal(got.headers.x_own, 'mine');
      assert.deepEqual(got.json.metadata, webhook.metadata);
    }
    assert.deepEqual(own.map((got) => got.json.type).toSorted(), [
      'crawl.completed',
      'crawl.page',
      'crawl.page',
      'crawl.page',
      'crawl.page',
      'crawl.started',
    ]);
    assert.equal(new Set(own.map((got) => got.json.webhookId)).size, own.length);
    const failed = own.find((got) => !got.json.success);
    assert.deepEqual([failed?.json.url, failed?.json.data], [`${site.origin}/gone`, []]);
  });

  test('gets only the events that it wants', async () => {
    const { headers } = await keyWith();
    const webhook = { url: receiver.url, events: ['completed'] };
    const { json } = await started('/v2/batch/scrape', { urls: [`${site.origin}/page/1`], webhook }, headers);
    await receiver.next((got) => got.json.id === json.id && got.json.type === 'batch_scrape.completed');
    assert.equal(receiver.received.filter((got) => got.json.id === json.id).length, 1);
  });
});
