import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { waitFor } from '../../fixtures/wait-for.ts';
import { asked, PAGE, scrape, served, serveScrapes, site } from './scrape-fixture.ts';

serveScrapes();

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
      formats: ['markdown', 'screenshot'],
      waitFor: 500,
      mobile: true,
      proxy: 'stealth',
      blockAds: true,
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
  const { data: ofVersion1 } = (await served.get('/firecrawl/v1/team/credit-usage', key)).json;
  assert.equal(ofVersion1.remaining_credits, 7);
  const { data: tokens } = (await served.get('/v2/team/token-usage', key)).json;
  assert.deepEqual([tokens.remainingTokens, tokens.planTokens], [0, 0]);
  assert.equal((await served.get('/firecrawl/v1/team/token-usage', key)).json.data.remaining_tokens, 0);
  const slow = new AbortController();
  const running = fetch(`${served.address}/v2/scrape`, {
    method: 'POST',
    headers: key,
    body: JSON.stringify({ url: `${site.origin}/slow` }),
    signal: slow.signal,
  }).catch(() => null);
  const check = async () => (await served.get('/firecrawl/v2/concurrency-check', key)).json;
  const busy = await waitFor(async () => {
    const answer = await check();
    return answer.concurrency === 1 && answer;
  });
  assert.deepEqual(busy, { success: true, concurrency: 1, maxConcurrency: 64 });
  slow.abort();
  await running;
  await waitFor(async () => (await check()).concurrency === 0);
  assert.equal((await served.get('/v2/team/credit-usage')).status, 401);
});
