import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { waitFor } from '../../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type RealServed, serveReal } from '../../harness.ts';
import { type ConsoleClient, signIn, TOKEN } from './console-client.ts';

const HOSTILE = '<script>alert(1)</script>';

describe('monitors and versions in the console, and versions on the reading page', () => {
  let web: FakeWeb;
  let app: RealServed;
  let client: ConsoleClient;
  let fact = 'It lays four eggs in a scrape on the ground.';
  before(async () => {
    web = await startWeb({
      address: '127.30.0.22',
      routes: {
        '/bird': (_, response) =>
          response.writeHead(200, { 'content-type': 'text/html' }).end(
            `<!doctype html><html lang="en"><head><title>Sanderling</title></head><body><main><h1>Sanderling</h1>
<p>The sanderling is a small wading bird of sandy beaches, known by the way in which it runs after the waves.</p>
<p>${fact}</p></main></body></html>`,
          ),
      },
    });
    app = await serveReal({ ADMIN_TOKEN: TOKEN, VERSIONS: 'on', FETCH_ALLOW_PRIVATE: '127.30.0.22/32' });
    app.parts.jobs.monitoring.start();
    client = await signIn(app);
  });
  after(async () => {
    await app.close();
    await web.close();
  });

  const findRow = (page: string, text: string): string =>
    [...page.matchAll(/<tr>.*?<\/tr>/gs)].map(([row]) => row).find((row) => row.includes(text)) ?? '';
  const findId = (row: string): string => /name="id" value="(mon_\w+)"/.exec(row)?.[1] ?? '';

  test('a form sets one up; it can be checked, paused, resumed and deleted, and its events are shown', async () => {
    const url = `${web.origin}/bird`;
    const made = await client.act('/admin/monitors', { do: 'watch', kind: 'url', what: url, name: HOSTILE });
    assert.equal(made.status, 200, made.text);
    assert.match(made.text, /Its first check is the one/);
    assert.ok(!made.text.includes(HOSTILE));
    const id = findId(made.text);
    const fields = { id, owner: 'operator' };
    const detail = async () => (await client.get(`/admin/monitors?id=${id}`)).text;
    await waitFor(async () => findRow(await detail(), id).includes('unchanged'));
    fact = 'It lays three eggs in a scrape on the ground.';
    await client.act('/admin/monitors', { do: 'check', ...fields });
    await waitFor(async () => (await detail()).includes('class="event"'));
    assert.match(await detail(), /It lays <del>four<\/del><ins>three<\/ins> eggs/);
    assert.match((await client.act('/admin/monitors', { do: 'pause', ...fields })).text, /It is paused\./);
    assert.match(findRow(await detail(), id), /badge warn">paused.*value="resume"/s);
    assert.match((await client.act('/admin/monitors', { do: 'resume', ...fields })).text, /It is resumed\./);
    assert.match((await client.act('/admin/monitors', { do: 'delete', ...fields })).text, /It is deleted/);
    assert.match(
      (await client.act('/admin/monitors', { do: 'pause', ...fields })).text,
      /no monitor any more/,
    );
  });

  test('a page that cannot be read says why, and a wrong order what is wrong with it', async () => {
    await client.act('/admin/monitors', {
      do: 'watch',
      kind: 'url',
      what: `${web.origin}/none`,
      schedule: '1d',
    });
    await waitFor(async () =>
      findRow((await client.get('/admin/monitors')).text, '/none').includes('badge alarm">fails'),
    );
    assert.match(findRow((await client.get('/admin/monitors')).text, '/none'), /404/);
    const wrong = { do: 'watch', kind: 'query', what: 'waders', schedule: 'often' };
    const { status, text } = await client.act('/admin/monitors', wrong);
    assert.equal(status, 422);
    assert.match(text, /<code>schedule<\/code> must be adaptive/);
    assert.match(text, /<option value="query" selected>/);
  });

  test("a caller's monitor shows its kind and host, and nothing of what it saw", async () => {
    const { post } = await app.owner();
    const { json } = await post('/v1/monitors', { url: `${web.origin}/bird?secret=1`, schedule: '1d' });
    const { text } = await client.get(`/admin/monitors?id=${json.monitor.id}`);
    assert.match(findRow(text, json.monitor.id), /A page of 127\.30\.0\.22/);
    assert.ok(!text.includes('secret=1'));
    assert.ok(!text.includes('id="events"'));
  });

  test('versions are listed and compared, and the reading page offers them', async () => {
    const url = `${web.origin}/bird`;
    const { get } = await app.owner();
    const listed = async () => (await get(`/v1/versions?url=${encodeURIComponent(url)}`)).json.versions;
    await waitFor(async () => (await listed()).length === 2);
    const page = await client.get(`/admin/versions?url=${encodeURIComponent(url)}`);
    assert.match(page.text, /<dt>Versions<\/dt>/);
    assert.match(page.text, /name="from" value="1"[^>]* checked/);
    assert.match(page.text, /name="to" value="2"[^>]* checked/);
    const compared = await client.get(`/admin/versions?url=${encodeURIComponent(url)}&from=1&to=2`);
    assert.match(compared.text, /It lays <del>four<\/del><ins>three<\/ins> eggs/);
    const [, first] = await listed();
    const asNow = await app.get(`/read?url=${encodeURIComponent(url)}`);
    assert.match(asNow.text, /It lays three eggs/);
    assert.match(asNow.text, new RegExp(`<option value="${first.firstSeen}">`));
    const asThen = await app.get(`/read?url=${encodeURIComponent(url)}&at=${first.firstSeen}`);
    assert.match(asThen.text, /As it was on .* UTC\./);
    assert.match(asThen.text, /It lays four eggs/);
    assert.match(asThen.text, new RegExp(`<option value="${first.firstSeen}" selected>`));
  });

  test('addresses that are none are refused without an error', async () => {
    const { status, text } = await client.get(`/admin/versions?url=${encodeURIComponent(HOSTILE)}`);
    assert.equal(status, 200);
    assert.ok(!text.includes(HOSTILE));
  });
});
