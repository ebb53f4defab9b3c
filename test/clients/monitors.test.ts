import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FirecrawlClient } from '@mendable/firecrawl-js';
import { Exa } from 'exa-js';
import { parseAtomFeed, parseFeed, parseJsonFeed } from 'feedsmith';
import { insertEvents } from '../../src/monitors/rows/event-rows.ts';
import { type ClientFixture, openClientFixture } from './client-fixture.ts';

const TITLE = 'Tides & <waves> "today"\u000b – Gezeiten 潮汐';
const MARKDOWN = 'The **tide** is <low> & falls ]]> until 5:30.\n\n- one\n- two';

describe('monitors and published clients', () => {
  let fixture: ClientFixture;
  let feeds: { atom: string; json: string };
  before(async () => {
    fixture = await openClientFixture();
    const { served, site } = fixture;
    const { post } = await served.owner();
    const url = `${site.origin}/sanderling?a=1&b=2`;
    const { monitor } = (await post('/v1/monitors', { url, schedule: '1d', name: TITLE })).json;
    feeds = monitor.feeds;
    const owned = (await served.parts.jobs.monitoring.monitors.listAll(1))[0];
    assert.ok(owned);
    const finding = {
      url,
      title: TITLE,
      markdown: MARKDOWN,
      changes: [],
      changesTotal: 0,
      changedShare: 0.5,
      conditions: [],
    };
    const { db } = await served.services.monitorTables();
    await insertEvents(db, owned, {
      findings: [
        { kind: 'changed', ...finding },
        { kind: 'added', ...finding, url: null, markdown: '' },
      ],
      now: Date.parse('2026-11-20T10:20:30Z'),
    });
  });
  after(() => fixture.close());

  const read = async (url: string) => {
    const response = await fetch(url);
    assert.equal(response.status, 200);
    return { type: response.headers.get('content-type') ?? '', text: await response.text() };
  };

  test('the Atom feed has all that RFC 4287 asks for, and its texts arrive whole', async () => {
    const { type, text } = await read(feeds.atom);
    assert.match(type, /^application\/atom\+xml/);
    assert.equal(parseFeed(text).format, 'atom');
    const feed = parseAtomFeed(text);
    assert.ok(feed.id && feed.updated && feed.authors?.[0]?.name);
    assert.equal(feed.title?.value, TITLE.replace('\u000b', ''));
    assert.equal(feed.links?.find(({ rel }) => rel === 'self')?.href, feeds.atom);
    const [newest, oldest] = feed.entries ?? [];
    assert.ok(newest?.id && oldest?.id && newest.id !== oldest.id);
    assert.equal(new Date(oldest.updated ?? '').toISOString(), '2026-11-20T10:20:30.000Z');
    assert.match(oldest.links?.[0]?.href ?? '', /\?a=1&b=2$/);
    assert.equal(oldest.content?.value, MARKDOWN);
    assert.deepEqual(newest.links ?? [], []);
  });

  test("other services' monitors are refused with the name of the route that watches", async () => {
    const { served, site } = fixture;
    const [apiKey, apiUrl] = [await fixture.key(), served.address];
    const targets = [{ type: 'scrape' as const, urls: [site.origin] }];
    const order = { name: 'Beach', schedule: { text: 'daily' }, targets };
    await assert.rejects(new FirecrawlClient({ apiKey, apiUrl }).createMonitor(order), /POST \/v1\/monitors/);
    const watched = { search: { query: 'tides' }, webhook: { url: 'https://hooks.example.org/' } };
    await assert.rejects(new Exa(apiKey, apiUrl).monitors.create(watched), /POST \/v1\/monitors/);
  });

  test('the JSON feed is one of version 1.1', async () => {
    const { type, text } = await read(feeds.json);
    assert.match(type, /^application\/feed\+json/);
    assert.equal(parseFeed(text).format, 'json');
    const feed = parseJsonFeed(text);
    assert.equal(feed.title, TITLE);
    assert.equal(feed.feed_url, feeds.json);
    const [newest, oldest] = feed.items ?? [];
    assert.equal(oldest?.content_text, MARKDOWN);
    assert.equal(new Date(String(oldest?.date_published)).toISOString(), '2026-11-20T10:20:30.000Z');
    assert.ok(newest?.content_text, 'an item without a text has its summary');
  });
});
