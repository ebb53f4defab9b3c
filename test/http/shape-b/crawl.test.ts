import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { waitFor } from '../../fixtures/wait-for.ts';
import type { Answered } from '../../harness.ts';
import { app, other, owner, paths, serveCrawls, site } from './crawl-fixture.ts';

serveCrawls();

async function crawl(path: string, fields: object = {}): Promise<Answered> {
  const answer = await owner.post('/shapeB/crawl', { url: site.origin + path, ...fields });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

describe('POST /shapeB/crawl', () => {
  test('answers with pages as Markdown in the words of the shape', async () => {
    const { json, headers } = await crawl('/docs/', {
      include_usage: true,
      include_images: true,
      include_favicon: true,
    });
    assert.equal(json.base_url, `${site.origin}/docs/`);
    assert.match(json.request_id, /./);
    assert.equal(typeof json.response_time, 'number');
    assert.deepEqual(json.usage, { credits: json.results.length });
    assert.ok(Number(headers.get('x-credits-remaining')) > 0);
    const [first] = json.results;
    assert.deepEqual(Object.keys(first), ['url', 'raw_content', 'images', 'favicon']);
    assert.match(first.raw_content, /^# Docs\n/);
    assert.deepEqual([first.images, first.favicon], [[], `${site.origin}/favicon.ico`]);
  });

  test('goes no deeper than asked, and one link deep by itself', async () => {
    const external = { allow_external: false };
    const one = ['/docs/', '/docs/a', '/docs/b', '/docs/old/c', '/listed'];
    assert.deepEqual(paths(await crawl('/docs/', external)).toSorted(), one);
    assert.deepEqual(
      paths(await crawl('/docs/', { ...external, max_depth: 2 })).toSorted(),
      [...one, '/docs/deep/d'].toSorted(),
    );
  });

  test('has a page once, under the address that it names', async () => {
    const answer = await crawl('/docs/index.html', { select_paths: ['^/docs/'] });
    assert.deepEqual(paths(answer).toSorted(), ['/docs/', '/docs/a']);
  });

  test('follows no more links of a page than asked', async () => {
    const answer = await crawl('/docs/', { max_breadth: 1, allow_external: false });
    assert.deepEqual(paths(answer).toSorted(), ['/docs/', '/docs/a', '/listed']);
  });

  test('has no more pages than asked, all of them selected', async () => {
    const wanted = { max_depth: 2, limit: 3, select_paths: ['/docs/.*'] };
    const answer = await crawl('/', wanted);
    assert.equal(paths(answer).length, 3);
    for (const path of paths(answer)) assert.match(path, /^\/docs\//);
  });

  test('excludes what matches, and what the two together leave is the answer', async () => {
    const patterns = { select_paths: '^/docs/', exclude_paths: ['/old/', 'deep'], max_depth: 3 };
    assert.deepEqual(paths(await crawl('/', patterns)).toSorted(), ['/docs/', '/docs/a', '/docs/b']);
  });

  test('finds selected pages behind pages that are not', async () => {
    const answer = await crawl('/', { select_paths: ['^/docs/deep/'], max_depth: 3 });
    assert.deepEqual(paths(answer), ['/docs/deep/d']);
  });

  test('names pages of other sites, whose links it does not follow, and none when told so', async () => {
    const wide = { max_depth: 3 };
    const outside = (answer: Answered): string[] => paths(answer).filter((url) => url.startsWith('http'));
    assert.deepEqual(outside(await crawl('/', wide)), [`${other.origin}/`]);
    assert.deepEqual(outside(await crawl('/', { ...wide, allow_external: false })), []);
    assert.deepEqual(outside(await crawl('/', { ...wide, exclude_domains: ['^127\\.10\\.0\\.5$'] })), []);
  });

  test('obeys robots.txt, where a redirect leads as well, and has no page that a redirect shows elsewhere', async () => {
    const before = site.hits('/secret/plan');
    const found = paths(await crawl('/', { max_depth: 3 }));
    assert.ok(!found.some((path) => /secret|out/.test(path)), String(found));
    assert.equal(site.hits('/secret/plan'), before);
    assert.ok(!paths(await crawl('/detour')).some((path) => /secret/.test(path)));
  });

  test('with instructions has the pages that fit, the best first, as passages', async () => {
    const instructions = 'Find all pages about the migration of the bar-tailed godwit to New Zealand';
    const { json } = await crawl('/docs/', { instructions, chunks_per_source: 1 });
    assert.equal(json.results[0].url, `${site.origin}/docs/b`);
    assert.match(json.results[0].raw_content, /flies from Alaska/);
    assert.ok(json.results.length < 4, JSON.stringify(json.results));
  });

  test('as plain text when asked', async () => {
    const { json } = await crawl('/docs/', { format: 'text', limit: 1 });
    assert.match(json.results[0].raw_content, /^Docs\n/);
  });

  test('takes what clients of the shape send beside, numbers as texts and nothing as null', async () => {
    const sent = {
      limit: '2',
      max_depth: '1',
      max_breadth: 10_000,
      extract_depth: 'advanced',
      categories: ['Docs'],
      chunks_per_source: 3,
      client_source: 'x',
      select_domains: null,
      exclude_paths: [],
      timeout: '150',
    };
    assert.equal(paths(await crawl('/docs/', sent)).length, 2);
  });

  test('an address without a scheme will do', async () => {
    const url = site.origin.replace('http://', '');
    const answer = await owner.post('/shapeB/crawl', { url, limit: 1 });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual([answer.json.base_url, paths(answer)], [url, ['/']]);
  });

  test('answers in time with what there is', async () => {
    const answer = await crawl('/slow', { timeout: 3, allow_external: false });
    assert.deepEqual(paths(answer).toSorted(), ['/docs/a', '/listed', '/slow']);
  });

  test('puts the pages into the index', async () => {
    await crawl('/docs/old/c', { limit: 1 });
    await app.billing.background.drain();
    const url = `${site.origin}/docs/old/c`;
    const kept = await waitFor(() => app.services.index.get(url));
    assert.equal(kept.title, 'Gamma');
  });
});

describe('what costs what', () => {
  const keyWith = async (credits: number) => {
    const { apiKey, keyId } = await app.billing.keys.create({ credits, label: null });
    return { headers: { authorization: `Bearer ${apiKey}` }, keyId };
  };

  test('a crawl takes a credit for each page and no more pages than there are credits', async () => {
    const { headers, keyId } = await keyWith(3);
    const answer = await app.post('/shapeB/crawl', { url: `${site.origin}/docs/` }, headers);
    assert.deepEqual(
      [answer.status, paths(answer).length, answer.headers.get('x-credits-remaining')],
      [200, 3, '0'],
    );
    assert.equal(await app.billing.ledger.available(keyId), 0);
  });
  test('a crawl gives back what it did not use', async () => {
    const { headers } = await keyWith(100);
    const answer = await app.post(
      '/shapeB/crawl',
      { url: `${site.origin}/docs/old/c`, allow_external: false },
      headers,
    );
    assert.equal(answer.headers.get('x-credits-remaining'), String(100 - paths(answer).length));
  });
  test('a map takes one', async () => {
    const { headers } = await keyWith(3);
    const answer = await app.post('/shapeB/map', { url: site.origin }, headers);
    assert.equal(answer.headers.get('x-credits-remaining'), '2');
  });
  test('without credits the answer is 432 with the link to buy', async () => {
    const { headers } = await keyWith(0);
    for (const path of ['/shapeB/crawl', '/shapeB/map']) {
      const { status, json } = await app.post(path, { url: site.origin }, headers);
      assert.equal(status, 432);
      assert.match(json.detail.error, /^insufficient_credits: .*\/buy\//);
    }
  });
  test('the word keyless is a key: one request of the allowance, few pages', async () => {
    const headers = { authorization: 'Bearer keyless' };
    const crawled = await app.post('/shapeB/crawl', { url: site.origin, limit: 50, max_depth: 3 }, headers);
    const mapped = await app.post('/shapeB/map', { url: site.origin, max_depth: 5 }, headers);
    assert.deepEqual([crawled.status, mapped.status], [200, 200]);
    assert.ok(paths(crawled).length <= 10 && paths(mapped).length <= 10);
    const left = (answer: Answered): number => Number(answer.headers.get('x-credits-remaining'));
    assert.equal(left(crawled) - left(mapped), 1);
  });
  test('a start page that does not load costs nothing', async () => {
    const { headers, keyId } = await keyWith(5);
    const answer = await app.post('/shapeB/crawl', { url: `${site.origin}/gone` }, headers);
    assert.deepEqual([answer.status, await app.billing.ledger.available(keyId)], [502, 5]);
  });
});

describe('what is refused', () => {
  for (const path of ['/shapeB/crawl', '/shapeB/map']) {
    const refused = async (fields: object): Promise<[number, string]> => {
      const { status, json } = await owner.post(path, fields);
      return [status, json.detail.error];
    };
    test(`${path}: a start page that cannot be had`, async () => {
      assert.deepEqual(await refused({ url: `${site.origin}/gone` }), [502, 'fetch_failed']);
      assert.deepEqual(await refused({ url: `${site.origin}/secret/plan` }), [502, 'fetch_failed']);
    });
    test(`${path}: an address that is not public, however it is reached`, async () => {
      for (const url of [
        'http://127.0.0.1/',
        'ftp://example.org/',
        'localhost',
        'http://user:pass@example.org/',
      ])
        assert.deepEqual(await refused({ url }), [400, 'url_not_allowed'], url);
    });
    test(`${path}: a pattern that is none, by name`, async () => {
      const [status, text] = await refused({ url: site.origin, select_paths: ['/ok', '('] });
      assert.equal(status, 422);
      assert.match(text, /^validation_error: select_paths: the regular expression "\(" cannot be read/);
      const many = await refused({
        url: site.origin,
        exclude_domains: Array.from({ length: 21 }, () => 'a'),
      });
      assert.deepEqual(many, [422, 'validation_error: exclude_domains: must have at most 20 entries']);
    });
    test(`${path}: fields that are missing or too long`, async () => {
      assert.match((await refused({}))[1], /^validation_error: url: is required$/);
      assert.match(
        (await refused({ url: site.origin, instructions: 'x'.repeat(2_001) }))[1],
        /^validation_error: instructions: /,
      );
    });
  }
});
