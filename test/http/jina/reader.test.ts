import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { ReadRequest } from '../../../src/search/read.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type RealServed, readAnswer, type Served, serveReal, serveScripted } from '../../harness.ts';

const PAGE = `<!doctype html><html lang="en"><head><title>Sanderling</title>
<meta name="description" content="A wader."><meta property="article:published_time" content="2026-03-02"></head>
<body><nav><a href="/about">About us</a></nav><main><article><h1>Sanderling</h1>
<p id="lead">The <b>sanderling</b> is a small wading bird that runs along the edge of the surf on sandy beaches all winter.</p>
<p class="note">It picks sandhoppers out of the wet sand before the next wave comes, see <a href="/dunlin">the dunlin</a>.</p>
<img src="/bird.jpg" alt="A bird"><p>Its nest is in the high Arctic, where it lays four eggs on the bare tundra.</p>
</article></main><script>evil()</script></body></html>`;
const SENTENCE = 'The ferry left the harbour at dawn and reached the island before the storm came in. ';
const WITH_COMMENTS = `<!doctype html><title>Night ferry</title><nav>Home</nav><h1>Night ferry</h1>
<p>${SENTENCE.repeat(6)}</p><p>${SENTENCE.repeat(5)}</p><div id="comments"><p>What a trip, we were on board too.</p>
<form>Your e-mail</form></div><footer>Imprint</footer>`;
const JSON_ONLY = { accept: 'application/json' };

describe('a real page', () => {
  let web: FakeWeb;
  let app: RealServed;
  let owner: Pick<Served, 'get' | 'post'>;
  let path: string;
  let sent: Record<string, unknown>;
  before(async () => {
    web = await startWeb({
      routes: {
        '/sanderling': (request, response) => {
          sent = request.headers;
          response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
          response.end(PAGE);
        },
        '/comments': (_request, response) => {
          response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
          response.end(WITH_COMMENTS);
        },
      },
    });
    app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8' });
    owner = await app.owner();
    path = `/r/${web.origin}/sanderling`;
  });
  after(async () => {
    await app.close();
    await web.close();
  });

  test('JSON for who accepts nothing else; Markdown for everybody else', async () => {
    const { json } = await owner.get(path, JSON_ONLY);
    assert.deepEqual([json.code, json.status], [200, 20_000]);
    const { title, url, description, publishedTime, content, metadata, usage } = json.data;
    assert.deepEqual([title, description, publishedTime], ['Sanderling', 'A wader.', '2026-03-02']);
    assert.equal(url, `${web.origin}/sanderling`);
    assert.equal(metadata.lang, 'en');
    assert.match(content, /small wading bird/);
    assert.deepEqual(json.meta.usage, usage);
    assert.equal(usage.tokens, Math.ceil(content.length / 4));
    assert.equal(json.costDollars.total, 0.001);
    for (const accept of ['*/*', 'application/json, text/plain, */*', 'text/markdown', 'text/event-stream']) {
      const { headers, text } = await owner.get(path, { accept });
      assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8', accept);
      assert.equal(text, content);
    }
  });

  test('fields of a body that are no texts are no headers', async () => {
    const body = { url: `${web.origin}/sanderling`, highlights: [[], { toString: true }], pack: { a: 1 } };
    assert.equal((await owner.post('/r', body)).status, 200);
  });

  test('the style of the Markdown', async () => {
    const style = {
      'X-Md-Heading-Style': 'setext',
      'X-Md-Link-Style': 'referenced',
      'X-Md-Strong-Delimiter': '__',
      'X-Retain-Images': 'none',
      'X-Md-Em-Delimiter': '~',
      'X-Md-Other': 'x',
    };
    const { text, headers } = await owner.get(path, style);
    assert.match(text, /^Sanderling\n={10}\n/);
    assert.match(text, /__sanderling__[\s\S]+see \[the dunlin\]\[1\][\s\S]+\n\[1\]: http:\S+\/dunlin$/);
    assert.ok(!text.includes('bird.jpg'));
    assert.equal(headers.get('X-Ignored-Parameters')?.toLowerCase(), 'x-md-em-delimiter, x-md-other');
  });

  test('n8n: every header it knows, most of them empty', async () => {
    const { json, headers } = await owner.get(path, {
      ...JSON_ONLY,
      'X-Return-Format': '',
      'X-Target-Selector': '',
      'X-Remove-Selector': '',
      'X-With-Generated-Alt': 'false',
      'X-Wait-For-Selector': '',
    });
    assert.match(json.data.content, /small wading bird/);
    assert.equal(headers.get('x-ignored-parameters'), null);
  });

  test('text, and HTML that no browser runs', async () => {
    const plain = await owner.get(path, { 'X-Return-Format': 'text' });
    assert.equal(plain.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.match(plain.text, /The sanderling is a small/);
    const html = await owner.get(path, { 'X-Respond-With': 'html' });
    assert.equal(html.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.match(html.text, /<p[^>]*>The <b>sanderling<\/b>/);
    assert.doesNotMatch(html.text, /<script|About us/);
    const { json } = await owner.get(path, { ...JSON_ONLY, 'X-Return-Format': 'html' });
    assert.equal(json.data.html, html.text);
    assert.equal(json.data.content, undefined);
  });

  test('a selection, and what is left out of it', async () => {
    const one = await owner.get(path, { 'X-Target-Selector': '#lead' });
    assert.match(one.text, /small wading bird/);
    assert.doesNotMatch(one.text, /sandhoppers/);
    const without = await owner.get(path, { 'X-Remove-Selector': '.note, #lead' });
    assert.doesNotMatch(without.text, /sandhoppers|small wading bird/);
    assert.match(without.text, /high Arctic/);
  });

  test('the comments below an article, only where they are asked for', async () => {
    const comments = `${web.origin}/comments`;
    const plain = await owner.get(`/r/${comments}`);
    assert.doesNotMatch(plain.text, /on board too/);
    const both = await owner.get(`/r/${comments}`, { 'X-With-Comments': 'true' });
    assert.match(both.text, /before the storm came in[\s\S]+on board too/);
    assert.doesNotMatch(both.text, /Imprint|Your e-mail/);
  });

  test('the lists of links and images, at the end of the text and in JSON', async () => {
    const wanted = { 'X-With-Links-Summary': 'true', 'X-With-Images-Summary': 'true' };
    const { text } = await owner.get(path, wanted);
    assert.match(
      text,
      /\n\nLinks\/Buttons:\n- \[About us\]\(http:.*\/about\)\n- \[the dunlin\]\(http:.*\/dunlin\)/,
    );
    assert.match(text, /\n\nImages:\n- !\[Image 1: A bird\]\(http:.*\/bird\.jpg\)$/);
    const { json } = await owner.get(path, { ...JSON_ONLY, ...wanted });
    assert.deepEqual(json.data.links, {
      'About us': `${web.origin}/about`,
      'the dunlin': `${web.origin}/dunlin`,
    });
    assert.deepEqual(json.data.images, { 'Image 1: A bird': `${web.origin}/bird.jpg` });
    const all = await owner.get(path, { ...JSON_ONLY, 'X-With-Links-Summary': 'all' });
    assert.deepEqual(all.json.data.links[0], ['About us', `${web.origin}/about`]);
  });

  test('a locale goes to the server of the page', async () => {
    await owner.get(path, { 'X-Locale': 'de_AT' });
    assert.equal(sent['accept-language'], 'de-AT');
  });

  test('a copy is served within the tolerance only', async () => {
    await owner.get(path);
    const before = web.hits('/sanderling');
    assert.equal((await owner.get(path, { 'X-Cache-Tolerance': '3600' })).headers.get('x-cache'), 'hit');
    assert.equal(web.hits('/sanderling'), before);
    for (const header of [{ 'X-No-Cache': 'true' }, { 'X-Cache-Tolerance': '0' }])
      assert.equal((await owner.get(path, header as Record<string, string>)).status, 200);
    assert.equal(web.hits('/sanderling'), before + 2);
  });

  test('a page over the budget costs nothing; one that is cut fits', async () => {
    const key = await app.billing.keys.create({ credits: 5, label: null });
    const asked = { 'x-api-key': key.apiKey };
    const over = await app.get(path, { ...asked, 'X-Token-Budget': '10' });
    assert.equal(over.status, 422);
    assert.match(over.json.message, /^X-Token-Budget: the page has \d+ tokens/);
    assert.equal(over.headers.get('x-credits-remaining'), '5');
    const cut = await app.get(path, { ...asked, 'X-Max-Tokens': '10', 'X-Token-Budget': '10' });
    assert.equal(cut.status, 200);
    assert.ok(cut.text.length <= 40 && Number(cut.headers.get('x-output-tokens')) <= 10);
  });

  test('POST: the same page by a body of JSON or a form, options in it as in headers', async () => {
    const { text } = await owner.get(path);
    const url = `${web.origin}/sanderling#part`;
    assert.equal((await owner.post('/r', { url })).text, text);
    const form = `url=${encodeURIComponent(url)}`;
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    assert.equal((await owner.post('/r/', form, type)).text, text);
    assert.equal((await owner.post(path, '')).text, text);
    const { text: part } = await owner.post('/r', { url, targetSelector: ['#lead', 'h1'] });
    assert.doesNotMatch(part, /sandhoppers/);
  });

  test('POST: a page that is given is read, not fetched and not kept', async () => {
    const before = web.hits();
    const { json } = await owner.post(
      '/r',
      { html: PAGE, url: `${web.origin}/given`, withLinksSummary: true },
      JSON_ONLY,
    );
    assert.equal(json.data.title, 'Sanderling');
    assert.match(json.data.content, /small wading bird/);
    assert.equal(json.data.links['the dunlin'], `${web.origin}/dunlin`);
    const alone = await owner.post('/r', { html: PAGE, respondWith: 'text' });
    assert.match(alone.text, /The sanderling is a small/);
    assert.equal(web.hits(), before);
    assert.equal(
      (await owner.get(`/r/${web.origin}/given`)).status,
      502,
      'nothing was kept under its address',
    );
    const { json: found } = await owner.post('/v1/search', { query: 'sanderling', numResults: 25 });
    assert.ok(found.results.every(({ url }: { url: string }) => !url.endsWith('/given')));
  });

  test('POST: what cannot be read is named', async () => {
    const empty = await owner.post('/r', { html: '<p></p>' });
    assert.deepEqual([empty.status, empty.json.error], [422, 'validation_error']);
    assert.match(empty.json.message, /cannot be read/);
    const nothing = await owner.post('/r', {});
    assert.match(nothing.json.message, /^url: is required/);
  });
});

describe('what reaches the operation', () => {
  let app: Served;
  let asked: ReadRequest[] = [];
  before(async () => {
    app = await serveScripted({
      read: async (request) => {
        asked.push(request);
        return readAnswer();
      },
    });
  });
  beforeEach(() => {
    asked = [];
  });
  after(() => app.close());

  const path = '/r/https://example.org/a?q=tides';
  test('a plain call asks for nothing besides the page', async () => {
    await app.get(path);
    assert.deepEqual(asked[0]?.opening, {});
    assert.equal(asked[0]?.question, 'tides');
  });

  const openings: [headers: Record<string, string>, opening: object][] = [
    [{ 'X-No-Cache': 'true' }, { freshMs: 0, copies: 'never' }],
    [{ 'X-No-Cache': 'false' }, {}],
    [{ 'X-Cache-Tolerance': '60' }, { freshMs: 60_000 }],
    [{ 'X-Timeout': '7.5' }, { timeoutMs: 7_500 }],
    [{ 'X-Timeout': '180' }, { timeoutMs: 15_000 }],
    [{ 'X-Locale': 'fr' }, { headers: { 'accept-language': 'fr' } }],
  ];
  for (const [headers, opening] of openings)
    test(JSON.stringify(headers), async () => {
      assert.equal((await app.get(path, headers)).status, 200);
      assert.deepEqual(asked[0]?.opening, opening);
    });

  const refused: [name: string, value: string][] = [
    ['X-Timeout', 'soon'],
    ['X-Cache-Tolerance', '-1'],
    ['X-Token-Budget', '0'],
    ['X-Max-Tokens', '1e9'],
    ['X-Locale', 'a b'],
    ['X-Target-Selector', 'a['],
    ['X-Remove-Selector', 'x'.repeat(501)],
  ];
  for (const [name, value] of refused)
    test(`422: ${name}: ${value.slice(0, 20)}`, async () => {
      const { status, json } = await app.get(path, { [name]: value });
      assert.deepEqual([status, json.details?.[0]?.field], [422, name]);
      assert.deepEqual(asked, []);
    });

  test('headers and fields without effect are named', async () => {
    const { headers } = await app.get(path, {
      'X-Return-Format': 'screenshot',
      'X-Proxy': 'auto',
      'X-Engine': 'cf-unknown',
      'X-Wait-For-Selector': '#x',
    });
    assert.equal(headers.get('x-ignored-parameters'), 'X-Return-Format, X-Engine, X-Wait-For-Selector');
    assert.deepEqual(asked[0]?.opening, {});
    const post = await app.post('/r', { url: 'https://example.org/', viewport: { width: 1 }, timeout: 5 });
    assert.equal(post.headers.get('x-ignored-parameters'), 'viewport');
    assert.deepEqual(asked[1]?.opening, { timeoutMs: 5_000 });
  });

  test('422: a browser where there is none, and what the operator can do', async () => {
    const { status, json } = await app.get(path, { 'X-Engine': 'browser' });
    assert.deepEqual([status, json.details?.[0]?.field], [422, 'X-Engine']);
    assert.match(json.details?.[0]?.message, /RENDER_URL/);
    assert.deepEqual(asked, []);
  });

  test('X-Engine: direct is read without a browser', async () => {
    await app.get(path, { 'X-Engine': 'direct' });
    assert.deepEqual(asked[0]?.opening, { engine: 'plain' });
  });

  test('HEAD stays closed and free', async () => {
    const response = await fetch(`${app.address}/r/https://example.org/a`, { method: 'HEAD' });
    assert.equal(response.status, 405);
    assert.deepEqual(asked, []);
  });
});
