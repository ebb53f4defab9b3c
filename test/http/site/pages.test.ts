import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { DETAIL_DAYS } from '../../../src/app/config.ts';
import { Failure } from '../../../src/contract/errors.ts';
import { KEPT_MS } from '../../../src/contract/limits.ts';

import { openSiteFixture, type SiteFixture } from '../../fixtures/site-fixture.ts';
import { searchAnswer, serveScripted } from '../../harness.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded', ...BROWSER };
const HOSTILE = '"><script>alert(1)</script>';

let fixture: SiteFixture;
before(async () => {
  fixture = await openSiteFixture({ trustProxy: 1, search: async () => searchAnswer() });
});
after(() => fixture.close());

describe('every page', () => {
  const pages: [path: string, status: number][] = [
    ['/', 200],
    ['/?q=logs', 200],
    ['/pricing', 200],
    ['/pricing?threshold=1', 422],
    ['/account', 200],
    ['/privacy', 200],
    ['/success', 404],
    ['/success?session_id=a&n=b', 404],
    ['/sandbox/pay/nobody', 404],
    ['/no/such/page', 404],
  ];
  for (const [path, status] of pages)
    test(`${path}: ${status}, held in by its headers`, async () => {
      const { headers, text, ...answer } = await fixture.served.get(path, BROWSER);
      assert.equal(answer.status, status);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      const policy = headers.get('content-security-policy') ?? '';
      for (const rule of [
        "default-src 'none'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ])
        assert.ok(policy.includes(rule), rule);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
      assert.equal(headers.get('referrer-policy'), 'same-origin');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('set-cookie'), null);
      assert.match(text, /^<!doctype html>\n<html lang="en">/);
      assert.equal(text.match(/<h1/g)?.length, 1);
      assert.doesNotMatch(text, /(?:src|action|href)="(?:https?:)?\/\/(?!example\.org)/);
      assert.doesNotMatch(text, / (?:style|on\w+)="/);
    });

  test('keeps nothing of a person: only what is the same for everybody may be stored', async () => {
    for (const path of ['/', '/pricing', '/privacy'])
      assert.equal((await fixture.served.get(path, BROWSER)).headers.get('cache-control'), 'no-cache');
    for (const path of ['/?q=logs', '/pricing?k=x', '/account', '/success?session_id=a&n=b'])
      assert.equal((await fixture.served.get(path, BROWSER)).headers.get('cache-control'), 'no-store');
  });

  test('shows what it was given as text', async () => {
    const asked = encodeURIComponent(HOSTILE);
    for (const path of [
      `/?q=${asked}`,
      `/pricing?k=${asked}&threshold=${asked}`,
      `/buy/${asked}`,
      `/${asked}`,
    ])
      assert.ok(!(await fixture.served.get(path, BROWSER)).text.includes('<script>alert'), path);
    const posted = await fixture.served.post('/account', `key=${asked}`, FORM);
    assert.ok(!posted.text.includes('<script>alert'));
  });

  test('has its style and picture here, to be kept for good', async () => {
    const { text } = await fixture.served.get('/', BROWSER);
    const files = [...text.matchAll(/href="(\/(?:site\.css|favicon\.svg)\?v=\w+)"/g)].map(
      ([, href]) => href ?? '',
    );
    assert.equal(files.length, 2);
    for (const file of files) {
      const { status, headers } = await fixture.served.get(file);
      assert.equal(status, 200);
      assert.match(headers.get('cache-control') ?? '', /immutable/);
    }
  });
});

describe('/', () => {
  test('programs get JSON, and caches are told', async () => {
    for (const accept of ['application/json', '*/*']) {
      const { json, headers } = await fixture.served.get('/?q=logs', { accept });
      assert.equal(json.name, 'Sanderling');
      assert.match(headers.get('vary') ?? '', /(?:^|, )Accept(?:$|,)/);
    }
  });

  test('a search counts like any other request without a key', async () => {
    const from = { 'x-forwarded-for': '203.0.113.1' };
    const { text, headers } = await fixture.served.get('/?q=logs', { ...BROWSER, ...from });
    assert.equal(headers.get('x-credits-remaining'), '24');
    assert.match(text, /<a href="https:\/\/example\.org\/a" rel="noreferrer nofollow">A<\/a>/);
    const called = await fixture.served.post('/v1/search', { query: 'q' }, from);
    assert.equal(called.headers.get('x-credits-remaining'), '23');
    assert.equal(
      (await fixture.served.get('/', { ...BROWSER, ...from })).headers.get('x-credits-remaining'),
      null,
    );
    assert.equal(
      (await fixture.served.get('/?q=+', { ...BROWSER, ...from })).headers.get('x-credits-remaining'),
      null,
    );
  });

  test('402: used up; the ways on are a free key and a pack', async () => {
    const from = { 'x-forwarded-for': '203.0.113.2', ...BROWSER };
    for (let times = 0; times < 25; times++) await fixture.served.get('/?q=logs', from);
    const { status, text, headers } = await fixture.served.get('/?q=logs', from);
    assert.equal(status, 402);
    assert.equal(headers.get('x-credits-remaining'), '0');
    assert.match(text, /<form method="post" action="\/free-key">/);
    assert.match(text, /href="\/pricing"/);
  });

  test('422: a question that is too long', async () => {
    const { status, text } = await fixture.served.get(`/?q=${'a'.repeat(2_001)}`, BROWSER);
    assert.equal(status, 422);
    assert.match(text, /at most 2,000 characters/);
  });

  test('503: no source answers', async () => {
    const down = await openSiteFixture({
      search: async () => {
        throw new Failure('recall_unavailable', 'No source answers.');
      },
    });
    const { status, text } = await down.served.get('/?q=logs', BROWSER);
    await down.close();
    assert.equal(status, 503);
    assert.match(text, /No source answers\./);
    assert.match(text, /name="q"/);
  });

  test('an address that is no web address is no link', async () => {
    const odd = await openSiteFixture({
      search: async () =>
        searchAnswer({ results: [{ url: 'javascript:alert(1)', title: 'T', score: 1, publishedDay: null }] }),
    });
    const { text } = await odd.served.get('/?q=logs', BROWSER);
    await odd.close();
    assert.doesNotMatch(text, /href="javascript/);
  });
});

describe('/privacy', () => {
  const shown = async (): Promise<string> => (await fixture.served.get('/privacy', BROWSER)).text;

  test('shows the document, and every page links to it', async () => {
    const text = await shown();
    assert.match(text, /<h1>Privacy<\/h1>/);
    assert.match(text, /<code>X-No-Store: 1<\/code>/);
    assert.match(text, /<h2 id="keys-charges-and-payments">/);
    assert.match(text, /<td data-title="How long">15 minutes<\/td>/);
    assert.doesNotMatch(text, /\]\(|^\||`/m);
    const home = await fixture.served.get('/', BROWSER);
    assert.match(home.text, /<footer.*<a href="\/privacy">Privacy<\/a>/s);
  });

  test('names the retention that the code has', async () => {
    const text = await shown();
    assert.ok(text.includes(`>${KEPT_MS / 60_000} minutes<`));
    assert.ok(text.includes(`>${DETAIL_DAYS} days each`));
  });

  test('leaves out keys and payments where there are none', async () => {
    const unmetered = await serveScripted({ terms: null });
    const { text } = await unmetered.get('/privacy', BROWSER);
    await unmetered.close();
    assert.doesNotMatch(text, /credit|charge|payment|pricing/i);
    assert.match(text, /<h2 id="forgetting">/);
  });
});

describe('/pricing', () => {
  test('auto-reload buys the pack that is bought, unless another is chosen, and every link says so', async () => {
    const linksOf = async (query: string): Promise<string[]> => {
      const { text } = await fixture.served.get(`/pricing?${query}`, BROWSER);
      return [...text.matchAll(/href="(\/buy\/[^"]+)"/g)].map(([, link]) =>
        (link ?? '').replaceAll('&amp;', '&'),
      );
    };
    assert.deepEqual(await linksOf('auto_reload=1'), [
      '/buy/instant?auto_reload=1&reload_pack=instant',
      '/buy/builder?auto_reload=1&reload_pack=builder',
      '/buy/scale?auto_reload=1&reload_pack=scale',
    ]);
    const chosen = await linksOf('auto_reload=1&reload_pack=scale');
    assert.ok(chosen.every((link) => link.endsWith('reload_pack=scale')));
    assert.ok((await linksOf('')).every((link) => !link.includes('reload')));
    const { text } = await fixture.served.get('/pricing?auto_reload=1', BROWSER);
    assert.match(text, /charged the price of the pack that you buy now/);
    assert.match(text, /Then Instant again, for \$15, whenever/);
  });

  test('one pack is recommended; the calculator answers without a script', async () => {
    const { text } = await fixture.served.get('/pricing', BROWSER);
    assert.equal(text.match(/>Recommended</g)?.length, 1);
    const asked = await fixture.served.get('/pricing?searches=40000&pages=5000&research=&k=a.b', BROWSER);
    assert.match(
      asked.text,
      /<strong>45,000 credits<\/strong> a month: 3 × Instant for <strong>\$45<\/strong>\./,
    );
    const wrong = await fixture.served.get('/pricing?searches=-1', BROWSER);
    assert.equal(wrong.status, 422);
    assert.match(wrong.text, /id="searches-problem">This must be a whole number from 0 to 1,000,000/);
  });

  test('the choice of auto-reload goes into the links to buy, with its terms', async () => {
    const { text } = await fixture.served.get(
      '/pricing?auto_reload=1&threshold=2000&reload_pack=instant&monthly_max_usd=90&k=a.b',
      BROWSER,
    );
    assert.match(
      text,
      /href="\/buy\/scale\?k=a\.b&amp;auto_reload=1&amp;threshold=2000&amp;reload_pack=instant&amp;monthly_max_usd=90"/,
    );
    assert.match(
      text,
      /fewer than 2,000 credits remain, the saved card is charged \$15 for 15,000 credits, at most \$90/,
    );
  });

  test('what cannot be used goes into no link, and the field says why', async () => {
    const { text } = await fixture.served.get('/pricing?auto_reload=1&threshold=5', BROWSER);
    assert.match(text, /href="\/buy\/scale"/);
    assert.match(text, /aria-describedby="threshold-problem"/);
  });
});

describe('failures', () => {
  test('a program gets JSON for a path that is not there', async () => {
    assert.equal((await fixture.served.get('/no/such/page')).json.error, 'not_found');
  });

  test('405 and 413 of a page are pages', async () => {
    const wrong = await fixture.served.post('/pricing', 'a=1', FORM);
    assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
    const large = await fixture.served.post('/account', `key=${'a'.repeat(1_100_000)}`, FORM);
    assert.equal(large.status, 413);
    for (const { text } of [wrong, large]) assert.match(text, /^<!doctype html>/);
  });
});
