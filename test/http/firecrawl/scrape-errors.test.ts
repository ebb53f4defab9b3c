import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { post, scrape, served, serveScrapes, site } from './scrape-fixture.ts';

serveScrapes();

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
        'formats: json needs a schema whose properties have a CSS "selector" (and an "attribute", if not the text); without selectors it takes a model (MODEL_URL)',
      ],
      [
        {
          formats: [
            { type: 'json', schema: { properties: { a: { selector: 'b' }, other_one: { type: 'string' } } } },
          ],
        },
        'formats: schema.other_one needs a selector: a schema has them throughout, or nowhere, for a model (MODEL_URL)',
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
    assert.match((await served.get('/v2/team/credit-usage/historical')).json.error, /\/shapeB\/usage/);
  });

  test('the same for other services, each in its own format', async () => {
    for (const path of [
      '/research/v1',
      '/agent/runs',
      '/shapeA/agent/runs',
      '/monitors',
      '/websets/v0/websets',
    ]) {
      const { status, json } = await post(path, { instructions: 'x' });
      assert.deepEqual([status, json.error], [404, 'not_found'], path);
      assert.match(json.message, /^This operation is not offered\. .*POST \/v1\//);
    }
    for (const path of ['/research/v1', '/research/v1/some-id', '/agent/runs/some-id'])
      assert.match((await served.get(path)).json.message, /not offered/);
    const { status, json } = await post('/linkup/v1/research', { q: 'x' });
    assert.deepEqual([status, json.error.code], [404, 'NOT_FOUND']);
    assert.match(json.error.message, /not offered\. .*\/v1\/research/);
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
