import assert from 'node:assert/strict';
import { type IncomingMessage, request } from 'node:http';
import { after, before, beforeEach, describe, test } from 'node:test';
import { NO_METER } from '../../../src/billing/ledger/meter.ts';
import { Failure } from '../../../src/contract/errors.ts';
import type { SearchRequest, SearchResult } from '../../../src/search/search-types.ts';
import { SITE_ANSWERS } from '../../fixtures/site-answers.ts';
import { openSiteFixture, type SiteFixture } from '../../fixtures/site-fixture.ts';
import { searchAnswer } from '../../harness.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const PERSON = { ...BROWSER, 'sec-fetch-dest': 'document', 'sec-fetch-mode': 'navigate' };
const URL_READ = 'https://docs.example.org/logrotate';

let fixture: SiteFixture;
let searched: SearchRequest[] = [];
let network = 0;
/** A network of its own, with all its free requests. */
const fresh = (): Record<string, string> => ({ ...BROWSER, 'x-forwarded-for': `203.0.113.${++network}` });

const weak = (name: string): SearchResult => ({
  url: `https://weak.example.org/${name}`,
  title: name,
  score: 0.04,
  publishedDay: null,
  isWeak: true,
});

before(async () => {
  fixture = await openSiteFixture({
    ...SITE_ANSWERS,
    trustProxy: 1,
    search: async (request) => {
      searched.push(request);
      if (request.query === 'weak') return searchAnswer({ results: [weak('a'), weak('b')] });
      if (request.query === 'hurried') return searchAnswer({ incomplete: ['highlights', 'results'] });
      return request.query === 'few' ? searchAnswer() : SITE_ANSWERS.search(request);
    },
    read: async (request) => {
      if (request.url.includes('gone')) throw new Failure('fetch_failed', 'The page answered 410.');
      const answer = await SITE_ANSWERS.read(request);
      if (request.url.includes('short'))
        return { ...answer, rawTokens: answer.outputTokens, savingsPercent: 0 };
      if (request.url.includes('hurried')) return { ...answer, incomplete: ['prunedContext'] };
      const named = /lang-([a-z]+)/.exec(request.url)?.[1];
      if (named === undefined) return answer;
      return { ...answer, article: { ...answer.article, language: named === 'none' ? null : named } };
    },
  });
});
after(() => fixture.close());
beforeEach(() => {
  searched = [];
});

describe('results', () => {
  test('what there was no time for is named above the results', async () => {
    const { text } = await fixture.served.get('/?q=hurried', fresh());
    assert.match(
      text,
      /role="status">There was no time for the passages of all pages, all of the local index\. Reload/,
    );
  });

  test('passages keep their code, cite the very place, and lead on', async () => {
    const { text } = await fixture.served.get('/?q=how+do+I+rotate+logs', fresh());
    assert.match(text, /<pre tabindex="0"><code>\/var\/log\/app\/\*\.log \{\n {4}daily/);
    assert.match(text, /<mark>rotate<\/mark> <mark>logs<\/mark> every day/);
    assert.match(
      text,
      /href="https:\/\/docs\.example\.org\/logrotate#:~:text=Logs%20are"[^>]*>Cite this passage/,
    );
    assert.match(text, /href="\/read\?url=https%3A%2F%2Fdocs\.example\.org%2Flogrotate">Read as Markdown/);
    assert.match(
      text,
      /href="\/\?do=similar&amp;url=https%3A%2F%2Fdocs\.example\.org%2Flogrotate"[^>]*>Similar/,
    );
    assert.match(text, /<time datetime="2025-03-14">/);
    assert.match(text, /<rect class="fill" width="93" height="8"\/>/);
    assert.match(text, /arxiv: timeout/);
  });

  test('weak results are folded away and counted', async () => {
    const { text } = await fixture.served.get('/?q=weak', fresh());
    assert.match(text, /No page is likely to be relevant/);
    assert.match(text, /<details class="weaker"><summary>Show 2 weaker results<\/summary>/);
    assert.match(text, /<details[\s\S]*weak\.example\.org\/a[\s\S]*weak\.example\.org\/b[\s\S]*<\/details>/);
    assert.doesNotMatch((await fixture.served.get('/?q=logs', fresh())).text, /weaker/);
  });

  test('the JSON is the answer of the call, and the code makes that call', async () => {
    const { text } = await fixture.served.get('/?q=logs', fresh());
    const shown = /<code id="answer">([^<]*)<\/code>/.exec(text)?.[1] ?? '';
    const json = JSON.parse(
      shown
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&amp;', '&')
        .replaceAll('&gt;', '>')
        .replaceAll('&apos;', "'"),
    );
    assert.equal(json.results.length, 4);
    assert.equal(json.results[0].publishedDate, '2025-03-14');
    for (const language of ['curl', 'javascript', 'python', 'mcp'])
      assert.match(text, new RegExp(`data-copy="code-${language}"`), language);
    assert.match(text, /service_search \{/);
  });

  test('filters for the site and the time reach the search and stay in the form', async () => {
    const { text } = await fixture.served.get('/?q=logs&site=docs.example.org&since=week', fresh());
    assert.deepEqual(searched[0]?.includeDomains, ['docs.example.org']);
    assert.equal(searched[0]?.publishedFrom, '2026-11-14');
    assert.match(text, /name="site" value="docs\.example\.org"/);
    assert.match(text, /<option value="week" selected>/);
  });

  test('filters that mean nothing are left out', async () => {
    await fixture.served.get('/?q=logs&site=%2F%2F&since=soon', fresh());
    assert.deepEqual([searched[0]?.includeDomains, searched[0]?.publishedFrom], [[], null]);
  });

  test('nothing and little found: what to try, and what is searched here', async () => {
    const none = await fixture.served.get('/?q=nothing&since=week', fresh());
    assert.match(none.text, /No page matches/);
    assert.match(none.text, /href="\/\?q=nothing">Search without the filters/);
    assert.match(none.text, /No source for the whole web is on/);
    const few = await fixture.served.get('/?q=few', fresh());
    assert.match(few.text, /Looking for more\?/);
  });

  test('similar pages and research', async () => {
    const similar = await fixture.served.get(`/?do=similar&url=${URL_READ}`, fresh());
    assert.match(similar.text, /4 pages/);
    const research = await fixture.served.get('/?do=research&q=who+and+when', fresh());
    assert.match(research.text, /It was built in 1889\./);
    assert.match(research.text, /href="https:\/\/example\.org\/a#:~:text=It%20was"/);
    assert.match(research.text, /Where sources agree[\s\S]*1889/);
    assert.match(research.text, /Its search found no page\./);
  });

  test('each counts as one request without a key, as for a program', async () => {
    const from = fresh();
    for (const [place, path] of [
      '/?q=logs',
      `/?do=similar&url=${URL_READ}`,
      `/read?url=${URL_READ}`,
    ].entries())
      assert.equal(
        (await fixture.served.get(path, from)).headers.get('x-credits-remaining'),
        String(24 - place),
        path,
      );
  });
});

describe('/read', () => {
  test('a page for reading: its title once, source, date, tokens saved, and a box to ask it', async () => {
    const { status, text } = await fixture.served.get(`/read?url=${URL_READ}`, fresh());
    assert.equal(status, 200);
    assert.equal(text.match(/<h[12][^>]*>Rotating logs</g)?.length, 1);
    assert.match(text, /<time datetime="2025-03-14">/);
    assert.match(text, /Tokens saved<\/dt><dd>91%/);
    assert.match(text, /<label for="q">Ask this page<\/label>/);
    assert.match(text, /data-copy="markdown"/);
    assert.match(text, /<h2>Why<\/h2>|<h3>Why<\/h3>/);
    assert.doesNotMatch(text, /<img(?! src="\/favicon)/);
  });

  test('a page that there was no time to reduce is shown whole, and says so', async () => {
    const { text } = await fixture.served.get('/read?url=https://hurried.example.org/&q=rotate', fresh());
    assert.match(text, /role="status">There was no time for choosing what is relevant\. Reload/);
    assert.doesNotMatch(text, /Only what is relevant/);
  });

  test('a page of which nothing was saved says how long it is, and nothing of savings', async () => {
    const { status, text } = await fixture.served.get('/read?url=https://short.example.org/', fresh());
    assert.equal(status, 200);
    assert.match(text, /<dt>Tokens<\/dt>/);
    assert.doesNotMatch(text, /Tokens saved/);
  });

  test('a page is shown in the direction of its language, else of its text', async () => {
    const directionOf = async (path: string): Promise<string | undefined> => {
      const { text } = await fixture.served.get(`/read?url=https://${path}.example.org/`, fresh());
      return /<div class="prose"([^>]*)>/.exec(text)?.[1];
    };
    assert.equal(await directionOf('lang-he'), ' dir="rtl" lang="he"');
    assert.equal(await directionOf('lang-de'), ' dir="ltr" lang="de"');
    assert.equal(await directionOf('lang-none'), ' dir="auto"');
  });

  test('with a question only what is relevant', async () => {
    const { text } = await fixture.served.get(`/read?url=${URL_READ}&q=how+large`, fresh());
    assert.match(text, /Only what is relevant to “how large”/);
    assert.match(text, /href="\/read\?url=https%3A%2F%2Fdocs\.example\.org%2Flogrotate">Read the whole page/);
  });

  test('without an address it asks for one, and counts nothing', async () => {
    const { text, headers } = await fixture.served.get('/read', fresh());
    assert.match(text, /<h1>Read a page<\/h1>/);
    assert.equal(headers.get('x-credits-remaining'), null);
  });

  test('a page that cannot be read, a bad address and used-up requests are pages', async () => {
    const gone = await fixture.served.get('/read?url=https://gone.example.org/', fresh());
    assert.equal(gone.status, 502);
    assert.match(gone.text, /The page answered 410\./);
    assert.match(gone.text, /value="https:\/\/gone\.example\.org\/"/);
    assert.equal((await fixture.served.get('/read?url=ftp://x.org/', fresh())).status, 400);
    const from = fresh();
    for (let times = 0; times < 25; times++) await fixture.served.get(`/read?url=${URL_READ}`, from);
    const { status, text, headers } = await fixture.served.get(`/read?url=${URL_READ}`, from);
    assert.deepEqual([status, headers.get('x-credits-remaining')], [402, '0']);
    assert.match(text, /<form method="post" action="\/free-key">/);
  });
});

/** A request with exactly these headers: `fetch` sets some of a browser's by itself. */
function opened(path: string, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(fixture.served.address + path, { headers }, (answer) => resolve(answer.resume()));
    asked.on('error', reject).end();
  });
}

describe('/r/{url} in a browser', () => {
  const behind = `/r/${URL_READ}?q=how+large&page=2`;

  test('leads a person to the page for reading, before anything is counted', async () => {
    const from = { 'x-forwarded-for': '203.0.113.250' };
    const { statusCode, headers } = await opened(behind, { ...PERSON, ...from });
    assert.equal(statusCode, 303);
    const to = new URL(headers.location ?? '', fixture.served.address);
    assert.equal(to.pathname, '/read');
    assert.deepEqual(Object.fromEntries(to.searchParams), { url: `${URL_READ}?page=2`, q: 'how large' });
    assert.equal(headers['x-credits-remaining'], undefined);
    const called = await fixture.served.get(`/r/${URL_READ}`, { ...from, accept: '*/*' });
    assert.equal(called.headers.get('x-credits-remaining'), '24');
  });

  test('a page as of an instant stays one', async () => {
    const { headers } = await opened(`/r/${URL_READ}?at=2026-11-01`, PERSON);
    const to = new URL(headers.location ?? '', fixture.served.address);
    assert.deepEqual(Object.fromEntries(to.searchParams), { url: URL_READ, at: '2026-11-01T23:59:59.999Z' });
  });

  test('leaves programs their Markdown, whatever they accept', async () => {
    for (const headers of [
      { accept: '*/*' },
      BROWSER,
      { ...PERSON, accept: '*/*' },
      { ...PERSON, 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors' },
      { ...PERSON, 'sec-fetch-dest': 'iframe' },
    ]) {
      const from = { 'x-forwarded-for': `203.0.112.${++network}` };
      const { statusCode, headers: got } = await opened(behind, { ...headers, ...from });
      assert.equal(statusCode, 200, JSON.stringify(headers));
      assert.equal(got['content-type'], 'text/markdown; charset=utf-8');
    }
  });
});

describe('POST /free-key', () => {
  const FORM = { ...BROWSER, 'content-type': 'application/x-www-form-urlencoded' };

  test('shows a key that works, once; then says so', async () => {
    const from = { ...FORM, 'x-forwarded-for': '198.51.100.7' };
    const { status, text, headers } = await fixture.served.post('/free-key', '', from);
    assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store']);
    const key = /<code id="key"[^>]*>(sdl_[\w-]{43})</.exec(text)?.[1] ?? '';
    const balance = await fixture.served.get('/v1/balance', { 'x-api-key': key });
    assert.equal(balance.json.credits, 2_500);
    const again = await fixture.served.post('/free-key', '', from);
    assert.equal(again.status, 409);
    assert.match(again.text, /Your network has its free key/);
    assert.doesNotMatch(again.text, /sdl_/);
  });

  test('pages of other sites may not claim it', async () => {
    const from = { ...FORM, 'x-forwarded-for': '192.0.2.8', 'sec-fetch-site': 'cross-site' };
    assert.equal((await fixture.served.post('/free-key', '', from)).status, 403);
    const { status } = await fixture.served.post('/free-key', '', {
      ...FORM,
      'x-forwarded-for': '192.0.2.8',
    });
    assert.equal(status, 200);
  });
});

describe('a server that counts nothing', () => {
  test('has no word of money on the start page, in results and on pages for reading', async () => {
    const open = await openSiteFixture({ ...SITE_ANSWERS, terms: null, meter: NO_METER });
    after(() => open.close());
    for (const path of [
      '/',
      '/?q=logs',
      '/?q=nothing',
      '/?do=research&q=who',
      '/read',
      `/read?url=${URL_READ}`,
    ]) {
      const { text } = await open.served.get(path, BROWSER);
      const shown = text.replace(/<script[\s\S]*?<\/script>/g, '');
      assert.doesNotMatch(shown, /\bcredits?\b|\bpric(?:e|ing)\b|\bpay|\bfree\b|\bkey\b|\bbuy\b/i, path);
    }
  });
});
