import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { openSiteFixture, type SiteFixture } from '../fixtures/site-fixture.ts';
import { searchAnswer } from '../harness.ts';
import { openTab, startBrowser, textOf, type Watched, WITHOUT_BROWSER } from './chromium.ts';

/** More elements than any page has. */
const TABS_MAX = 120;

describe('an account with the keyboard alone', { skip: WITHOUT_BROWSER }, () => {
  let fixture: SiteFixture;
  let browser: Browser;
  let tab: Watched;
  let page: Page;
  before(async () => {
    fixture = await openSiteFixture({ search: async () => searchAnswer() });
    browser = await startBrowser();
  });
  after(async () => {
    await browser.close();
    await fixture.close();
  });
  beforeEach(async () => {
    fixture.clock.set(new Date(fixture.clock.now() + 3_600_000).toISOString());
    tab = await openTab(browser);
    page = tab.page;
  });
  afterEach(async () => {
    assert.deepEqual(tab.complaints, []);
    await page.browserContext().close();
  });

  const focused = (): Promise<string> =>
    page.evaluate(
      "(e => [e?.tagName, e?.id || e?.name, e?.getAttribute('href') ?? '', (e?.innerText ?? e?.value ?? '').trim()].join('|'))(document.activeElement)",
    ) as Promise<string>;

  /** Tabs on until the element in focus is the wanted one: by its id or name, its link or its text. */
  async function reach(wanted: RegExp): Promise<void> {
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      await page.keyboard.press('Tab');
      if (wanted.test(await focused())) return;
    }
    assert.fail(`no Tab leads to ${wanted} on ${page.url()}`);
  }
  async function follow(wanted: RegExp): Promise<void> {
    await reach(wanted);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
  }
  async function fill(wanted: RegExp, text: string): Promise<void> {
    await reach(wanted);
    await page.keyboard.down('Control');
    await page.keyboard.press('A');
    await page.keyboard.up('Control');
    await page.keyboard.type(text);
  }

  async function buyWithReload(): Promise<string> {
    await page.goto(`${fixture.served.address}/pricing`);
    await reach(/^INPUT\|auto_reload/);
    await page.keyboard.press('Space');
    await follow(/Show the packs with these terms/);
    await follow(/Buy Instant/);
    await follow(/^BUTTON.*Pay(?! and)/i);
    await page.waitForSelector('#key');
    return textOf(page, '#key');
  }

  test('buying with auto-reload, opening the account, adding a key, rotating, revoking, removing the card', async () => {
    const key = await buyWithReload();
    assert.match(key, /^sdl_/);
    assert.match(await textOf(page, '#code'), /^sbx_co_\w+\.[\w-]{32}$/);
    await follow(/Open your account/);
    assert.equal(await textOf(page, '.figures dd'), '15,000');
    await follow(/\|\/account\/keys\|/);
    await fill(/^INPUT\|label/, 'laptop');
    await fill(/^INPUT\|per_day/, '50');
    await follow(/^BUTTON.*Add a key/);
    const added = await textOf(page, '#key');
    await follow(/\|\/account\/keys\/key_\w+\|.*laptop/);
    await follow(/^BUTTON.*Rotate the key/);
    const rotated = await textOf(page, '#key');
    assert.notEqual(rotated, added);
    for (const secret of [added, rotated])
      assert.equal((await fixture.billing.keys.find(secret))?.limits?.perDay, 50);
    await reach(/^INPUT\|sure/);
    await page.keyboard.press('Space');
    await follow(/^BUTTON.*Revoke the key/);
    assert.equal(await fixture.billing.keys.find(rotated), null);
    await follow(/\|\/account\/billing\|/);
    assert.match(await textOf(page, 'main'), /Sandbox ending in 4242/);
    await follow(/^BUTTON.*Remove the card/);
    assert.match(await textOf(page, '[role=status]'), /The card is removed/);
    assert.equal(await textOf(page, '#reload .badge'), 'off');
    await follow(/^BUTTON.*Sign out/);
    assert.equal(await page.$('#key').then((input) => input !== null), true);
  });

  test('recovering a lost key with the code, and signing in with the new one', async () => {
    await page.goto(`${fixture.served.address}/buy/instant`);
    await follow(/^BUTTON.*Pay(?! and)/i);
    await page.waitForSelector('#code');
    const code = await textOf(page, '#code');
    await page.goto(`${fixture.served.address}/account`);
    await follow(/\|\/account\/recover\|/);
    await fill(/^INPUT\|reference/, code);
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    assert.equal(await textOf(page, 'h1'), 'Your account is back');
    await follow(/Open your account/);
    assert.equal(await textOf(page, '.figures dd'), '15,000');
  });

  test('the cookie is for the account alone, and no script can read it', async () => {
    await buyWithReload();
    await follow(/Open your account/);
    assert.equal(await page.evaluate('document.cookie'), '');
    const cookies = await page.browserContext().cookies();
    assert.deepEqual(
      cookies.map(({ name, httpOnly, sameSite, path }) => ({ name, httpOnly, sameSite, path })),
      [{ name: 'sanderling_account', httpOnly: true, sameSite: 'Strict', path: '/account' }],
    );
  });
});
