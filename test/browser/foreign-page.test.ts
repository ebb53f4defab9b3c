import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Browser, Page } from 'puppeteer-core';
import { buildRoutes } from '../../src/http/routes.ts';
import { keptLog, readAnswer, type Served, searchAnswer, serveScripted } from '../harness.ts';
import { UNSCRIPTED_KEYS, unscriptedDeps } from '../unscripted.ts';
import { openTab, startBrowser, WITHOUT_BROWSER } from './chromium.ts';

/** Names that the browser finds on this machine: a site of somebody else, and one that was pointed at the service. */
const FOREIGN = 'elsewhere.example.com';
const REBOUND = 'rebound.example.com';

type Target = { method: string; url: string };
/** What a page saw of one attempt: the text of an answer, or nothing. */
type Seen = { how: string; url: string; text: string };

describe('pages of other sites and a server of this machine', { skip: WITHOUT_BROWSER }, () => {
  const { log, lines } = keptLog();
  let app: Served;
  let site: Server;
  let browser: Browser;
  let page: Page;
  let ran: string[] = [];

  before(async () => {
    app = await serveScripted({
      log,
      search: async () => {
        ran.push('search');
        return searchAnswer();
      },
      read: async () => {
        ran.push('read');
        return readAnswer();
      },
      keys: {
        ...UNSCRIPTED_KEYS,
        claimFree: async () => {
          ran.push('claimFree');
          return { keyId: 'key_1', apiKey: 'sdl_secret', credits: 2_500 };
        },
      },
      metrics: { text: async () => ({ contentType: 'text/plain', body: 'sanderling_secret 1' }) },
    });
    site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>A page</title>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    browser = await startBrowser([
      `--host-resolver-rules=MAP ${FOREIGN} 127.0.0.1, MAP ${REBOUND} 127.0.0.1`,
    ]);
    ({ page } = await openTab(browser));
  });
  after(async () => {
    await browser.close();
    site.close();
    await app.close();
  });
  beforeEach(() => {
    ran = [];
    lines.splice(0);
  });

  const siteAt = (host: string): string => `http://${host}:${(site.address() as AddressInfo).port}/`;
  const targets = (): Target[] => {
    const parts = { ...unscriptedDeps(), serviceUrl: () => app.address, isDraining: () => false };
    const routes = buildRoutes(parts).flatMap(({ method, paths }) => paths.map((path) => ({ method, path })));
    return [...routes, { method: 'POST', path: '/mcp' }].map(({ method, path }) => ({
      method,
      url: app.address + path.replace(/^\/r$/, '/r/https://example.org/').replace(/:\w+/, 'instant'),
    }));
  };
  /** The status and the method of every request that the service answered. */
  const answered = (): { status: number; method: string }[] =>
    lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');

  test('a foreign page can run nothing and read nothing, on any route', async () => {
    await page.goto(siteAt(FOREIGN));
    const all = targets();
    const seen = await page.evaluate(tryEverything, all);
    assert.deepEqual(
      seen.filter(({ text }) => text !== ''),
      [],
    );
    const requests = answered();
    assert.ok(requests.length >= all.length * 5, String(requests.length));
    assert.deepEqual(
      requests.filter(({ status }) => status !== 403),
      [],
    );
    assert.ok(requests.some(({ method }) => method === 'OPTIONS'));
    assert.deepEqual(ran, []);
  });

  test('a name that was pointed at the service shows nothing of it', async () => {
    const { port } = new URL(app.address);
    for (const path of ['/', '/r/https://example.org/', '/metrics', '/healthz']) {
      const response = await page.goto(`http://${REBOUND}:${port}${path}`);
      assert.equal(response?.status(), 403, path);
    }
    const own = targets().map(({ method, url }) => {
      const { pathname } = new URL(url);
      return { method, url: `http://${REBOUND}:${port}${pathname}` };
    });
    await page.evaluate(tryEverything, own);
    assert.deepEqual(
      answered().filter(({ status }) => status !== 403),
      [],
    );
    assert.deepEqual(ran, []);
  });

  test('a page of this machine may search', async () => {
    await page.goto(siteAt('localhost'));
    const seen = await page.evaluate(tryEverything, [{ method: 'POST', url: `${app.address}/v1/search` }]);
    const read = seen.filter(({ text }) => text.includes('"results"'));
    assert.ok(read.some(({ how }) => how === 'with a preflight'));
    assert.ok(ran.includes('search'));
  });

  test('but no page of another origin reads keys or figures', async () => {
    await page.goto(siteAt('localhost'));
    const seen = await page.evaluate(tryEverything, [
      { method: 'POST', url: `${app.address}/v1/keys/free` },
      { method: 'GET', url: `${app.address}/metrics` },
    ]);
    assert.deepEqual(
      seen.filter(({ text }) => text !== ''),
      [],
    );
  });

  test("the service's own forms work", async () => {
    await page.goto(`${app.address}/account`);
    await page.type('#key', 'sdl_unknown');
    const [response] = await Promise.all([page.waitForNavigation(), page.click('main button')]);
    assert.equal(response?.status(), 401);
  });
});

/** Runs in the page: every way in which a script can ask, for every target. */
async function tryEverything(targets: Target[]): Promise<Seen[]> {
  const body = '{"query":"q","url":"https://example.org/","jsonrpc":"2.0","id":1,"method":"tools/list"}';
  // The types of browsers are not among those of the tests.
  const { Image: Images } = globalThis as unknown as { Image: new () => object };
  const seen: Seen[] = [];
  const attempt = async (how: string, url: string, init: RequestInit): Promise<void> => {
    try {
      const response = await fetch(url, init);
      seen.push({ how, url, text: await response.text() });
    } catch {
      seen.push({ how, url, text: '' });
    }
  };
  for (const { method, url } of targets) {
    const sent = method === 'POST' ? { method, body } : { method };
    const plain = method === 'POST' ? { 'content-type': 'text/plain' } : {};
    await attempt('simply', url, { ...sent, headers: plain });
    await attempt('with a preflight', url, { ...sent, headers: { 'x-api-key': 'keyless' } });
    await attempt('without looking', url, { ...sent, headers: plain, mode: 'no-cors' });
    await attempt('a look', url, { method: 'HEAD', mode: 'no-cors' });
    await attempt('a simple post', url, { method: 'POST', body, mode: 'no-cors' });
    await new Promise((resolve) => {
      const image = new Images();
      Object.assign(image, { onload: resolve, onerror: resolve, src: url });
    });
  }
  return seen;
}
