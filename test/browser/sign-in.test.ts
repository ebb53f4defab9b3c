import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { serveReal } from '../harness.ts';
import { connectSignedIn, createProvider } from '../http/oauth/oauth-fixture.ts';
import { openTab, startBrowser, WITHOUT_BROWSER } from './chromium.ts';

describe('somebody signs an application in', { skip: WITHOUT_BROWSER }, () => {
  test('by the official client, in a browser, and signs it out in the account', async (t) => {
    const app = await serveReal({ METERING: 'on' });
    t.after(() => app.close());
    const { apiKey } = await app.billing.keys.create({ credits: 1_000, label: null });
    const arrived: string[] = [];
    const application = createServer((request, response) => {
      arrived.push(request.url ?? '');
      response.setHeader('content-type', 'text/html').end('<p>You can close this window.</p>');
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    t.after(() => {
      application.closeAllConnections();
      application.close();
    });
    const returnTo = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
    const browser = await startBrowser();
    t.after(() => browser.close());
    const { page, complaints } = await openTab(browser);
    const provider = createProvider('Field notes', returnTo);
    const client = await connectSignedIn(`${app.address}/mcp?sign-in=1`, provider, async (url) => {
      await page.goto(url.href);
      assert.match(await page.$eval('main', (main) => main.textContent ?? ''), /calls itself Field notes/);
      await page.type('#key', 'sdl_wrong');
      await Promise.all([page.waitForNavigation(), page.click('button[value=key]')]);
      assert.match(await page.$eval('[role=alert]', (alert) => alert.textContent ?? ''), /unknown/);
      await page.type('#key', apiKey);
      await Promise.all([page.waitForNavigation(), page.click('button[value=key]')]);
      assert.match(await page.$eval('body', (body) => body.textContent ?? ''), /close this window/);
      return new URL(page.url()).searchParams.get('code') ?? '';
    });
    assert.ok((await client.listTools()).tools.length > 5);
    assert.ok(arrived.some((path) => path.startsWith('/callback?code=')));
    await page.goto(`${app.address}/account/apps`);
    await page.type('#key', apiKey);
    await Promise.all([page.waitForNavigation(), page.click('main form button')]);
    await page.goto(`${app.address}/account/apps`);
    assert.match(await page.$eval('main', (main) => main.textContent ?? ''), /Field notes/);
    await Promise.all([page.waitForNavigation(), page.click('button[aria-label="Sign out Field notes"]')]);
    assert.match(await page.$eval('main', (main) => main.textContent ?? ''), /No application is signed in/);
    const token = provider.saved.tokens?.access_token ?? '';
    assert.equal(await app.billing.appGrants.find(token), null);
    assert.deepEqual(complaints, []);
    await client.close();
  });
});
