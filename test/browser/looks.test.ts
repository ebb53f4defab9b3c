import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, describe, test } from 'node:test';
import type { AxeResults } from 'axe-core';
import type { Browser, Page } from 'puppeteer-core';
import { openSiteFixture, type SiteFixture } from '../fixtures/site-fixture.ts';
import { searchAnswer } from '../harness.ts';
import { openTab, press, startBrowser, WITHOUT_BROWSER } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LOOKS = [
  { width: 390, height: 844, scheme: 'light' },
  { width: 390, height: 844, scheme: 'dark' },
  { width: 1280, height: 800, scheme: 'light' },
  { width: 1280, height: 800, scheme: 'dark' },
];

describe('pages for everybody', { skip: WITHOUT_BROWSER }, () => {
  let fixture: SiteFixture;
  let browser: Browser;
  let page: Page;
  let key: string;

  before(async () => {
    fixture = await openSiteFixture({ search: async () => searchAnswer() });
    ({ apiKey: key } = await fixture.billing.keys.create({ credits: 5_000, label: null }));
    browser = await startBrowser();
    ({ page } = await openTab(browser));
  });
  after(async () => {
    await browser.close();
    await fixture.close();
  });

  const at = (path: string): string => fixture.served.address + path;
  const ways: Record<string, () => Promise<unknown>> = {
    'the start page': () => page.goto(at('/')),
    results: () => page.goto(at('/?q=logs')),
    pricing: () => page.goto(at('/pricing?auto_reload=1')),
    'pricing with mistakes': () => page.goto(at('/pricing?auto_reload=1&threshold=5&monthly_max_usd=900')),
    'the payment page': async () => {
      await page.goto(at('/buy/scale?auto_reload=1'));
      await press(page, '[value=decline]');
    },
    'the new key': async () => {
      await page.goto(at('/buy/scale?auto_reload=1'));
      await press(page, '[value=pay]');
    },
    'the API reference': () => page.goto(at('/docs')),
    'the question for a key': () => page.goto(at('/account')),
    'the account': async () => {
      await page.goto(at('/account'));
      if ((await page.$('#key')) === null) return;
      await page.type('#key', key);
      await press(page, 'main .button');
    },
    'the use of an account': () => page.goto(at('/account/usage')),
    'the keys of an account': () => page.goto(at('/account/keys')),
    'one key': async () => {
      await page.goto(at('/account/keys'));
      await press(page, 'tbody a');
    },
    'the payments of an account': () => page.goto(at('/account/billing')),
    'the recovery of an account': () => page.goto(at('/account/recover')),
    'nothing there': () => page.goto(at('/nothing/there')),
  };

  for (const [name, open] of Object.entries(ways))
    test(`${name}: nothing serious for axe, nothing wider than the screen`, async () => {
      for (const { width, height, scheme } of LOOKS) {
        fixture.clock.set(new Date(fixture.clock.now() + 3_600_000).toISOString());
        await page.setViewport({ width, height });
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await open();
        const look = `${width} px, ${scheme}`;
        assert.ok(
          (await page.evaluate('document.documentElement.scrollWidth')) === width,
          `${look}: too wide`,
        );
        await page.evaluate(AXE);
        // What axe answers is said by its own types.
        const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
        assert.deepEqual(found, [], look);
      }
    });
});
