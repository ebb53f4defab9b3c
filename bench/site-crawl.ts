/**
 * Pages per second of POST /shapeB/crawl over a local site with traps, against `sanderling crawl` of the same site in the same
 * run, and the time of a map. Each line starts with an empty data folder. Both crawls read robots.txt, index what they read and
 * go five links deep; the time of the command includes its start.
 *
 *   node bench/site-crawl.ts [--pages 2000] [--rounds 3]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createLocalIndex } from '../src/index/local-index.ts';
import { createLog } from '../src/platform/log.ts';
import { startTrapSite, type TrapSite } from '../test/fixtures/trap-site.ts';
import { serveReal } from '../test/harness.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SETTINGS = { FETCH_ALLOW_PRIVATE: '127.10.0.0/16' };
const DEPTH = 5;
/** More than the site has, so that a crawl ends by itself. */
const SPARE = 1.5;

const { values } = parseArgs({
  options: { pages: { type: 'string', default: '2000' }, rounds: { type: 'string', default: '3' } },
});
const pages = Number(values.pages);
const wanted = Math.ceil(pages * SPARE);

console.log('round | what                 | pages of the site | other | requests | seconds | pages/s');
for (let round = 1; round <= Number(values.rounds); round += 1) {
  await line(round, 'POST /shapeB/crawl', overHttp);
  await line(round, 'sanderling crawl', byCommand);
  await mapLine(round);
}

async function line(
  round: number,
  name: string,
  crawl: (site: TrapSite) => Promise<string[]>,
): Promise<void> {
  const site = await startTrapSite({ pages });
  const began = performance.now();
  const urls = new Set(await crawl(site));
  const seconds = (performance.now() - began) / 1_000;
  const found = site.pages.filter((url) => urls.has(url)).length;
  const cells = [String(round).padStart(5), name.padEnd(20), `${found} of ${pages}`.padStart(17)];
  const figures = [String(urls.size - found).padStart(5), String(site.hits()).padStart(8)];
  console.log(
    [...cells, ...figures, seconds.toFixed(1).padStart(7), (found / seconds).toFixed(0).padStart(7)].join(
      ' | ',
    ),
  );
  await site.close();
}

async function overHttp(site: TrapSite): Promise<string[]> {
  const served = await serveReal(SETTINGS);
  const owner = await served.owner();
  const asked = { url: site.origin, max_depth: DEPTH, max_breadth: 500, limit: wanted };
  const { json } = await owner.post('/shapeB/crawl', asked);
  await served.close();
  return json.results.map(({ url }: { url: string }) => url);
}

async function byCommand(site: TrapSite): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-crawl-'));
  const bounds = ['--pages', String(wanted), '--depth', String(DEPTH), '--delay', '0'];
  const child = spawn(process.execPath, ['src/cli.ts', 'crawl', site.origin, ...bounds], {
    cwd: ROOT,
    env: { ...process.env, ...SETTINGS, DATA_DIR: folder },
    stdio: 'ignore',
  });
  await once(child, 'exit');
  const index = await createLocalIndex({ path: join(folder, 'index.db'), log: createLog('silent') });
  const kept = await Promise.all(site.pages.map((url) => index.get(url)));
  const { pages: all } = await index.size();
  await index.close();
  rmSync(folder, { recursive: true, force: true });
  const found = kept.flatMap((page) => (page === null ? [] : [page.url]));
  // Other pages that it kept: calendars, and pages with a session id.
  return [...found, ...Array.from({ length: all - found.length }, (_, at) => `other ${at}`)];
}

async function mapLine(round: number): Promise<void> {
  const site = await startTrapSite({ pages });
  const served = await serveReal(SETTINGS);
  const owner = await served.owner();
  for (const fields of [{}, { max_depth: 3, max_breadth: 500, limit: pages }]) {
    const began = performance.now();
    const { json } = await owner.post('/shapeB/map', { url: site.origin, ...fields });
    const ms = performance.now() - began;
    console.log(
      `${String(round).padStart(5)} | POST /shapeB/map ${JSON.stringify(fields)}: ${json.results.length} addresses in ${ms.toFixed(0)} ms`,
    );
  }
  await served.close();
  await site.close();
}
