import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { startCli } from '../processes/run-cli.ts';
import { startServer } from '../processes/server-process.ts';

const HOSTS = 12;
const PAGES = 80;
const ANSWER_MS = 100;
const LOOK_MS = 50;
const LOOKS_MAX = 800;
/** What one process may have under way and unwritten. */
const UNDER_WAY_MAX = 48 * 5;
/** Requests to one host at once. */
const PER_HOST_MAX = 4;

const database = await createTestDatabase();
after(() => database?.drop());

type Hosts = {
  starts: string[];
  requests: Map<string, number>;
  /** The most requests that one host had at once. */
  most(): number;
  reaches(requests: number): Promise<void>;
  close(): Promise<void>;
};

/** Hosts on one port, each with a page that links to all its others. */
async function startHosts(): Promise<Hosts> {
  const requests = new Map<string, number>();
  const atOnce = new Map<string, number>();
  const looking = new Set<() => void>();
  let most = 0;
  const webs: FakeWeb[] = [];
  const pageOf = (host: number, page: number): string =>
    `<!doctype html><html lang="en"><title>Host ${host} page ${page}</title><main><h1>Host ${host} page ${page}</h1><p>${`Birds of beach ${page} at host ${host} run along the water. `.repeat(4)}</p></main><nav>${page === 0 ? Array.from({ length: PAGES - 1 }, (_, to) => `<a href="/p/${to + 1}">${to + 1}</a>`).join(' ') : ''}</nav></html>`;
  for (let host = 0; host < HOSTS; host += 1) {
    const address = `127.10.1.${host + 1}`;
    const web = await startWeb({
      address,
      ...(webs[0] && { port: webs[0].port }),
      async fallback({ url = '' }, response) {
        const page = url === '/' ? 0 : Number(/^\/p\/(\d+)$/.exec(url)?.[1] ?? Number.NaN);
        if (!(page < PAGES)) return void response.writeHead(404).end();
        requests.set(address + url, (requests.get(address + url) ?? 0) + 1);
        atOnce.set(address, (atOnce.get(address) ?? 0) + 1);
        most = Math.max(most, atOnce.get(address) ?? 0);
        for (const look of looking) look();
        await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
        atOnce.set(address, (atOnce.get(address) ?? 0) - 1);
        response.setHeader('content-type', 'text/html; charset=utf-8').end(pageOf(host, page));
      },
    });
    webs.push(web);
  }
  return {
    starts: webs.map(({ origin }) => `${origin}/`),
    requests,
    most: () => most,
    reaches: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          if ([...requests.values()].reduce((sum, count) => sum + count, 0) < wanted) return;
          looking.delete(look);
          resolve();
        };
        looking.add(look);
        look();
      }),
    close: async () => void (await Promise.all(webs.map((web) => web.close()))),
  };
}

describe('a crawl of many hosts over three processes', { skip: database === null ? noServer : false }, () => {
  test('loses no page when one is stopped past its leases and another is killed, and reads again only what they were at', {
    timeout: 240_000,
  }, async (t) => {
    assert.ok(database !== null);
    const folder = mkdtempSync(join(tmpdir(), 'sanderling-crawl-chaos-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const hosts = await startHosts();
    t.after(hosts.close);
    const settings = { DATABASE_URL: database.url, FETCH_ALLOW_PRIVATE: '127.10.0.0/16', LOG_LEVEL: 'error' };
    const [stopped, killed] = [
      await startServer(t, folder, settings, ['--role', 'crawl']),
      await startServer(t, folder, settings, ['--role', 'crawl']),
    ];
    const crawl = startCli(folder, ['crawl', ...hosts.starts, '--hosts', String(HOSTS)], settings);
    t.after(() => crawl.child.kill('SIGKILL'));
    const db = new pg.Client({ connectionString: database.url });
    await db.connect();
    t.after(() => db.end());
    // biome-ignore lint/suspicious/noExplicitAny: rows of any shape
    const rows = async (text: string): Promise<any[]> => (await db.query(text)).rows;
    const holders = (): Promise<number> =>
      rows('select count(distinct holder)::int as n from crawl_host').then(([row]) => row.n);
    for (let look = 0; (await holders().catch(() => 0)) < 3; look += 1) {
      assert.ok(look < LOOKS_MAX, 'all three take part');
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    await hosts.reaches(HOSTS + 30);
    stopped.pause();
    await hosts.reaches(HOSTS * 8);
    await killed.kill();
    const { code, out, err } = await crawl.end;
    assert.equal(code, 0, err);
    const total = HOSTS * PAGES;
    const settled = () => rows('select state, count(*)::int as n from crawl_url group by state');
    assert.deepEqual(await settled(), [{ state: 'done', n: total }], out);
    stopped.resume();
    // It renews first, learns what it has lost, and is at rest then.
    await stopped.get('/healthz');
    await stopped.end();
    assert.deepEqual(await settled(), [{ state: 'done', n: total }], 'the stopped process wrote nothing');
    assert.equal(hosts.requests.size, total, 'every page was read');
    const again = [...hosts.requests.values()].reduce((sum, count) => sum + count - 1, 0);
    assert.ok(again <= 2 * UNDER_WAY_MAX, `${again} pages were asked for again`);
    assert.ok(hosts.most() <= PER_HOST_MAX, `one host had ${hosts.most()} requests at once`);
    t.diagnostic(
      `${total} pages, ${again} asked for again, at most ${hosts.most()} requests of one host at once`,
    );
  });
});
