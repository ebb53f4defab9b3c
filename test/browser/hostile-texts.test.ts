import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { Failure } from '../../src/contract/errors.ts';
import { buildPlainArticle } from '../../src/pages/formats/plain-article.ts';
import { openSiteFixture, type SiteFixture } from '../fixtures/site-fixture.ts';
import { readAnswer, researchAnswer, searchAnswer } from '../harness.ts';
import { openTab, startBrowser, type Watched, WITHOUT_BROWSER } from './chromium.ts';
import { XSS_PAYLOADS } from './xss-payloads.ts';

const ALL = XSS_PAYLOADS.join('\n\n');
/** Markup that no page of ours has. */
const FOREIGN =
  'iframe, object, embed, base, video, audio, template, marquee, math, style, [onerror], [onload], [onfocus], [ontoggle], [href^="javascript:"], [href^="data:"], [action^="javascript:"], [src^="x"]';

describe('hostile texts in every place of a page', { skip: WITHOUT_BROWSER }, () => {
  let fixture: SiteFixture;
  let browser: Browser;
  let tab: Watched;
  let page: Page;

  before(async () => {
    fixture = await openSiteFixture({
      terms: { keylessPerDay: 10_000, freeKeys: true, sells: true },
      search: async ({ query }) => {
        if (query.startsWith('fail ')) throw new Failure('recall_unavailable', query);
        if (query !== 'all') return searchAnswer({ results: [] });
        return searchAnswer({ results: XSS_PAYLOADS.map(hostileResult) });
      },
      research: async () => hostileResearch(),
      read: async ({ url }) => {
        if (url.includes('/fail')) throw new Failure('fetch_failed', ALL);
        return hostilePage();
      },
      meter: {
        beginCharge: async () => CHARGE,
        remaining: async () => 1,
      },
    });
    browser = await startBrowser();
    tab = await openTab(browser);
    page = tab.page;
    page.on('dialog', (dialog) => {
      tab.complaints.push(`ran: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  after(async () => {
    await browser.close();
    await fixture.close();
  });
  beforeEach(() => {
    tab.complaints.length = 0;
  });

  const open = async (path: string): Promise<void> => {
    await page.goto(fixture.served.address + path);
    assert.equal(
      await page.$$eval(FOREIGN, (found) => found.map((one) => one.outerHTML).join('\n')),
      '',
      path,
    );
  };
  const nothingRan = (): void => assert.deepEqual(tab.complaints, []);

  test('there are 200 of them, and they run where nothing escapes them', async () => {
    assert.ok(new Set(XSS_PAYLOADS).size >= 200, String(new Set(XSS_PAYLOADS).size));
    const running = XSS_PAYLOADS.filter((payload) => /^(?:"?'?>)?<(?:img|svg|script)\b/.test(payload)).slice(
      0,
      6,
    );
    for (const payload of running) {
      tab.complaints.length = 0;
      await page.goto('about:blank');
      await page.setContent(`<!doctype html><title>x</title><p>${payload}`, { waitUntil: 'load' });
      await page.waitForFunction('true');
      assert.ok(tab.complaints.length > 0, payload);
    }
  });

  test('titles, passages, addresses, authors and citations of results', async () => {
    await open('/?q=all');
    assert.ok((await page.$$('.hit')).length >= 200);
    nothingRan();
  });

  test('research', async () => {
    await open('/?do=research&q=all');
    assert.ok((await page.$$('.hit')).length >= 200);
    nothingRan();
  });

  test('a page for reading: its text, title, author and address', async () => {
    await open('/read?url=https://example.org/');
    assert.match(await page.$eval('article', (article) => article.textContent ?? ''), /alert\(1\)/);
    nothingRan();
  });

  test('error texts', async () => {
    await open('/read?url=https://example.org/fail');
    await open(`/?q=${encodeURIComponent(`fail ${ALL}`.slice(0, 1_900))}`);
    nothingRan();
  });

  test('queries, addresses, filters and parameters, each by itself', async () => {
    for (const payload of XSS_PAYLOADS) {
      const text = encodeURIComponent(payload);
      await open(`/?q=${text}&site=${text}&since=${text}&do=${text}&url=${text}`);
    }
    nothingRan();
  });

  test('addresses to read, questions, and parameters of the other pages', async () => {
    for (const payload of XSS_PAYLOADS.filter((_, place) => place % 8 === 0)) {
      const text = encodeURIComponent(payload);
      await open(`/read?url=${text}&q=${text}`);
      await open(`/pricing?k=${text}&threshold=${text}&reload_pack=${text}`);
      await open(`/${text}`);
    }
    nothingRan();
  });

  test('no page can be framed by another site', async () => {
    const site = await framingSite(
      ['/', '/?q=all', '/read', '/pricing', '/account', '/docs'].map((path) => fixture.served.address + path),
    );
    await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
    const frames = page.frames().filter((frame) => frame !== page.mainFrame());
    assert.equal(frames.length, 6);
    for (const frame of frames) assert.match(frame.url(), /^(?:chrome-error:|about:blank)/);
    site.close();
    site.closeAllConnections();
  });
});

const CHARGE = {
  refuseIfKnown() {},
  hold: async ({ credits }: { credits: number }) => credits,
  charge: async () => {},
  settle: async () => {},
  refund: async () => {},
  spendable: async () => 10,
  remaining: async () => 9,
  stated: (used: number) => used,
};

function hostileResult(payload: string) {
  const url = `https://example.org/${payload}`;
  return {
    url,
    title: payload,
    author: payload,
    score: 0.5,
    publishedDay: payload,
    highlights: [payload],
    highlightProofs: [{ start: 0, end: 1, headingPath: [payload], link: payload }],
    highlightScores: [0.5],
  };
}

function hostileResearch(): ReturnType<typeof researchAnswer> {
  const answer = researchAnswer();
  const [one] = answer.evidence;
  if (one === undefined) throw new Error('the answer has evidence');
  const hostile = (payload: string, place: number) => ({
    ...one,
    id: `e${place}`,
    quote: payload,
    url: `https://example.org/${payload}`,
    title: payload,
    link: payload,
  });
  return researchAnswer({
    evidence: XSS_PAYLOADS.map(hostile),
    agreements: [{ what: ALL, value: ALL, sources: ['e1'] }],
  });
}

function hostilePage(): ReturnType<typeof readAnswer> {
  const url = `https://example.org/${XSS_PAYLOADS[2]}`;
  const article = buildPlainArticle(url, {
    kind: 'markdown',
    title: ALL,
    markdown: ALL,
    rawChars: ALL.length,
  });
  return readAnswer({ markdown: ALL, url, title: ALL, article: { ...article, author: ALL } });
}

/** A page of another site with each address in a frame. */
async function framingSite(addresses: string[]): Promise<Server> {
  const frames = addresses.map((address) => `<iframe src="${address}"></iframe>`).join('');
  const site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>x</title>${frames}`);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return site;
}
