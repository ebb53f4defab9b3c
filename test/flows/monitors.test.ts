import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { type RealServed, serveReal } from '../harness.ts';

const pageOf = (fact: string): string =>
  `<!doctype html><html lang="en"><head><title>Sanderling</title></head><body><main><h1>Sanderling</h1>
<p>The sanderling is a small wading bird of sandy beaches, known by the way in which it runs after the waves.</p>
<p>${fact}</p></main></body></html>`;

describe('monitors over HTTP', () => {
  let web: FakeWeb;
  let app: RealServed;
  let receiver: WebhookReceiver;
  let page = pageOf('It lays four eggs in a scrape on the ground.');
  before(async () => {
    web = await startWeb({
      address: '127.30.0.2',
      routes: {
        '/bird?kept=no': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page),
        '/bird': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page),
      },
    });
    receiver = await startWebhookReceiver('127.30.0.3');
    app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.30.0.2/32', WEBHOOK_ALLOW_PRIVATE: '127.30.0.3/32' });
    app.parts.jobs.monitoring.start();
  });
  after(async () => {
    await app.close();
    await receiver.close();
    await web.close();
  });

  test('a change of a page reaches a signed webhook, the events and both feeds', async () => {
    const { get, post } = await app.owner();
    const url = `${web.origin}/bird`;
    const created = await post('/v1/monitors', { url, schedule: '1d', deliver: [{ webhook: receiver.url }] });
    assert.equal(created.status, 200, created.text);
    const { id, webhookSecret, feeds } = created.json.monitor;
    const state = async () => (await get(`/v1/monitors/${id}`)).json.monitor;
    await waitFor(async () => (await state()).checks === 1);
    page = pageOf('It lays three eggs in a scrape on the ground.');
    await post(`/v1/monitors/${id}`, { check: true });
    const { headers, body, json } = await receiver.next(({ json }) => json.type === 'monitor.changed');
    const [change] = json.data.changes;
    assert.equal(change.before.quote, 'It lays four eggs in a scrape on the ground.');
    assert.equal(change.after.quote, 'It lays three eggs in a scrape on the ground.');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const key = Buffer.from(webhookSecret.slice('whsec_'.length), 'base64');
    const signature = createHmac('sha256', key).update(signed).digest('base64');
    assert.equal(headers['webhook-signature'], `v1,${signature}`);
    const { json: told } = await get(`/v1/monitors/${id}/events`);
    assert.deepEqual(
      told.events.map((one: { id: string }) => one.id),
      [headers['webhook-id']],
    );
    const atom = await app.get(new URL(feeds.atom).pathname + new URL(feeds.atom).search);
    assert.equal(atom.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
    assert.match(atom.text, /<title>Sanderling changed in 1 place<\/title>/);
    const feed = await app.get(new URL(feeds.json).pathname + new URL(feeds.json).search);
    assert.equal(JSON.parse(feed.text).items[0].id, headers['webhook-id']);
  });

  test('what a caller keeps to itself is not kept for others by its monitor', async () => {
    const { get, post } = await app.owner();
    const url = `${web.origin}/bird?kept=no`;
    const created = await post('/v1/monitors', { url }, { 'x-no-store': '1' });
    const { id } = created.json.monitor;
    await waitFor(async () => (await get(`/v1/monitors/${id}`)).json.monitor.checks === 1);
    const read = await app.get(`/r/${url}`, { 'x-no-store': '1' });
    assert.equal(read.headers.get('x-cache'), 'miss');
  });

  test('nobody else sees it, and a wrong token opens no feed', async () => {
    const ann = await app.owner();
    const bob = await app.owner();
    const { json } = await ann.post('/v1/monitors', { query: 'waders' });
    const { id } = json.monitor;
    for (const path of [`/v1/monitors/${id}`, `/v1/monitors/${id}/events`]) {
      const { status, json } = await bob.get(path);
      assert.deepEqual([status, json.error], [404, 'not_found'], path);
    }
    assert.equal((await bob.post(`/v1/monitors/${id}`, { state: 'paused' })).status, 404);
    assert.deepEqual((await bob.get('/v1/monitors')).json.monitors, []);
    assert.equal((await app.get(`/v1/monitors/${id}/feed.atom?token=guessed`)).status, 404);
    const deleted = await fetch(`${app.address}/v1/monitors/${id}`, { method: 'DELETE' });
    assert.equal(deleted.status, 401);
  });

  test('says what is wrong with an order', async () => {
    const { post } = await app.owner();
    const problem = async (body: object): Promise<string> => {
      const { status, json } = await post('/v1/monitors', body);
      assert.ok(status === 422 || status === 400, String(status));
      return json.message;
    };
    assert.match(await problem({}), /exactly one of url, site, feed and query/);
    assert.match(await problem({ url: 'example.org', query: 'waders' }), /exactly one of/);
    assert.match(await problem({ url: 'http://127.0.0.1/' }), /public/);
    assert.match(await problem({ query: 'waders', schedule: '1m' }), /schedule: must be at least 5m/);
    assert.match(await problem({ query: 'waders', timeZone: 'Mars' }), /timeZone: must be a time zone/);
    assert.match(
      await problem({ query: 'waders', conditions: [{}] }),
      /one of phrase, number, row and share/,
    );
    assert.match(await problem({ query: 'w', conditions: [{ number: 'Price' }] }), /above or below/);
    assert.match(await problem({ query: 'w', deliver: [{ webhook: 'http://10.0.0.1/' }] }), /public/);
    assert.match(await problem({ query: 'w', deliver: [{ email: 'a@example.org' }] }), /needs SMTP_URL/);
    assert.equal((await app.post('/v1/monitors', { query: 'waders' })).status, 401);
  });
});
