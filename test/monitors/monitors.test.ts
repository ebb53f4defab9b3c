import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { MONITORS } from '../../src/contract/limits.ts';
import { HOST_GAP_MS } from '../../src/monitors/monitor-runner.ts';
import { forgetMonitors } from '../../src/monitors/rows/monitor-rows.ts';
import { describeOnStores } from '../fixtures/postgres.ts';
import { HOOK, type MonitorFixture, openMonitorFixture, PAGE } from './monitor-fixture.ts';
import { simulateMonitors } from './simulate-monitors.ts';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const article = (fact: string): string =>
  `# Waders\n\nThe sanderling runs along the edge of each wave.\n\n${fact}\n\nThe knot flies in flocks of thousands over the flats.`;

await describeOnStores('monitors', (databaseUrl) => {
  let fixture: MonitorFixture;
  beforeEach(async () => {
    fixture = await openMonitorFixture(databaseUrl);
  });
  afterEach(() => fixture.close());

  const find = async (id: string) => {
    const monitor = await fixture.monitors.find('ann', id);
    assert.ok(monitor !== null);
    return monitor;
  };
  const events = (id: string) => fixture.monitors.events(id, { before: null, limit: 100 });

  test('the first look learns, a change is told once with what stood there before and after', async () => {
    fixture.web.set(PAGE, article('It weighs 55 grams.'));
    const id = await fixture.watch({});
    const process = fixture.startProcess();
    await process.work();
    assert.equal(fixture.received.length, 0);
    fixture.web.set(PAGE, article('It weighs 60 grams.'));
    await process.work();
    assert.equal(fixture.requests.length, 1, 'not due yet');
    fixture.clock.advance(HOUR);
    await process.work();
    const [event, ...rest] = fixture.received;
    assert.equal(rest.length, 0);
    assert.equal(event?.url, HOOK);
    assert.equal(event?.json.type, 'monitor.changed');
    const [change] = event?.json.data.changes ?? [];
    assert.deepEqual(
      [change.kind, change.before.quote, change.after.quote],
      ['changed', 'It weighs 55 grams.', 'It weighs 60 grams.'],
    );
    assert.equal(event?.id, `evt_${id}_1`);
    fixture.clock.advance(HOUR);
    await process.work();
    assert.equal(fixture.received.length, 1);
    const { outcome, checks } = await find(id);
    assert.deepEqual([outcome?.isChanged, checks], [false, 3]);
  });

  test('a page that its origin confirms costs nothing', async () => {
    fixture.web.set(PAGE, article('It weighs 55 grams.'));
    await fixture.watch({});
    const process = fixture.startProcess();
    for (let hour = 0; hour < 4; hour += 1) {
      await process.work();
      fixture.clock.advance(HOUR);
    }
    assert.equal(fixture.confirmed, 3);
    assert.deepEqual([...fixture.charged.values()], [1]);
  });

  test('only a condition that comes true makes an event', async () => {
    fixture.web.set(PAGE, article('Price: 120'));
    const id = await fixture.watch({
      conditions: [{ kind: 'number', label: 'Price', above: null, below: 100 }],
    });
    const process = fixture.startProcess();
    for (const price of [120, 110, 90, 80]) {
      fixture.web.set(PAGE, article(`Price: ${price}`));
      await process.work();
      fixture.clock.advance(HOUR);
    }
    const told = await events(id);
    assert.deepEqual(
      told.map(({ conditions }) => conditions),
      [['Price fell below 100: 90']],
    );
  });

  test('a feed and a search tell what is new, a site what is new, changed and gone', async () => {
    const site = 'https://docs.example/';
    const feed = 'https://news.example/feed';
    fixture.web.set(feed, 'feed:https://news.example/1');
    for (const path of ['', 'a', 'b'])
      fixture.web.set(`${site}${path}`, `# ${path}\n\nA text about ${path}.`);
    fixture.listed = [site, `${site}a`, `${site}b`];
    fixture.results = [{ url: 'https://a.example/', title: 'A' }];
    const ids = [
      await fixture.watch({ target: { kind: 'feed', url: feed } }),
      await fixture.watch({ target: { kind: 'site', url: site, pagesMax: 20 } }),
      await fixture.watch({ target: { kind: 'search', query: 'waders', resultsMax: 10 } }),
    ];
    const process = fixture.startProcess();
    await process.work();
    fixture.web.set(feed, 'feed:https://news.example/2 https://news.example/1');
    fixture.web.set(`${site}a`, '# a\n\nAnother text about a.');
    fixture.web.set(`${site}b`, 404);
    fixture.web.set(`${site}c`, '# c\n\nA text about c.');
    fixture.listed = [site, `${site}a`, `${site}c`];
    fixture.results = [
      { url: 'https://b.example/', title: 'B' },
      { url: 'https://a.example/', title: 'A' },
    ];
    fixture.clock.advance(HOUR);
    await process.work();
    const told = await Promise.all(ids.map(events));
    assert.deepEqual(
      told.map((list) => list.map(({ kind, url }) => `${kind} ${url}`).sort()),
      [
        ['added https://news.example/2'],
        ['added https://docs.example/c', 'changed https://docs.example/a', 'removed https://docs.example/b'],
        ['added https://b.example/'],
      ],
    );
  });

  test('a page that is only missing from the list of its site is not gone', async () => {
    const site = 'https://docs.example/';
    for (const path of ['', 'a']) fixture.web.set(`${site}${path}`, `# ${path}\n\nA text.`);
    fixture.listed = [site, `${site}a`];
    const id = await fixture.watch({ target: { kind: 'site', url: site, pagesMax: 20 } });
    const process = fixture.startProcess();
    await process.work();
    fixture.listed = [site];
    fixture.clock.advance(HOUR);
    await process.work();
    assert.deepEqual(await events(id), []);
  });

  test('an endless site, a long feed and a long page stay within their bounds and say so', async () => {
    const site = 'https://docs.example/';
    const id = await fixture.watch({ target: { kind: 'site', url: site, pagesMax: 5 } });
    const process = fixture.startProcess();
    for (let day = 0; day < 12; day += 1) {
      fixture.listed = Array.from({ length: 9 }, (_, page) => `${site}day/${day}-${page}`);
      for (const url of fixture.listed) fixture.web.set(url, `# ${url}\n\nAn empty day.`);
      await process.work();
      fixture.clock.advance(HOUR);
    }
    const { outcome } = await find(id);
    assert.match(outcome?.leftOut ?? '', /more than 5 pages/);
    assert.equal(outcome?.total, 10, 'the five that are watched and the five before them');
    const feed = 'https://news.example/feed';
    const entries = Array.from({ length: 3_000 }, (_, number) => `https://news.example/${number}`);
    fixture.web.set(feed, `feed:${entries.join(' ')}`);
    const feedId = await fixture.watch({ target: { kind: 'feed', url: feed } });
    fixture.web.set(PAGE, 'word '.repeat(300_000));
    const pageId = await fixture.watch({});
    await process.work();
    fixture.web.set(feed, `feed:https://news.example/new ${entries.join(' ')}`);
    fixture.clock.advance(HOUR);
    await process.work();
    assert.deepEqual(
      (await events(feedId)).map(({ url }) => url),
      ['https://news.example/new'],
    );
    assert.match((await find(feedId)).outcome?.leftOut ?? '', /first 1,000 of 3,001 entries/);
    assert.match((await find(pageId)).outcome?.leftOut ?? '', /first 1,000,000 of 1,500,000 characters/);
  });

  test('a page that cannot be read is told once, and when it is back', async () => {
    fixture.web.set(PAGE, article('It weighs 55 grams.'));
    const id = await fixture.watch({});
    const process = fixture.startProcess();
    await process.work();
    fixture.web.set(PAGE, 503);
    for (let day = 0; day < 6; day += 1) {
      fixture.clock.advance(DAY);
      await process.work();
    }
    fixture.web.set(PAGE, article('It weighs 55 grams.'));
    fixture.clock.advance(DAY);
    await process.work();
    assert.deepEqual(
      (await events(id)).map(({ kind }) => kind),
      ['back', 'unreachable'],
    );
    assert.equal((await find(id)).failures, 0);
  });

  test('robots.txt decides, because nobody asks for the page each time', async () => {
    fixture.web.set(PAGE, article(''));
    fixture.forbidden.add(PAGE);
    const id = await fixture.watch({});
    await fixture.startProcess().work();
    assert.deepEqual(fixture.requests, []);
    assert.match((await find(id)).outcome?.error ?? '', /robots\.txt/);
  });

  test('a check that cannot be paid tells nothing, and goes on where it was once it can', async () => {
    fixture.web.set(PAGE, article('It weighs 55 grams.'));
    const id = await fixture.watch({});
    const process = fixture.startProcess();
    await process.work();
    fixture.credits.left = 0;
    fixture.web.set(PAGE, article('It weighs 60 grams.'));
    fixture.clock.advance(HOUR);
    await process.work();
    const paused = await find(id);
    assert.deepEqual([paused.state, paused.reason, (await events(id)).length], ['paused', 'credits', 0]);
    fixture.credits.left = 10;
    await fixture.monitors.change('ann', id, { state: 'active' });
    fixture.clock.advance(MINUTE);
    await process.work();
    assert.deepEqual(
      (await events(id)).map(({ kind }) => kind),
      ['changed'],
    );
  });

  test('a receiver that fails is asked again with growing pauses, and gets the same id', async () => {
    fixture.web.set(PAGE, article('It weighs 55 grams.'));
    const id = await fixture.watch({});
    const process = fixture.startProcess();
    await process.work();
    fixture.statuses.set(HOOK, 500);
    fixture.web.set(PAGE, article('It weighs 60 grams.'));
    fixture.clock.advance(HOUR);
    await process.work();
    assert.match((await find(id)).deliveryProblem ?? '', /was not accepted by its webhook; it is sent again/);
    fixture.clock.advance(4_000);
    await process.work();
    assert.equal(fixture.received.length, 0);
    fixture.statuses.delete(HOOK);
    fixture.clock.advance(2_000);
    await process.work();
    assert.equal(fixture.received.length, 1);
    assert.equal((await find(id)).deliveryProblem, null);
  });

  test('one host is asked one check at a time, over all processes', async () => {
    for (let place = 0; place < 20; place += 1) {
      const url = `https://site.example/${place}`;
      fixture.web.set(url, article(String(place)));
      await fixture.watch({ target: { kind: 'page', url } });
    }
    const processes = [fixture.startProcess(), fixture.startProcess()];
    while (fixture.requests.length < 20) {
      await Promise.all(processes.map((process) => process.work()));
      fixture.clock.advance(1_000);
    }
    const times = fixture.requests.map(({ at }) => at);
    const gaps = times.slice(1).map((at, place) => at - (times[place] ?? at));
    assert.ok(Math.min(...gaps) >= HOST_GAP_MS, `gaps of ${Math.min(...gaps)} ms`);
  });

  test('a pause of the server is not made up for', async () => {
    fixture.web.set(PAGE, article(''));
    const id = await fixture.watch({ schedule: { kind: 'interval', ms: 5 * MINUTE } });
    const process = fixture.startProcess();
    await process.work();
    fixture.clock.advance(30 * DAY);
    for (let turn = 0; turn < 5; turn += 1) await process.work();
    assert.equal((await find(id)).checks, 2);
  });

  test('a process that dies at any step loses nothing, charges nothing twice and gives no event two ids', async () => {
    for (const step of ['charge', 'write', 'send'] as const) {
      const url = `https://${step}.example/page`;
      fixture.web.set(url, article('It weighs 55 grams.'));
      const id = await fixture.watch({ target: { kind: 'page', url } });
      await fixture.startProcess().work();
      fixture.web.set(url, article('It weighs 60 grams.'));
      fixture.clock.advance(HOUR);
      const doomed = fixture.startProcess();
      doomed.dieAt(step);
      await doomed.work();
      const next = fixture.startProcess();
      for (let minute = 0; minute < 5; minute += 1) {
        fixture.clock.advance(MINUTE);
        await next.work();
      }
      const told = await events(id);
      assert.equal(told.length, 1, step);
      const deliveries = fixture.received.filter((one) => one.id === told[0]?.id);
      // The receiver had it when the sender died, so that it gets it once more.
      assert.equal(deliveries.length, step === 'send' ? 2 : 1, step);
      // The page that the dead process had fetched was confirmed without a body, so that the second look was free.
      const charges = [...fixture.charged].filter(([reference]) => reference.startsWith(id));
      assert.deepEqual(
        charges.map(([, credits]) => credits),
        step === 'charge' ? [1] : [1, 1],
        step,
      );
      await fixture.monitors.remove('ann', id);
    }
  });

  test('some days of thirty monitors over a web that changes and fails, and processes that die', async () => {
    const counts = await simulateMonitors(databaseUrl, {
      monitors: 30,
      hosts: 6,
      days: 4,
      deaths: 8,
      seed: 7,
    });
    assert.ok(counts.events > 15, JSON.stringify(counts));
    assert.ok(counts.bodies < counts.naive / 2, JSON.stringify(counts));
  });

  test('a monitor belongs to its owner, and nobody may have too many', async () => {
    fixture.web.set(PAGE, article(''));
    const id = await fixture.watch({});
    assert.equal(await fixture.monitors.find('bob', id), null);
    assert.equal(await fixture.monitors.change('bob', id, { state: 'paused' }), null);
    assert.equal(await fixture.monitors.remove('bob', id), false);
    assert.deepEqual(await fixture.monitors.list('bob'), []);
    assert.equal(await fixture.monitors.findByFeedToken(id, 'guessed'), null);
    assert.equal((await fixture.monitors.findByFeedToken(id, fixture.monitors.feedTokenOf(id)))?.id, id);
    for (let more = 1; more < MONITORS.ownerMax; more += 1) await fixture.watch({});
    await assert.rejects(fixture.watch({}), /delete one before/);
    assert.equal(await fixture.monitors.remove('ann', id), true);
    await fixture.watch({});
  });

  test('forgetting an address drops its text and its events, and the monitor learns anew', async () => {
    fixture.web.set(PAGE, article('It weighs 55 grams.'));
    const id = await fixture.watch({});
    const process = fixture.startProcess();
    await process.work();
    fixture.web.set(PAGE, article('It weighs 60 grams.'));
    fixture.clock.advance(HOUR);
    await process.work();
    assert.equal((await events(id)).length, 1);
    assert.equal(await forgetMonitors(fixture.store.db, (url) => url === PAGE), 1);
    assert.deepEqual(await events(id), []);
    fixture.web.set(PAGE, article('It weighs 65 grams.'));
    fixture.clock.advance(HOUR);
    await process.work();
    assert.deepEqual(await events(id), []);
  });
});
