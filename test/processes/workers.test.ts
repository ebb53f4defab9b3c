import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, beforeEach, describe, type TestContext, test } from 'node:test';
import { createTestDatabase, noServer } from '../fixtures/postgres.ts';
import { freePort } from '../fixtures/redis.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { startWeb } from '../fixtures/web.ts';
import { runCli } from './run-cli.ts';
import { type ServerProcess, startServer, workersOf } from './server-process.ts';

const SECRET = 'a secret of all servers of this test';
const database = await createTestDatabase();
after(() => database?.drop());

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The samples that the metrics of a server show at the moment, by their names and labels. */
async function countsOf(address: string): Promise<(sample: string) => number> {
  const response = await fetch(`${address}/metrics`, { headers: { connection: 'close' } });
  assert.equal(response.status, 200);
  const lines = (await response.text()).split('\n');
  return (sample) => Number(lines.find((line) => line.startsWith(`${sample} `))?.slice(sample.length));
}

/** The status of one call; rejects if the connection breaks. */
function statusOf(url: string, agent?: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    })
      .on('error', reject)
      .end();
  });
}

/** Waits until two processes serve. */
async function bothServe({ address }: ServerProcess): Promise<void> {
  await waitFor(async () => (await countsOf(address))('sanderling_workers{state="answering"}') === 2);
}

describe('several processes of one server', { skip: database === null ? noServer : false }, () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-workers-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const start = async (t: TestContext, ...options: string[]): Promise<ServerProcess> =>
    startServer(
      t,
      folder,
      {
        DATABASE_URL: database?.url ?? '',
        APP_SECRET: SECRET,
        FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
        LOG_LEVEL: 'fatal',
        PORT: String(await freePort()),
      },
      options,
    );

  test('share a port, are replaced when one dies, and end together', async (t) => {
    const server = await start(t, '--workers', '2');
    await bothServe(server);
    const before = workersOf(server);
    process.kill(before[0] ?? 0, 'SIGKILL');
    await waitFor(() => workersOf(server).length === 2 && !workersOf(server).includes(before[0] ?? 0));
    await waitFor(async () => (await statusOf(`${server.address}/readyz`).catch(() => 0)) === 200);
    await server.end();
  });

  test('are replaced one after another on SIGHUP, and no call fails', async (t) => {
    const server = await start(t, '--workers', '2');
    await bothServe(server);
    const before = workersOf(server);
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const statuses: number[] = [];
    let isOver = false;
    const calling = Promise.all(
      Array.from({ length: 4 }, async () => {
        // Served under any load: another answer than 200, or none, is the restart's fault.
        while (!isOver) {
          statuses.push(await statusOf(`${server.address}/healthz`, agent));
          await pause(10);
        }
      }),
    );
    process.kill(server.pid, 'SIGHUP');
    await waitFor(() => {
      const now = workersOf(server);
      return now.length === 2 && !now.some((pid) => before.includes(pid));
    });
    isOver = true;
    await calling;
    agent.destroy();
    assert.ok(statuses.length > 0);
    assert.deepEqual(
      statuses.filter((status) => status !== 200),
      [],
    );
    await server.end();
  });

  test('show the metrics of all, whichever answers, and keep those of workers that are gone', async (t) => {
    const server = await start(t, '--workers', '2');
    await bothServe(server);
    const before = workersOf(server);
    const answered = 'sanderling_request_seconds_count{route="/healthz",status="200"}';
    const call = async (times: number): Promise<void> => {
      for (let time = 0; time < times; time += 1)
        assert.equal(await statusOf(`${server.address}/healthz`, new Agent()), 200);
    };
    /** Each of several scrapes, which both workers answer, shows the calls that either has counted. */
    const shown = async (calls: number): Promise<void> => {
      // A call is counted just after its answer has left.
      await waitFor(async () => (await countsOf(server.address))(answered) >= calls);
      for (let scrape = 0; scrape < 4; scrape += 1)
        assert.equal((await countsOf(server.address))(answered), calls);
    };
    await call(11);
    await shown(11);
    const samples = await countsOf(server.address);
    for (const worker of ['1', '2'])
      assert.ok(samples(`process_resident_memory_bytes{worker="${worker}"}`) > 0);

    process.kill(before[0] ?? 0, 'SIGKILL');
    await waitFor(() => !workersOf(server).includes(before[0] ?? 0));
    await bothServe(server);
    await shown(11);
    await call(6);
    await shown(17);

    await call(5);
    const old = workersOf(server);
    process.kill(server.pid, 'SIGHUP');
    await waitFor(() => !workersOf(server).some((pid) => old.includes(pid)));
    await shown(22);
    await server.end();
  });

  test('have roles: one takes the order of a crawl, another one works on it', async (t) => {
    const web = await startWeb({
      address: '127.10.0.9',
      fallback: (_request, response) =>
        void response
          .setHeader('content-type', 'text/html')
          .end('<title>A page</title><p>Some text to read.</p>'),
    });
    t.after(web.close);
    const key = { authorization: 'Bearer keyless', 'content-type': 'application/json' };
    const api = await start(t, '--role', 'api');
    const ordered = await fetch(`${api.address}/v2/crawl`, {
      method: 'POST',
      headers: key,
      body: JSON.stringify({ url: `${web.origin}/`, sitemap: 'skip', limit: 1 }),
    });
    const { id } = (await ordered.json()) as { id: string };
    assert.equal(ordered.status, 200);
    // Three rounds of a runner, had it one.
    await pause(3_000);
    assert.equal((await api.get(`/v2/crawl/${id}`, key)).status, 'scraping');
    const crawler = await start(t, '--role', 'crawl');
    assert.equal(await statusOf(`${crawler.address}/healthz`), 200);
    assert.equal(await statusOf(`${crawler.address}/r/${web.origin}/`), 404);
    await waitFor(async () => (await api.get(`/v2/crawl/${id}`, key)).status === 'completed');
    assert.equal(web.hits('/'), 1);
    await api.end();
    await crawler.end();
  });
});

test('several processes need a database that they share', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-workers-'));
  try {
    const { code, err } = await runCli(folder, ['serve', '--workers', '2']);
    assert.equal(code, 1);
    assert.match(err, /DATABASE_URL: is missing.*--workers needs it/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
