import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'puppeteer-core';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type RealServed, serveReal } from '../harness.ts';
import { openTab, press, startBrowser, textOf, WITHOUT_BROWSER } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TOKEN = 'the-token-of-an-administrator';
const PATHS = [
  '',
  '/sources',
  '/index',
  '/index?which=127.10.0.66',
  '/crawls',
  '/monitors',
  '/versions',
  '/records',
  '/keys',
  '/payments',
  '/settings',
  '/log',
];
const LOOKS = [
  { width: 320, scheme: 'light' },
  { width: 390, scheme: 'dark' },
  { width: 768, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 1920, scheme: 'light' },
];
/** Would set a mark if it ran. */
const HOSTILE = [
  '<script>document.title="ran"</script>',
  '"><img src=x onerror="document.title=\'ran\'">',
  "'-document.title='ran'-'",
  '</title><svg onload="document.title=\'ran\'">',
  'javascript:document.title="ran"',
];

describe('the console in a browser', { skip: WITHOUT_BROWSER }, () => {
  let site: FakeWeb;
  let app: RealServed;
  let browser: Browser;
  let page: Page;
  let complaints: string[];
  let gate = Promise.withResolvers<void>();
  before(async () => {
    gate.resolve();
    site = await startWeb({
      address: '127.10.0.66',
      async fallback(request, response) {
        if (request.url === '/robots.txt') return response.writeHead(404).end();
        const number = Number(/\/(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
        if (number > 0) await gate.promise;
        const title = HOSTILE[number]?.replaceAll('<', '&lt;') ?? '';
        const next = number + 1 < HOSTILE.length ? `<a href="/${number + 1}">next</a>` : '';
        return response
          .setHeader('content-type', 'text/html; charset=utf-8')
          .end(
            `<!doctype html><html><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${`Page ${number} of the waders at the edge of the sea. `.repeat(20)}</p>${next}</main></body></html>`,
          );
      },
    });
    app = await serveReal({ ADMIN_TOKEN: TOKEN, FETCH_ALLOW_PRIVATE: '127.10.0.0/16', PAYMENTS: 'sandbox' });
    for (const label of HOSTILE) await app.billing.keys.create({ credits: 7, label });
    browser = await startBrowser();
    ({ page, complaints } = await openTab(browser));
  });
  after(async () => {
    gate.resolve();
    await browser.close();
    await app.close();
    await site.close();
  });

  const at = (path: string): string => `${app.address}/admin${path}`;
  const signIn = async (tab: Page): Promise<void> => {
    await tab.goto(at(''));
    await tab.type('#token', TOKEN);
    await press(tab, 'main button');
  };

  test('the keyboard alone signs in, finds its way and starts a crawl, whose progress appears by itself', async () => {
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(at('/crawls'));
    await tabTo(page, '#token');
    await page.keyboard.type(TOKEN);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    assert.equal(page.url(), at('/crawls'));
    gate = Promise.withResolvers();
    await tabTo(page, '#starts');
    await page.keyboard.type(`${site.origin}/0`);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    assert.match(await textOf(page, '[role=status]'), /It has begun/);
    await page.waitForFunction(`document.querySelector('[data-count=pages]')?.textContent === '1'`);
    gate.resolve();
    await page.waitForFunction(`document.querySelector('[data-state=done]') !== null`);
    assert.equal(await textOf(page, '[data-count=pages]'), String(HOSTILE.length));
  });

  test('without scripts all of it works: sign in, crawl, watch, make a key, forget, sign out', async () => {
    const { page: tab } = await openTab(browser);
    await tab.setJavaScriptEnabled(false);
    await signIn(tab);
    await tab.goto(at('/crawls'));
    gate = Promise.withResolvers();
    await tab.type('#starts', `${site.origin}/0`);
    await tab.click('[name=fresh]');
    await press(tab, 'form.panel button');
    gate.resolve();
    // The page loads itself again until the crawl has ended.
    await tab.waitForSelector('[data-state=done]');

    await tab.goto(at('/keys'));
    await tab.type('#label', 'without scripts');
    await press(tab, 'form.panel:last-of-type button');
    assert.match(await textOf(tab, '#new-key'), /^sdl_/);
    await tab.reload();
    assert.equal(await tab.$('#new-key'), null);

    await tab.goto(at(`/index?which=${encodeURIComponent(`${site.origin}/4`)}`));
    await tab.click('.confirm summary');
    await press(tab, '.confirm button');
    assert.match(await textOf(tab, '[role=status]'), /Forgot 1 page/);
    // Folded on a narrow screen.
    await tab.click('.sidebar summary');
    await press(tab, '.sidebar form button');
    assert.ok(await tab.$('#token'));
    await tab.goto(at('/keys'));
    assert.ok(await tab.$('#token'));
  });

  test('every page: nothing for axe, nothing wider than the screen, nothing foreign runs', async () => {
    for (const path of PATHS) {
      for (const { width, scheme } of LOOKS) {
        const look = `${path} at ${width} px, ${scheme}`;
        await page.setViewport({ width, height: 900 });
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await page.goto(at(path));
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${look}: too wide`);
        assert.match(await page.title(), / · Console · Sanderling$/, look);
        if (width !== 390 && width !== 1280) continue;
        await page.evaluate(AXE);
        // What axe answers is said by its own types.
        const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
        assert.deepEqual(found, [], look);
      }
    }
    assert.deepEqual(complaints, []);
  });

  test('hostile addresses, queries and labels stay text', async () => {
    for (const text of HOSTILE)
      for (const path of [
        `/index?q=${encodeURIComponent(text)}`,
        `/index?which=${encodeURIComponent(text)}`,
        `/keys?id=${encodeURIComponent(text)}`,
      ]) {
        await page.goto(at(path));
        assert.match(await page.title(), / · Console · Sanderling$/, path);
      }
    assert.deepEqual(complaints, []);
  });
});

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`)) return;
  }
  assert.fail(`the keyboard does not reach ${selector}`);
}
