import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import { type FakeWeb, type Route, startWeb } from '../../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../../harness.ts';

/** A page with links; every page says something of its own. */
const page = (title: string, links: string[], text = `All there is to say about ${title}.`): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}
  It is written in a sentence that is long enough to be a paragraph of the page, and in no other.</p>
  <ul>${links.map((href) => `<li><a href="${href}">go</a></li>`).join('')}</ul></main></body></html>`;

const never: Route = () => {};
const redirect =
  (location: string): Route =>
  (_, response) =>
    response.writeHead(302, { location }).end();

let other: FakeWeb;
let site: FakeWeb;
let app: RealServed;
let owner: Awaited<ReturnType<RealServed['owner']>>;
before(async () => {
  other = await startWeb({
    address: '127.10.0.5',
    routes: { '/': page('Elsewhere', ['/more']), '/more': page('More', []) },
  });
  const godwits =
    'The bar-tailed godwit flies from Alaska to New Zealand without a rest, which no other bird does.';
  site = await startWeb({
    address: '127.10.0.4',
    routes: {
      '/robots.txt': 'User-agent: *\nDisallow: /secret/\n',
      '/sitemap.xml': (_, response) =>
        response
          .setHeader('content-type', 'application/xml')
          .end(`<urlset><url><loc>${site.origin}/listed</loc></url></urlset>`),
      '/': page('Home', ['/docs/', '/blog/1', '/blog/1#part', '/secret/plan', '/out', `${other.origin}/`]),
      '/docs/index.html': page('Docs', ['/docs/', '/docs/a']).replace(
        '<head>',
        '<head><link rel="canonical" href="/docs/">',
      ),
      '/docs/': page('Docs', ['/docs/a', '/docs/b', '/docs/old/c']),
      '/docs/a': page('Alpha', ['/docs/b']),
      '/docs/b': page('Beta', ['/docs/a', '/docs/deep/d'], godwits),
      '/docs/old/c': page('Gamma', []),
      '/docs/deep/d': page('Delta', []),
      '/blog/1': page('Blog', ['/docs/a']),
      '/listed': page('Listed', []),
      '/unread/': page('Unread', ['/unread/1', '/unread/2']),
      '/unread/1': page('Unread one', []),
      '/secret/plan': page('Secret', []),
      '/out': redirect(`${other.origin}/more`),
      '/into-secret': redirect('/secret/plan'),
      '/detour': page('Detour', ['/into-secret', '/docs/a']),
      '/slow': page('Slow', ['/slow/1', '/slow/2', '/docs/a']),
      '/slow/1': never,
      '/slow/2': never,
      '/gone': (_, response) => response.writeHead(404).end('gone'),
    },
  });
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
  owner = await app.owner();
});
after(async () => {
  assert.deepEqual(await createAudit(app.billing)(), []);
  await app.close();
  await site.close();
  await other.close();
});

const paths = ({ json }: Answered): string[] =>
  json.results.map((result: string | { url: string }) =>
    (typeof result === 'string' ? result : result.url).replace(site.origin, ''),
  );

async function crawl(path: string, fields: object = {}): Promise<Answered> {
  const answer = await owner.post('/shapeB/crawl', { url: site.origin + path, ...fields });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

async function map(path: string, fields: object = {}): Promise<Answered> {
  const answer = await owner.post('/shapeB/map', { url: site.origin + path, ...fields });
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
      ...{ limit: '2', max_depth: '1', max_breadth: 10_000, extract_depth: 'advanced', categories: ['Docs'] },
      ...{
        chunks_per_source: 3,
        client_source: 'x',
        select_domains: null,
        exclude_paths: [],
        timeout: '150',
      },
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
    await app.services.background.drain();
    const kept = await waitFor(() => app.services.index.get(`${site.origin}/docs/old/c`));
    assert.equal(kept.title, 'Gamma');
  });
});

/** Indexing goes on behind the answer. */
async function waitFor<T>(look: () => Promise<T | null>): Promise<T> {
  const until = performance.now() + 60_000;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    assert.ok(performance.now() < until, 'it did not come about');
  }
}

describe('POST /shapeB/map', () => {
  test('has absolute addresses, each once: the start, the sitemap, then links', async () => {
    const answer = await map('/', { include_usage: true });
    assert.deepEqual(paths(answer), ['/', '/listed', '/docs/', '/blog/1', '/out', `${other.origin}/`]);
    assert.deepEqual([answer.json.base_url, answer.json.usage], [`${site.origin}/`, { credits: 1 }]);
  });
  test('reads deeper pages when asked, and no more addresses than asked', async () => {
    assert.ok(paths(await map('/', { max_depth: 3 })).includes('/docs/deep/d'));
    assert.equal(paths(await map('/', { max_depth: 3, limit: 3 })).length, 3);
  });
  test('reads no more pages than the limit needs', async () => {
    await map('/unread/', { max_depth: 5, limit: 2 });
    assert.equal(site.hits('/unread/1'), 0);
    await map('/unread/', { max_depth: 5 });
    assert.equal(site.hits('/unread/1'), 1);
  });
  test('obeys patterns and robots.txt', async () => {
    assert.deepEqual(paths(await map('/', { select_paths: ['^/docs/$'] })), ['/docs/']);
    assert.ok(!paths(await map('/', { max_depth: 3 })).includes('/secret/plan'));
  });
  test('with instructions has the addresses that fit', async () => {
    assert.deepEqual(paths(await map('/', { instructions: 'the blog' })), ['/blog/1']);
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
