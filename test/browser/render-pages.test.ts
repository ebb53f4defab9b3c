import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createExtractWorker } from '../../src/pages/extract-worker.ts';
import { createOpenPage } from '../../src/pages/open-page.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import { createGuardedFetch } from '../../src/platform/net/guarded-fetch.ts';
import { openStore } from '../../src/platform/store/open-store.ts';
import { POOL_LIMITS } from '../../src/platform/threads/pool-limits.ts';
import { createTaskPool } from '../../src/platform/threads/task-pool.ts';
import { PUBLIC, startRendering } from '../fixtures/rendering.ts';
import { scriptPages } from '../fixtures/script-pages.ts';
import { type FakeWeb, type Route, startWeb } from '../fixtures/web.ts';
import { WITHOUT_BROWSER } from './chromium.ts';

const OTHER = '127.10.0.3';

describe('pages whose scripts show the text', { skip: WITHOUT_BROWSER }, () => {
  const ends: (() => unknown)[] = [];
  let web: FakeWeb;
  let open: (path: string) => Promise<{ markdown: string; route: string | undefined }>;
  before(async () => {
    const port = await freePort();
    const pages = scriptPages(`http://${OTHER}:${port}`);
    const routes: Record<string, Route> = Object.assign({}, ...Object.values(pages).map((one) => one.routes));
    routes['/gone'] = (_request, response) =>
      response.writeHead(404).end('<div id="app"></div><script>1</script>');
    routes['/check'] =
      '<!doctype html><title>App</title><div id="app"></div><script>document.title = "Just a moment..."; window._cf_chl_opt = {};</script>';
    web = await startWeb({ port, routes });
    const other = await startWeb({ address: OTHER, port, routes });
    const folder = mkdtempSync(join(tmpdir(), 'render-pages-'));
    const store = await openStore(folder);
    const threads = createTaskPool({ ...POOL_LIMITS, threads: 1, pageThreads: 1 });
    const network = createGuardedFetch({ allowPrivate: [PUBLIC] });
    const renderer = await startRendering({ after: (end) => void ends.push(end as () => unknown) });
    const openPage = createOpenPage({
      fetch: network.fetch,
      checkUrl: network.checkUrl,
      store,
      extract: createExtractWorker(threads, systemClock),
      clock: systemClock,
      log: createLog('silent'),
      rendering: { render: (order, { signal }) => renderer.render(order, signal) },
    });
    open = async (path) => {
      const { signal } = new AbortController();
      const { article } = await openPage(`${web.origin}${path}`, { signal, freshMs: 0 });
      return { markdown: article.markdown, route: article.readRoute };
    };
    ends.push(
      () => web.close(),
      () => other.close(),
      () => network.close(),
      () => threads.close(),
      () => store.destroy(),
      () => rmSync(folder, { recursive: true }),
    );
  });
  after(async () => {
    for (const end of ends) await end();
  });

  for (const [name, { path, routes, shows, hides = [] }] of Object.entries(scriptPages('http://unused.test')))
    test(name, async () => {
      const { markdown, route } = await open(path ?? Object.keys(routes)[0] ?? '');
      assert.equal(route, 'browser');
      const text = markdown.replace(/[ \t]+/g, ' ');
      let from = 0;
      for (const wanted of shows) {
        const at = text.indexOf(wanted, from);
        assert.ok(at >= 0, `${wanted}\nis not in\n${text.slice(0, 2_000)}`);
        from = at + wanted.length;
      }
      for (const unwanted of hides) assert.ok(!text.includes(unwanted), unwanted);
    });

  test('a page that does not exist is reported as such', async () => {
    await assert.rejects(open('/gone'), { message: 'the page answered with status 404' });
  });

  test('a bot check that a script shows is reported as such', async () => {
    await assert.rejects(open('/check'), { message: /bot check/ });
  });
});

async function freePort(): Promise<number> {
  const probe = await startWeb({ address: OTHER });
  await probe.close();
  return probe.port;
}
