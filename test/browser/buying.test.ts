import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { openSiteFixture, type SiteFixture } from '../fixtures/site-fixture.ts';
import { searchAnswer } from '../harness.ts';
import { openTab, press, startBrowser, textOf, type Watched, WITHOUT_BROWSER, watch } from './chromium.ts';

const KEY = /^sdl_[\w-]{43}$/;

describe('buying in a browser', { skip: WITHOUT_BROWSER }, () => {
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
    // A new hour: the openings of the tests before are not counted.
    fixture.clock.set(new Date(fixture.clock.now() + 3_600_000).toISOString());
    tab = await openTab(browser);
    page = tab.page;
    // A click must not land where a smooth scroll has just been.
    await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  });
  afterEach(async () => {
    assert.deepEqual(tab.complaints, []);
    assert.deepEqual(
      [...tab.hosts],
      [new URL(fixture.served.address).host],
      'nothing is asked of anybody else',
    );
    await page.browserContext().close();
  });

  const at = (path: string): string => fixture.served.address + path;
  const paymentPage = async (): Promise<void> => {
    await page.goto(at('/buy/builder?auto_reload=1'));
  };
  const pay = (): Promise<void> => press(page, '[value=pay]');

  test('home, a search, buy, pay, copy the key, search with it, look at the account', async () => {
    await page
      .browserContext()
      .setPermission(
        fixture.served.address,
        { permission: { name: 'clipboard-read' }, state: 'granted' },
        { permission: { name: 'clipboard-write' }, state: 'granted' },
      );
    await page.goto(at('/'));
    await page.type('#q', 'how do I rotate the logs');
    await press(page, '.search button');
    assert.equal(await page.$eval('.hits a', (link) => link.getAttribute('href')), 'https://example.org/a');
    await press(page, '.brand');
    await press(page, 'a[href="/buy/builder"]');
    assert.match(page.url(), /\/sandbox\/pay\//);
    assert.match(await textOf(page, 'main'), /SANDBOX: no money moves/);
    await pay();
    assert.equal(new URL(page.url()).search, '', 'the proof has left the address');

    await page.click('#copy');
    await page.waitForFunction("document.getElementById('copied').textContent.startsWith('Copied')");
    const copied = await page.evaluate('navigator.clipboard.readText()');
    const key = await textOf(page, '#key');
    assert.match(key, KEY);
    assert.equal(copied, key);

    const search = await fixture.served.post('/v1/search', { query: 'q' }, { 'x-api-key': key });
    assert.equal(search.headers.get('x-credits-remaining'), '59999');
    await press(page, 'header nav a[href="/account"]');
    await page.type('#key', key);
    await press(page, 'main .button');
    assert.equal(new URL(page.url()).search, '');
    assert.equal(await textOf(page, '.figures dd'), '59,999');
    assert.match(await textOf(page, 'figcaption'), /^1 credits? used/);
  });

  test('the choice of auto-reload on the way, a higher cap behind the payment, a lower one in the account', async () => {
    await page.goto(at('/pricing'));
    await page.click('[name=auto_reload]');
    await page.$eval('#threshold', (input) => input.setAttribute('value', '2000'));
    await press(page, 'form button');
    await press(page, 'a[href^="/buy/instant?auto_reload=1"]');
    assert.match(await textOf(page, '.terms'), /fewer than 2,000 credits/);
    await pay();
    const key = await textOf(page, '#key');
    await page.$eval('#monthly_max_usd', (input) => input.setAttribute('value', '2500'));
    await press(page, '[action="/success"] .button');
    assert.equal(await textOf(page, '[role=status].notice'), 'Saved.');
    assert.equal(await textOf(page, '#key'), key);
    const { json } = await fixture.served.get('/v1/balance', { 'x-api-key': key });
    assert.deepEqual([json.auto_reload.enabled, json.auto_reload.monthly_max_usd], [true, 2_500]);
  });

  test('a card that is declined, then one that is not', async () => {
    await paymentPage();
    await press(page, '[value=decline]');
    assert.match(await textOf(page, '[role=alert]'), /declined/);
    await pay();
    assert.match(await textOf(page, '#key'), KEY);
  });

  test('a bank that wants to be asked', async () => {
    await paymentPage();
    await press(page, '[value=authenticate]');
    assert.match(await textOf(page, '[value=authenticate]'), /Confirm/);
    await press(page, '[value=authenticate]');
    assert.match(await textOf(page, '#key'), KEY);
  });

  test('a card that is declined later: auto-reload goes off, and the account says why', async () => {
    await page.goto(at('/buy/instant?auto_reload=1&threshold=15000'));
    await press(page, '[value=pay-later-declined]');
    const key = await textOf(page, '#key');
    assert.equal(await textOf(page, '.badge'), 'on');
    await fixture.served.post('/v1/search', { query: 'q' }, { 'x-api-key': key });
    await fixture.billing.background.drain();
    await page.goto(at('/account'));
    await page.type('#key', key);
    await press(page, 'main .button');
    await press(page, 'a[href="/account/billing"]');
    assert.equal(await textOf(page, '#reload .badge'), 'off');
    assert.match(await textOf(page, '[role=alert]'), /the card was declined/);
  });

  test('leaving leads to the start page, and nothing was bought', async () => {
    await paymentPage();
    await press(page, '[value=leave]');
    assert.equal(page.url(), at('/'));
  });

  test('the back button: forward is the key again, and paying again is the same payment', async () => {
    await paymentPage();
    await pay();
    const key = await textOf(page, '#key');
    await page.goBack();
    await page.goForward();
    await page.waitForSelector('#key');
    assert.equal(await textOf(page, '#key'), key);
    await page.goBack();
    // Chromium shows the page as it was left, with its buttons.
    await pay();
    assert.equal(await textOf(page, '#key'), key);
    const { json } = await fixture.served.get('/v1/balance', { 'x-api-key': key });
    assert.equal(json.credits, 60_000);
  });

  test('the link of a payment that is done says so', async () => {
    await paymentPage();
    const link = page.url();
    await pay();
    await page.goto(link);
    assert.match(await textOf(page, '.payment'), /Paid\./);
    assert.equal(await page.$('form'), null);
  });

  test('a reload shows the key again, and the address stays clean', async () => {
    await paymentPage();
    await pay();
    const key = await textOf(page, '#key');
    await page.reload();
    await page.waitForSelector('#key');
    assert.equal(await textOf(page, '#key'), key);
    await page.waitForFunction("location.search === ''");
  });

  test('two tabs on one payment buy once and show one key', async () => {
    await paymentPage();
    const second = watch(await page.browserContext().newPage());
    await second.page.goto(page.url());
    await page.bringToFront();
    await pay();
    await second.page.bringToFront();
    // The form is still there, because this tab has not looked since.
    await press(second.page, '[value=pay]');
    assert.equal(await textOf(second.page, '#key'), await textOf(page, '#key'));
    const { json } = await fixture.served.get('/v1/balance', { 'x-api-key': await textOf(page, '#key') });
    assert.equal(json.credits, 60_000);
    assert.deepEqual(second.complaints, []);
  });

  test('after its time the key is shown no more', async () => {
    await paymentPage();
    await pay();
    fixture.clock.set(new Date(fixture.clock.now() + 3_600_000).toISOString());
    await page.reload();
    await page.waitForSelector('.notice');
    assert.match(await textOf(page, '.notice'), /has already been shown/);
  });

  test('without script: the key can be selected, a reload shows it again', async () => {
    await page.setJavaScriptEnabled(false);
    await paymentPage();
    await pay();
    assert.match(await textOf(page, '#key'), KEY);
    assert.equal(await page.$eval('#copy', (button) => button.hasAttribute('hidden')), true);
    await page.reload();
    assert.match(await textOf(page, '#key'), KEY);
  });

  test('without script: a payment that takes a moment is waited for', async () => {
    await page.setJavaScriptEnabled(false);
    await page.goto(at('/buy/instant'));
    const id = page.url().split('/').at(-1) ?? '';
    fixture.onTheWay.add(id);
    await pay();
    assert.match(await textOf(page, 'h1'), /Waiting for the payment/);
    fixture.onTheWay.delete(id);
    await page.waitForSelector('#key');
    assert.match(await textOf(page, '#key'), KEY);
  });
});
