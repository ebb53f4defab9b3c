import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { drawn, pdfOfPages } from '../../fixtures/pdf.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../../harness.ts';

const TEXT =
  'The sanderling runs along the edge of the surf and picks small animals out of the wet sand. '.repeat(6);
const PAGE = `<!doctype html><html lang="en"><head><title>Sanderling</title>
<script type="application/ld+json">{"@type":"Article","datePublished":"2024-05-02","dateModified":"2024-06-09"}</script>
<meta property="og:title" content="Sanderling"><meta property="og:image" content="https://birds.example/a.jpg">
<meta name="description" content="A wader"><meta name="keywords" content="bird, wader"><meta name="viewport" content="x"></head>
<body><nav><a href="/home">Home</a></nav><main><h1>Sanderling</h1><p class="lead">${TEXT}</p>
<p>${TEXT} <img src="/bird.jpg" alt="A bird"> ${TEXT} See <a href="/dunlin">the dunlin</a>.</p></main><footer>Imprint</footer></body></html>`;

const asked: IncomingHttpHeaders[] = [];
let site: FakeWeb;
let served: RealServed;
let post: RealServed['post'];

before(async () => {
  site = await startWeb({
    address: '127.10.0.1',
    routes: {
      '/page': (request, response) => {
        asked.push(request.headers);
        response.setHeader('content-type', 'text/html').end(PAGE);
      },
      '/paper.pdf': (_request, response) =>
        void response
          .setHeader('content-type', 'application/pdf')
          .end(pdfOfPages([drawn([{ x: 50, y: 700, text: 'The dunlin feeds on muddy shores in winter.' }])])),
      '/slow': () => {},
      '/gone': (_request, response) => void response.writeHead(404).end('no'),
    },
  });
  served = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
  post = (await served.owner()).post;
});
after(async () => {
  await served.close();
  await site.close();
});

const scrape = (body: object, path = '/v2/scrape'): Promise<Answered> =>
  post(path, { url: `${site.origin}/page`, ...body });

describe('200', () => {
  test('Markdown of the main content, and the metadata of the page', async () => {
    const { status, json, headers } = await scrape({ origin: 'js-sdk@4', maxAge: 0 });
    assert.deepEqual([status, json.success, Object.keys(json.data)], [200, true, ['markdown', 'metadata']]);
    assert.match(json.data.markdown, /^# Sanderling\n\nThe sanderling/);
    assert.doesNotMatch(json.data.markdown, /Imprint|Home/);
    const { scrapeId, ...metadata } = json.data.metadata;
    assert.equal(scrapeId, headers.get('x-request-id'));
    assert.deepEqual(metadata, {
      'og:title': 'Sanderling',
      ogTitle: 'Sanderling',
      'og:image': 'https://birds.example/a.jpg',
      ogImage: 'https://birds.example/a.jpg',
      description: 'A wader',
      keywords: 'bird, wader',
      title: 'Sanderling',
      url: `${site.origin}/page`,
      sourceURL: `${site.origin}/page`,
      language: 'en',
      publishedTime: '2024-05-02',
      modifiedTime: '2024-06-09',
      statusCode: 200,
      cacheState: 'miss',
    });
    assert.equal(headers.get('x-ignored-parameters'), null);
  });

  test('every format that was asked for, from one fetch', async () => {
    const { data } = (
      await scrape({
        formats: [
          ...['markdown', 'html', 'rawHtml', { type: 'links' }, 'images'],
          { type: 'attributes', selectors: [{ selector: 'a[href]', attribute: 'href' }] },
        ],
      })
    ).json;
    assert.match(data.html, /^<main><h1>Sanderling<\/h1>/);
    assert.equal(data.rawHtml, PAGE);
    assert.deepEqual(data.links, [`${site.origin}/dunlin`]);
    assert.deepEqual(data.images, [`${site.origin}/bird.jpg`]);
    assert.deepEqual(data.attributes, [
      { selector: 'a[href]', attribute: 'href', values: ['/home', '/dunlin'] },
    ]);
  });

  test('a PDF, which has no elements to choose', async () => {
    const url = `${site.origin}/paper.pdf`;
    const { json, headers } = await scrape({ url, formats: ['markdown', 'html'], parsers: ['pdf'] });
    assert.match(json.data.markdown, /The dunlin feeds on muddy shores/);
    assert.match(json.data.html, /^<pre>The dunlin/);
    assert.equal(headers.get('x-ignored-parameters'), null);
    const part = await scrape({ url, includeTags: ['h1'], parsers: [{ type: 'pdf', maxPages: 1 }] });
    assert.deepEqual([part.status, part.json.code], [500, 'fetch_failed']);
    const capped = await scrape({ url, parsers: [{ type: 'pdf', maxPages: 1 }] });
    assert.equal(capped.headers.get('x-ignored-parameters'), 'parsers');
  });

  test('a summary and highlights are words of the page', async () => {
    const { data } = (await scrape({ formats: ['summary', { type: 'highlights', query: 'wet sand' }] })).json;
    assert.match(data.summary, /The sanderling runs along the edge of the surf/);
    assert.match(data.highlights, /wet sand/);
    assert.equal(data.markdown, undefined);
  });

  test('JSON by a schema with selectors, whose names stay as they are', async () => {
    const schema = {
      type: 'object',
      required: ['page_title'],
      properties: {
        page_title: { type: 'string', selector: 'h1' },
        links: { type: 'array', selector: 'a', items: { type: ['string', 'null'], attribute: 'href' } },
      },
    };
    const { status, json } = await scrape({ formats: [{ type: 'json', schema }] });
    assert.equal(status, 200);
    assert.deepEqual(json.data.json, {
      page_title: 'Sanderling',
      links: [`${site.origin}/home`, `${site.origin}/dunlin`],
    });
  });

  test('the whole page, its tags, and without tags', async () => {
    const whole = await scrape({ onlyMainContent: false, formats: ['markdown', 'links'] });
    assert.match(whole.json.data.markdown, /Home[\s\S]*Imprint/);
    assert.deepEqual(whole.json.data.links, [`${site.origin}/home`, `${site.origin}/dunlin`]);
    assert.equal(
      (await scrape({ includeTags: ['h1', 'footer'] })).json.data.markdown,
      '# Sanderling\n\nImprint',
    );
    const less = await scrape({ excludeTags: ['.lead', '*nothing*'] });
    assert.match(less.json.data.markdown, /^# Sanderling\n\nThe sanderling[^\n]*the dunlin\]\([^\n]*\)\.$/);
  });

  test('the same at /firecrawl/v2, /firecrawl/v1 and with doubled slashes', async () => {
    for (const path of [
      '/firecrawl/v2/scrape',
      '/firecrawl/v1/scrape',
      '//v2//scrape',
      '/firecrawl//v1/scrape',
    ])
      assert.match((await scrape({}, path)).json.data.markdown, /sanderling/);
  });

  test('a kept copy, with its age', async () => {
    await scrape({ maxAge: 0 });
    const fetches = site.hits('/page');
    const { json, headers } = await scrape({ maxAge: 60_000 });
    assert.deepEqual([json.data.metadata.cacheState, headers.get('x-cache')], ['hit', 'hit']);
    assert.ok(Date.parse(json.data.metadata.cachedAt) > 0);
    assert.equal(json.data.metadata.ogTitle, 'Sanderling');
    assert.equal((await scrape({ lockdown: true })).status, 200);
    assert.equal(site.hits('/page'), fetches);
  });

  test("the caller's headers and languages are sent, but no user agent and no framing", async () => {
    const headers = { Cookie: 'a=b', 'X-Own': 'mine', 'User-Agent': 'Chrome', Host: 'elsewhere' };
    const answer = await scrape({ headers, location: { country: 'DE', languages: ['de-DE', 'de'] } });
    assert.equal(answer.status, 200);
    const sent = asked.at(-1);
    assert.deepEqual(
      [sent?.cookie, sent?.['x-own'], sent?.['accept-language'], sent?.host],
      ['a=b', 'mine', 'de-DE, de', new URL(site.origin).host],
    );
    assert.match(sent?.['user-agent'] ?? '', /Sanderling/);
    assert.equal(
      answer.headers.get('x-ignored-parameters'),
      'location.country, headers.User-Agent, headers.Host',
    );
  });

  test('what has no effect is named: waiting, mobile, and formats that need a browser', async () => {
    const { json, headers } = await scrape({
      ...{
        formats: ['markdown', 'screenshot'],
        waitFor: 500,
        mobile: true,
        proxy: 'stealth',
        blockAds: true,
      },
    });
    assert.equal(headers.get('x-ignored-parameters'), 'waitFor, mobile, proxy, formats.screenshot');
    assert.equal(json.data.warning, 'screenshot needs a browser, which this service does not have');
    assert.match(json.data.markdown, /sanderling/);
  });
});

describe('nothing is kept', () => {
  test('with storeInCache false', async () => {
    const url = `${site.origin}/page?unkept`;
    const first = await scrape({ url, storeInCache: false });
    const second = await scrape({ url, storeInCache: false });
    assert.deepEqual(
      [first, second].map(({ json }) => json.data.metadata.cacheState),
      ['miss', 'miss'],
    );
  });
});

test('a key can ask for its credits and its running calls', async () => {
  const { apiKey } = await served.billing.keys.create({ credits: 7, label: null });
  const key = { authorization: `Bearer ${apiKey}` };
  const credits = await served.get('/v2/team/credit-usage', key);
  assert.deepEqual(credits.json, {
    success: true,
    data: { remainingCredits: 7, planCredits: 0, billingPeriodStart: null, billingPeriodEnd: null },
  });
  const slow = new AbortController();
  const running = fetch(`${served.address}/v2/scrape`, {
    method: 'POST',
    headers: key,
    body: JSON.stringify({ url: `${site.origin}/slow` }),
    signal: slow.signal,
  }).catch(() => null);
  const check = async () => (await served.get('/firecrawl/v2/concurrency-check', key)).json;
  const busy = await until(check, ({ concurrency }) => concurrency === 1);
  assert.deepEqual(busy, { success: true, concurrency: 1, maxConcurrency: 64 });
  slow.abort();
  await running;
  await until(check, ({ concurrency }) => concurrency === 0);
  assert.equal((await served.get('/v2/team/credit-usage')).status, 401);
});

/** Repeats a question until its answer is the wanted one, within a bound. */
async function until<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  for (let turn = 0; turn < 500; turn += 1) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
  }
  return assert.fail('the answer did not come');
}

describe('errors', () => {
  const fails = async (body: object): Promise<[number, string, string]> => {
    const { status, json } = await scrape(body);
    assert.equal(json.success, false);
    return [status, json.code, json.error];
  };

  test('422: a format, a selector or an option that cannot be read', async () => {
    for (const [body, error] of [
      [{ url: undefined }, 'url: is required'],
      [{ formats: ['pdf'] }, 'formats: must hold formats; "pdf" is none'],
      [{ formats: ['screenshot'] }, 'formats: screenshot needs a browser, which this service does not have'],
      [{ formats: 'markdown' }, 'formats: must be an array of at most 20 formats'],
      [{ includeTags: ['p['] }, 'includeTags: the selector "p[" is not a valid CSS selector'],
      [{ exclude_tags: 'nav' }, 'exclude_tags: must be an array of at most 50 CSS selectors'],
      [{ headers: { 'a b': 'c' } }, 'headers: must hold valid header names'],
      [{ actions: [{ type: 'wait' }] }, 'actions: are not offered: pages are only read'],
      [{ formats: [{ type: 'highlights' }] }, 'formats: highlights must have a query'],
      [
        { formats: [{ type: 'json', prompt: 'all birds' }] },
        'formats: json needs a schema whose properties have a CSS "selector" (and an "attribute", if not the text), because this service has no model',
      ],
      [
        {
          formats: [
            { type: 'json', schema: { properties: { a: { selector: 'b' }, other_one: { type: 'string' } } } },
          ],
        },
        'formats: schema.other_one needs a selector, because this service has no model',
      ],
      [
        { formats: [{ type: 'json', schema: { properties: { a: { selector: 'b[' } } } }] },
        'formats: the selector "b[" is not a valid CSS selector',
      ],
      [{ timeout: 0 }, 'timeout: must be above 0'],
    ] as const)
      assert.deepEqual(await fails(body), [422, 'validation_error', error]);
  });

  test('400 for an address that is not public, before anything is fetched', async () => {
    assert.deepEqual((await fails({ url: 'http://localhost/' })).slice(0, 2), [400, 'url_not_allowed']);
  });

  test('500 for a page that cannot be read, 408 for one that is too slow', async () => {
    assert.deepEqual(await fails({ url: `${site.origin}/gone` }), [
      500,
      'fetch_failed',
      'the page answered with status 404',
    ]);
    const slow = await fails({ url: `${site.origin}/slow`, timeout: 200 });
    assert.deepEqual(slow.slice(0, 2), [408, 'fetch_failed']);
    assert.deepEqual((await fails({ includeTags: ['.none'] })).slice(0, 2), [500, 'fetch_failed']);
  });

  test('404 for what is not offered, and what to use instead', async () => {
    for (const path of [
      '/v2/extract',
      '/v2/agent',
      '/v2/browser',
      '/v2/scrape/5/interact',
      '/firecrawl/v1/extract',
    ]) {
      const { status, json } = await post(path, { urls: ['x'] });
      assert.deepEqual([status, json.success, json.code], [404, false, 'not_found']);
      assert.match(json.error, /^This operation is not offered\. It takes a .*\/v2\/scrape/);
    }
    assert.match((await served.get('/v2/extract/some-job')).json.error, /not offered/);
  });

  test('404 and 405 in this format', async () => {
    const missing = await post('/v2/nothing', {});
    assert.deepEqual([missing.status, missing.json.success, missing.json.code], [404, false, 'not_found']);
    assert.equal((await served.get('/v2/scrape')).json.code, 'method_not_allowed');
  });

  test('402 with the link in the text, and nothing is charged for a page that fails', async () => {
    const { apiKey } = await served.billing.keys.create({ credits: 1, label: null });
    const key = { authorization: `Bearer ${apiKey}` };
    const send = (path: string) => served.post('/v2/scrape', { url: `${site.origin}${path}` }, key);
    assert.equal((await send('/gone')).status, 500);
    const paid = await send('/page');
    assert.deepEqual([paid.status, paid.headers.get('x-credits-remaining')], [200, '0']);
    const unpaid = await send('/page');
    assert.deepEqual([unpaid.status, unpaid.json.code], [402, 'insufficient_credits']);
    assert.match(unpaid.json.error, /http:\S+\/buy\/instant/);
  });
});
