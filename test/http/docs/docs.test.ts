import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { OPERATIONS } from '../../../src/http/openapi/operations.ts';
import { type Served, searchAnswer, serveScripted } from '../../harness.ts';
import { siteWith } from '../../unscripted.ts';

const BROWSER = { accept: 'text/html' };
const CREDITS = /credit|keyless|\bpric(?:e|ing)\b|billing|auto.?reload|\bpay(?:ments?)?\b|api.?key|\busd\b/i;
const METERED = { keylessPerDay: 25, freeKeys: true, sells: true };

let served: Served;
let unmetered: Served;
before(async () => {
  served = await serveScripted();
  unmetered = await serveScripted({ terms: null });
});
after(async () => {
  await served.close();
  await unmetered.close();
});

const textOf = async (path: string, from = served): Promise<string> => {
  const { status, text } = await from.get(path, BROWSER);
  assert.equal(status, 200, path);
  return text;
};
/** What a reader sees, without the scripts of the page. */
const seenIn = (text: string): string => text.replaceAll(/<script type="module">.*?<\/script>/gs, '');
const linksIn = (text: string): string[] =>
  [...text.matchAll(/href="(\/[^"#]*)/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));

describe('GET /docs', () => {
  test('links to a page for every operation and to every guide', async () => {
    const text = await textOf('/docs');
    for (const { id } of Object.values(OPERATIONS)) assert.ok(text.includes(`href="/docs/api/${id}"`), id);
    for (const file of readdirSync('docs/guides'))
      assert.ok(text.includes(`href="/docs/guides/${file.replace('.md', '')}"`), file);
  });

  test('no page is larger than 60 KB, and no link in the documentation is broken', async () => {
    const seen = new Set(['/docs']);
    for (const path of seen) {
      const text = await textOf(path);
      assert.ok(text.length < 60 * 1_024, `${path}: ${text.length}`);
      assert.doesNotMatch(
        seenIn(text).replaceAll(/<pre.*?<\/pre>/gs, ''),
        /undefined|\[object|<!--|&lt;!--|\]\(/,
        path,
      );
      for (const href of linksIn(text)) if (href.startsWith('/docs')) seen.add(href);
    }
    assert.ok(seen.size > Object.keys(OPERATIONS).length + readdirSync('docs/guides').length);
  });

  test('nothing about credits where nothing is metered', async () => {
    const seen = new Set(['/docs']);
    for (const path of seen) {
      const text = await textOf(path, unmetered);
      // Names within the code of other services' libraries stay.
      assert.doesNotMatch(seenIn(text).replaceAll(/<code.*?<\/code>/gs, ''), CREDITS, path);
      for (const href of linksIn(text)) if (href.startsWith('/docs')) seen.add(href);
    }
    assert.ok(!seen.has('/docs/guides/sell-credits'));
    assert.ok(seen.has('/docs/guides/limits'));
  });
});

describe('GET /docs?q=', () => {
  const found = async (query: string): Promise<string[]> => {
    const text = await textOf(`/docs?q=${encodeURIComponent(query)}`);
    const [, list = ''] = text.split('<ul class="docs-found">');
    return linksIn(list.split('</ul>')[0] ?? '');
  };
  const cases: [query: string, href: string][] = [
    ['max_results', '/docs/api/shapeBSearch'],
    ['numResults', '/docs/api/search'],
    ['num_results', '/docs/api/search'],
    ['/v1/verify', '/docs/api/verify'],
    ['X-Target-Selector', '/docs/api/read'],
    ['no_payment_method', '/docs/api/autoReload'],
    ['nginx TLS', '/docs/guides/behind-a-proxy'],
    ['langchain', '/docs/integrations/langchain'],
  ];
  for (const [query, href] of cases)
    test(`${query} finds ${href}`, async () => assert.ok((await found(query)).includes(href)));

  test('a match in the title comes first', async () => {
    assert.equal((await found('find similar pages'))[0], '/docs/api/findSimilar');
  });

  test('nothing found says what to do, and the words are shown as text', async () => {
    const text = await textOf(`/docs?q=${encodeURIComponent('"><script>alert(1)</script>')}`);
    assert.match(text, /Nothing found/);
    assert.doesNotMatch(text, /<script>alert/);
  });
});

describe('GET /docs/api/{id}', () => {
  test('has the fields of request and response with types, defaults and both spellings', async () => {
    const text = await textOf('/docs/api/shapeBSearch');
    assert.match(
      text,
      /<code>max_results<\/code><\/th><td>[^<]+<\/td><td>[^/]*Default <code>5<\/code>[^/]*<\/code>|<code>max_results<\/code>/,
    );
    assert.match(text, /Also <code>maxResults<\/code>/);
    assert.match(text, /<code>results\[\]\.raw_content<\/code>/);
    assert.match(text, /<code>X-Credits-Remaining<\/code>/);
    assert.match(text, /<td>432<\/td><th scope="row"><code>insufficient_credits<\/code>/);
    assert.match(
      await textOf('/docs/api/search'),
      /<code>numResults<\/code>.*?default <code>10<\/code>.*?Also <code>num_results<\/code>/s,
    );
  });

  test('has a form that works without scripts, and programs in each language', async () => {
    const search = await textOf('/docs/api/search');
    assert.match(
      search,
      /<form class="panel try" method="post" action="\/docs\/api\/search" data-try="\/v1\/search"/,
    );
    for (const language of ['curl', 'JavaScript', 'Python', 'exa-js', 'exa-py'])
      assert.ok(search.includes(`>${language}</label>`), language);
    assert.match(await textOf('/docs/api/read'), /<form class="panel try" method="get" action="\/r\/https:/);
  });

  test('the form without scripts runs the call, and shows its failure as a page', async () => {
    const own = await serveScripted({ search: async () => searchAnswer() });
    const form = (body: string) => `body=${encodeURIComponent(body)}&key=`;
    const headers = { ...BROWSER, 'content-type': 'application/x-www-form-urlencoded' };
    const ran = await own.post('/docs/api/search', form('{"query":"a"}'), headers);
    assert.equal(ran.status, 200);
    assert.match(ran.text, /https:\/\/example\.org\/a/);
    const broken = await own.post('/docs/api/search', form('{"query":"<script>"'), headers);
    assert.equal(broken.status, 422);
    assert.match(broken.text, /validation_error/);
    assert.equal((await own.post('/docs/api/balance', form('{}'), headers)).status, 404);
    await own.close();
  });

  test('an unknown operation or guide is a page that says so', async () => {
    for (const path of ['/docs/api/nothing', '/docs/guides/nothing', '/docs/integrations/nothing']) {
      const { status, text } = await served.get(path, BROWSER);
      assert.equal(status, 404, path);
      assert.match(text, /<h1>/);
    }
  });
});

describe('pages of the operator', () => {
  const HOSTILE =
    '# Our terms\n\nBe <script>alert(1)</script> kind. [x](javascript:alert(1)) [mail](mailto:a@example.org)';

  test('are served and linked where they exist, and nowhere else', async () => {
    const own = await serveScripted({ site: siteWith(METERED, { terms: HOSTILE, privacy: '# Ours' }) });
    const { text } = await own.get('/terms', BROWSER);
    assert.match(text, /<h1>Our terms<\/h1>/);
    assert.doesNotMatch(text, /<script>alert|href="javascript/);
    assert.match(text, /<a href="mailto:a@example.org">mail<\/a>/);
    assert.match((await own.get('/privacy', BROWSER)).text, /<h1>Ours<\/h1>/);
    const home = (await own.get('/docs', BROWSER)).text;
    assert.match(home, /<footer.*href="\/terms">Terms<.*href="\/privacy">Privacy</s);
    assert.doesNotMatch(home, /href="\/(?:refunds|contact)"/);
    assert.equal((await own.get('/contact', BROWSER)).status, 404);
    await own.close();
  });

  test('without any, only /privacy is there', async () => {
    assert.doesNotMatch(await textOf('/docs'), /href="\/(?:terms|refunds|contact)"/);
    assert.match(await textOf('/privacy'), /<h1>Privacy<\/h1>/);
  });
});
