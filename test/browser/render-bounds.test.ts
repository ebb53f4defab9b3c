import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Failure } from '../../src/contract/errors.ts';
import type { RenderedPage } from '../../src/pages/rendering/render-wire.ts';
import { listProcesses } from '../../src/render/browser-pool.ts';
import { startRendering } from '../fixtures/rendering.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { WITHOUT_BROWSER } from './chromium.ts';

const TEXT = `<h1>A page</h1><p>${'Words that a reader sees. '.repeat(20)}</p>`;
/** Longer than any page may take; a page that hangs would take as long as the test may. */
const TIMEOUT_MS = 6_000;
const LATE_MS = 4_000;
const TRAFFIC = { bytesMax: 5_000_000, requestsMax: 200 };

describe('a page that misbehaves in the browser', { skip: WITHOUT_BROWSER }, () => {
  const ends: (() => unknown)[] = [];
  const script = (code: string): string => `<!doctype html><title>P</title>${TEXT}<script>${code}</script>`;
  let web: FakeWeb;
  let renderer: Awaited<ReturnType<typeof startRendering>>;
  before(async () => {
    web = await startWeb({
      routes: {
        '/fine': script(''),
        '/loop': script('for (;;) {}'),
        '/late-loop': script('setTimeout(() => { for (;;) {} }, 100)'),
        '/alerts': script('for (;;) alert("again")'),
        '/unload': script(
          'addEventListener("beforeunload", (e) => { e.preventDefault(); }); onunload = () => { for (;;) {} };',
        ),
        '/memory': script(
          'const kept = []; setInterval(() => { kept.push(new Uint8Array(50_000_000).fill(1)); }, 20)',
        ),
        '/heap': script('const kept = []; for (;;) kept.push(new Array(1000).fill(Math.random()))'),
        '/downloads': script(
          'setInterval(() => { const a = document.createElement("a"); a.href = "/file?" + Math.random(); a.download = "f"; a.click(); }, 5)',
        ),
        '/file': (_request, response) => {
          response.writeHead(200, { 'content-disposition': 'attachment', 'content-type': 'application/zip' });
          response.end(Buffer.alloc(100_000));
        },
        '/requests': script('for (let i = 0; i < 10000; i += 1) fetch("/fine?" + i).catch(() => {})'),
        '/large': script(
          'for (let i = 0; i < 50; i += 1) fetch("/megabyte?" + i).then((r) => r.text()).catch(() => {})',
        ),
        '/megabyte': (_request, response) => response.end(Buffer.alloc(1_000_000)),
        '/windows': script(
          'for (let i = 0; i < 200; i += 1) open("/fine?" + i); setInterval(() => open("/fine"), 5)',
        ),
        '/moves': script('setTimeout(() => { location.href = "/moves?" + Math.random(); }, 20)'),
        '/grows': script(
          'setInterval(() => { for (let i = 0; i < 500; i += 1) document.body.append(document.createElement("p")); }, 10)',
        ),
        '/huge': script('document.body.append(document.createComment("x".repeat(8_000_000)))'),
        '/slow': (_request, response) => void response.write('<p>never ends'),
      },
    });
    renderer = await startRendering(
      { after: (end) => void ends.push(end as () => unknown) },
      { traffic: TRAFFIC },
    );
    // Started before the first page is measured.
    await renderer.render({ url: `${web.origin}/fine`, timeoutMs: 20_000 }, new AbortController().signal);
  });
  after(async () => {
    for (const end of ends) await end();
    await web.close();
  });

  type Outcome = { page: RenderedPage } | { failure: Failure };
  const render = async (
    path: string,
    more: { timeoutMs?: number; waitMs?: number } = {},
  ): Promise<Outcome> => {
    const began = performance.now();
    const order = { url: `${web.origin}${path}`, timeoutMs: TIMEOUT_MS, ...more };
    const outcome = await renderer.render(order, new AbortController().signal).then(
      (page) => ({ page }),
      (failure: unknown) => {
        assert.ok(failure instanceof Failure, String(failure));
        return { failure };
      },
    );
    assert.ok(performance.now() - began < order.timeoutMs + LATE_MS, `${path} took too long`);
    return outcome;
  };
  const failure = async (path: string, message: RegExp, more = {}): Promise<void> => {
    const outcome = await render(path, more);
    assert.ok('failure' in outcome, path);
    assert.match(outcome.failure.message, message);
  };
  const text = async (path: string, more = {}): Promise<void> => {
    const outcome = await render(path, more);
    assert.ok('page' in outcome, JSON.stringify(outcome));
    assert.match(outcome.page.html, /Words that a reader sees/);
  };

  test('an endless loop', () => failure('/loop', /did not finish in time/));
  test('an endless loop once it is shown', () => failure('/late-loop', /did not finish in time/));
  test('alerts without end', () => failure('/alerts', /dialogs without end|did not finish in time/));
  test('one that will not be left', () => text('/unload'));
  test('memory without end', () =>
    failure('/memory', /crashed in the browser, or took too much memory/, { waitMs: 4_000 }));
  test('objects without end', () => failure('/heap', /took too much memory|did not finish in time/));
  test('downloads without end', () => text('/downloads'));
  test('10,000 requests', async () => {
    await failure('/requests', /requests without end|did not finish in time/, { timeoutMs: 15_000 });
    assert.ok(web.hits('/fine') <= TRAFFIC.requestsMax + 10, String(web.hits('/fine')));
  });
  test('more bytes than a page may load', async () => {
    await text('/large');
    assert.ok(web.hits('/megabyte') <= 40, String(web.hits('/megabyte')));
  });
  test('windows without end, which nobody clicked for', () => text('/windows'));
  test('one that goes on to another again and again', () => failure('/moves', /again and again/));
  test('one that grows without end', async () => {
    const outcome = await render('/grows');
    assert.ok('page' in outcome || /larger than 5 MB|in time/.test(outcome.failure.message));
  });
  test('more text than a page may have', () => failure('/huge', /larger than 5 MB/));
  test('a document that never ends', () => failure('/slow', /did not finish in time/));

  test('a browser that is killed in the middle: the page is read by another one', async () => {
    const { browser, release } = await renderer.pool.lease();
    const pid = browser.process()?.pid ?? 0;
    const order = { url: `${web.origin}/fine`, timeoutMs: 15_000, waitMs: 1_000 };
    const rendering = renderer.render(order, new AbortController().signal);
    setTimeout(() => process.kill(pid, 'SIGKILL'), 400);
    assert.match((await rendering).html, /Words that a reader sees/);
    release(false);
  });

  test('a caller who leaves ends the page', async () => {
    const controller = new AbortController();
    const order = { url: `${web.origin}/fine`, timeoutMs: 15_000, waitMs: 8_000 };
    const rendering = renderer.render(order, controller.signal);
    setTimeout(() => controller.abort(), 500);
    await assert.rejects(rendering, { message: 'the page is no longer wanted' });
  });

  test('after all that the next page is read, and no process is left over', async () => {
    await text('/fine');
    const { browser, release } = await renderer.pool.lease();
    const renderers = listProcesses(browser.process()?.pid ?? 0).filter(({ isRenderer }) => isRenderer);
    assert.ok(renderers.length <= 4, String(renderers.length));
    release(true);
  });
});
