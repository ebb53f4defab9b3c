import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { SITE_ANSWERS } from '../fixtures/site-answers.ts';
import { openSiteFixture, type SiteFixture } from '../fixtures/site-fixture.ts';
import { openTab, startBrowser, textOf, type Watched, WITHOUT_BROWSER } from './chromium.ts';

const STEPS_MAX = 80;

describe('by keyboard alone', { skip: WITHOUT_BROWSER }, () => {
  let fixture: SiteFixture;
  let browser: Browser;
  let tab: Watched;
  let page: Page;

  before(async () => {
    fixture = await openSiteFixture(SITE_ANSWERS);
    browser = await startBrowser();
  });
  after(async () => {
    await browser.close();
    await fixture.close();
  });
  beforeEach(async () => {
    tab = await openTab(browser);
    page = tab.page;
    await page.goto(`${fixture.served.address}/`);
  });
  afterEach(async () => {
    assert.deepEqual(tab.complaints, []);
    await page.browserContext().close();
  });

  /** Presses Tab until the focus is on what the selector names, and asserts that the focus can be seen. */
  const tabTo = async (selector: string): Promise<void> => {
    for (let step = 0; step < STEPS_MAX; step++) {
      await page.keyboard.press('Tab');
      const isThere = await page.evaluate(
        `document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`,
      );
      if (!isThere) continue;
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      assert.notEqual(outline, 'none', `the focus on ${selector} is visible`);
      return;
    }
    assert.fail(`${STEPS_MAX} steps do not reach ${selector}`);
  };
  const enter = (): Promise<unknown> => Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);

  test('the first step skips to the content', async () => {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content');
    assert.ok(((await page.evaluate('document.activeElement.getBoundingClientRect().left')) as number) >= 0);
  });

  test('a search, its answer as JSON, and a result for reading', async () => {
    await tabTo('#q');
    await page.keyboard.type('how do I rotate logs');
    await enter();
    assert.equal(await textOf(page, '.hit h3'), 'Rotate logs with logrotate');
    await tabTo('input[name=view]');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.$eval('#answer', (answer) => answer.checkVisibility()), true);
    await page.keyboard.press('ArrowLeft');
    await tabTo('.hit-links a[href^="/read"]');
    await enter();
    assert.equal(await textOf(page, 'h1'), 'Rotating logs');
    await tabTo('#q');
    await page.keyboard.type('what is kept');
    await enter();
    assert.match(await textOf(page, '.notice'), /what is kept/);
  });

  test('another tab of the playground', async () => {
    await tabTo('input[name=play]');
    // Behind searching and asking comes reading.
    for (const _ of ['ask', 'read']) await page.keyboard.press('ArrowRight');
    await tabTo('#read-url');
    await page.keyboard.type('https://docs.example.org/logrotate');
    await enter();
    assert.equal(await textOf(page, 'h1'), 'Rotating logs');
  });

  test('a free key, and its copy', async () => {
    await page.browserContext().setPermission(fixture.served.address, {
      permission: { name: 'clipboard-write' },
      state: 'granted',
    });
    await tabTo('form[action="/free-key"] button');
    await enter();
    assert.match(await textOf(page, '#key'), /^sdl_[\w-]{43}$/);
    await tabTo('button[data-copy=key]');
    await page.keyboard.press('Enter');
    await page.waitForFunction("document.querySelector('button[data-copy=key]').textContent === 'Copied'");
  });
});
