/**
 * How long a page takes in the browser, and what the browser takes in memory over many pages: `node bench/render.ts [pages] [at once]`.
 * Serves the pages of test/fixtures/script-pages.ts on loopback. Baseline: the plain fetch of the same pages.
 */
import { createLog } from '../src/platform/log.ts';
import { createGuardedFetch } from '../src/platform/net/guarded-fetch.ts';
import { createGuardedProxies } from '../src/platform/net/proxy/guarded-proxy.ts';
import { BrowserPool, processesOf } from '../src/render/browser-pool.ts';
import { createRenderer } from '../src/render/renderer.ts';
import { findChromium, startBrowser } from '../src/render/start-browser.ts';
import { PUBLIC } from '../test/fixtures/rendering.ts';
import { scriptPages } from '../test/fixtures/script-pages.ts';
import { type Route, startWeb } from '../test/fixtures/web.ts';

const [pages = 500, atOnce = 1] = process.argv.slice(2).map(Number);
const ROWS = 10;

const pagesByName = scriptPages('http://127.10.0.9:1');
const routes: Record<string, Route> = Object.assign(
  {},
  ...Object.values(pagesByName).map((one) => one.routes),
);
const web = await startWeb({ routes });
const proxies = createGuardedProxies({ allowPrivate: [PUBLIC] });
const deadEnd = await proxies.open({ bytesMax: 0, requestsMax: 0 });
const chromium = await findChromium(null, process.getuid?.() !== 0);
const log = createLog('silent');
const roots = new Set<number>();
const pool = new BrowserPool({
  log,
  start: async () => {
    const started = await startBrowser(chromium, deadEnd.address);
    roots.add(started.pid);
    return started;
  },
});
const renderer = createRenderer({ pool, proxies, log });
const network = createGuardedFetch({ allowPrivate: [PUBLIC] });
const never = new AbortController().signal;
// What needs longer by its own nature, or another origin, says nothing about the browser.
const paths = Object.entries(pagesByName)
  .filter(([name]) => !/late|frame|without end|worker/.test(name))
  .map(([, { path, routes: own }]) => path ?? Object.keys(own)[0] ?? '/');

const quantile = (times: number[], share: number): string =>
  (times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0).toFixed(0).padStart(6);
const browserMb = (): number =>
  Math.round([...roots].flatMap((pid) => processesOf(pid)).reduce((sum, { mb }) => sum + mb, 0));
const ownMb = (): number => Math.round(process.memoryUsage.rss() / 1_048_576);

await renderer.render({ url: `${web.origin}${paths[0]}`, timeoutMs: 20_000 }, never);
process.stdout.write(`${chromium.version}, ${pages} pages, ${atOnce} at once; times in ms, memory in MB\n`);
process.stdout.write(' pages    p50    p95  plain p50  failed  browser  this process  restarts\n');
const all: number[] = [];
let done = 0;
for (let row = 0; row < ROWS; row += 1) {
  const times: number[] = [];
  const plain: number[] = [];
  let failed = 0;
  const readSome = async (): Promise<void> => {
    while (done < ((row + 1) * pages) / ROWS) {
      const url = `${web.origin}${paths[done % paths.length]}`;
      done += 1;
      const began = performance.now();
      await renderer.render({ url, timeoutMs: 15_000 }, never).catch(() => {
        failed += 1;
      });
      times.push(performance.now() - began);
      const fetchBegan = performance.now();
      await network.fetch({ url: url.split('#')[0] ?? url });
      plain.push(performance.now() - fetchBegan);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, readSome));
  all.push(...times);
  const { restarts } = renderer.state();
  process.stdout.write(
    `${String(done).padStart(6)} ${quantile(times, 0.5)} ${quantile(times, 0.95)}     ${quantile(plain, 0.5)}  ${String(failed).padStart(6)}  ${String(browserMb()).padStart(7)}  ${String(ownMb()).padStart(12)}  ${String(restarts).padStart(8)}\n`,
  );
}
process.stdout.write(`   all ${quantile(all, 0.5)} ${quantile(all, 0.95)}\n`);
await pool.close();
await deadEnd.close();
proxies.close();
await network.close();
await web.close();
