/**
 * The whole product on a small real web: serves the manuals of Debian's `python3.11-doc` and `postgresql-doc-15` on loopback
 * under two host names of its own DNS, crawls them with the command line, starts the server and sends it requests over HTTP.
 *
 *   node bench/localweb.ts --docs <folder with python3.11/html and postgresql-doc-15/html>
 *
 * Prints: the crawl; whether /v1/contents returns tables and code whole; what /r/{url}?q= returns for questions about known places.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ManualName, startManuals } from './localweb/manuals.ts';
import { printContents, printReads } from './localweb/page-checks.ts';
import { crawlWithCli, startServer } from './localweb/processes.ts';

const MANUALS: ManualName[] = ['python3.11-doc', 'postgresql-doc-15'];
const PAGES_MAX = 5_000;

const { values } = parseArgs({ options: { docs: { type: 'string', default: '/usr/share/doc' } } });
const web = await startManuals(values.docs, MANUALS);
const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-localweb-'));
const settings = { ...web.settings, DATA_DIR: dataDir, PORT: '0' };

try {
  await crawlWithCli(
    web.origins.map((origin) => `${origin}/index.html`),
    PAGES_MAX,
    settings,
  );
  const server = await startServer(settings);
  try {
    await printContents(server.address, web.origins);
    await printReads(server.address, web.origins);
  } finally {
    await server.stop();
  }
} finally {
  await web.close();
  rmSync(dataDir, { recursive: true, force: true });
}
