import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createBilling } from '../../src/app/compose-billing.ts';
import { createClusterIndex } from '../../src/index/opensearch/cluster-index.ts';
import { createLog } from '../../src/platform/log.ts';
import type { CrawlCaller } from '../chaos/watched-crawl.ts';
import type { TestRedis } from '../fixtures/redis.ts';
import { startWeb } from '../fixtures/web.ts';
import { type ServerProcess, startServer } from '../processes/server-process.ts';
import { callUntil, rightAgain, type Seen, type Target } from './callers.ts';
import { type CrawlOutcome, startCrawl } from './crawl-across.ts';
import { knownPages } from './known-pages.ts';
import type { TestNodes } from './nodes.ts';
import type { TestPostgres } from './postgres-server.ts';

/** What came of a run; `faults` in words, the seconds until search was right again after each loss. */
type ClusterReport = Omit<Seen, 'faults'> & {
  kills: { servers: number; nodes: number };
  rightAfter: number[];
  crawl: CrawlOutcome['crawl'];
  faults: string[];
};

export type ClusterRun = {
  nodes: TestNodes;
  postgres: TestPostgres;
  redis: Pick<TestRedis, 'url' | 'kill' | 'start'>;
  seconds: number;
};

type After = Parameters<typeof startServer>[0];

const SERVERS = 3;
const CALLERS = 6;
const CREDITS = 10_000_000;
const SERVER_KILLED_EVERY_MS = 5_000;
const NODE_KILLED_EVERY_MS = 30_000;
/** Past every lease and hold. */
const PAUSED_MS = 12_000;
const RIGHT_AGAIN_SECONDS_MAX = 10;
const SETTINGS = {
  APP_SECRET: 'a secret of all servers of this run',
  RECALL: 'index',
  FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
  WEBHOOK_ALLOW_PRIVATE: '127.10.0.0/16',
  LOG_LEVEL: 'fatal',
};

/** Three servers over one cluster, PostgreSQL and Redis are called while all of them are killed, stopped and restarted. */
export async function runCluster(after: After, run: ClusterRun): Promise<ClusterReport> {
  const { known, pages } = knownPages(200);
  const settings = {
    url: run.nodes.url,
    caFile: null,
    token: null,
    aws: null,
    shards: 2,
    refreshMs: 1_000,
  };
  const index = createClusterIndex({ settings, log: createLog('silent') });
  await index.put(pages);
  await index.close();
  await run.nodes.green();
  const site = await startWeb({
    address: '127.10.0.1',
    fallback: (request, response) =>
      void response
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(
          `<title>${request.url}</title><main><h1>Page</h1><p>${'Words of the page. '.repeat(40)}</p></main>`,
        ),
  });
  after.after(site.close);
  const fleet = await openFleet(after, run);
  const work = { targets: fleet.targets, key: fleet.key, known, site: site.origin };
  const seen: Seen = { answered: 0, unavailable: 0, broken: 0, faults: [] };
  const crawl = await startCrawl(after, { caller: fleet.crawler, seconds: run.seconds });
  const ended = new AbortController();
  const callers = Array.from({ length: CALLERS }, () => callUntil(ended.signal, work, seen));
  const lost = await loseParts(run, fleet, work);
  ended.abort();
  await Promise.all(callers);
  await run.nodes.green();
  const rightAfter = [...lost.rightAfter];
  for (const { address } of fleet.targets)
    if (address !== null) rightAfter.push(await rightAgain(address, work, RIGHT_AGAIN_SECONDS_MAX));
  await crawl.ended();
  await fleet.end();
  const { faults, ...counts } = seen;
  const crawled = await crawl.judge(lost.at);
  return {
    ...counts,
    kills: lost.kills,
    rightAfter,
    crawl: crawled.crawl,
    faults: [...faults, ...lost.faults, ...crawled.faults],
  };
}

type Fleet = {
  key: string;
  /** Who pays for the crawl alone. */
  crawler: CrawlCaller;
  targets: Target[];
  /** SIGKILL, and another process in its place. */
  replace(place: number): Promise<void>;
  /** SIGSTOP for longer than any lease. */
  stopForAWhile(place: number): Promise<void>;
  end(): Promise<void>;
};

async function openFleet(after: After, { nodes, postgres, redis }: ClusterRun): Promise<Fleet> {
  const folders = Array.from({ length: SERVERS }, () => mkdtempSync(join(tmpdir(), 'sanderling-cluster-')));
  after.after(() => folders.map((folder) => rmSync(folder, { recursive: true, force: true })));
  const place = { dataDir: folders[0] ?? '', databaseUrl: postgres.url };
  const billing = await createBilling(place, { log: createLog('silent') });
  const { apiKey } = await billing.keys.create({ credits: CREDITS, label: null });
  const crawler = await billing.keys.create({ credits: CREDITS, label: null });
  await billing.close();
  const urls = { INDEX_URL: nodes.url, DATABASE_URL: postgres.url, CACHE_URL: redis.url };
  const servers: ServerProcess[] = [];
  const targets: Target[] = folders.map(() => ({ address: null, lostAt: 0, isPaused: false }));
  const start = async (at: number): Promise<void> => {
    servers[at] = await startAgain(() => startServer(after, folders[at] ?? '', { ...SETTINGS, ...urls }));
    Object.assign(targets[at] ?? {}, { address: servers[at]?.address });
  };
  for (const at of folders.keys()) await start(at);
  return {
    key: apiKey,
    targets,
    crawler: {
      key: { authorization: `Bearer ${crawler.apiKey}` },
      keyId: crawler.keyId,
      credits: CREDITS,
      place,
      // The server that is never killed.
      address: () => targets[0]?.address ?? '',
    },
    async replace(at) {
      Object.assign(targets[at] ?? {}, { address: null, lostAt: Number.POSITIVE_INFINITY });
      await servers[at]?.kill();
      Object.assign(targets[at] ?? {}, { lostAt: performance.now() });
      await start(at);
    },
    async stopForAWhile(at) {
      Object.assign(targets[at] ?? {}, { isPaused: true });
      servers[at]?.pause();
      await pause(PAUSED_MS);
      servers[at]?.resume();
      Object.assign(targets[at] ?? {}, { isPaused: false, lostAt: performance.now() });
    },
    async end() {
      for (const server of servers) await server.end();
    },
  };
}

const STARTS_MAX = 20;
const START_AGAIN_MS = 1_000;

/** A server does not start while PostgreSQL does; whoever watches over it starts it again. */
async function startAgain(start: () => Promise<ServerProcess>): Promise<ServerProcess> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempt === STARTS_MAX) throw error;
      await pause(START_AGAIN_MS);
    }
  }
}

type Lost = {
  kills: { servers: number; nodes: number };
  /** When a server, Redis or PostgreSQL was lost or came back, in the milliseconds of `performance.now()`. */
  at: number[];
  rightAfter: number[];
  faults: string[];
};

/** Kills, stops and restarts the parts for as long as the run lasts. */
async function loseParts(
  { nodes, postgres, redis, seconds }: ClusterRun,
  fleet: Fleet,
  work: Parameters<typeof rightAgain>[1],
): Promise<Lost> {
  const until = performance.now() + seconds * 1_000;
  const isOver = (): boolean => performance.now() > until;
  const lost: Lost = { kills: { servers: 0, nodes: 0 }, at: [], rightAfter: [], faults: [] };
  const note = (): void => void lost.at.push(performance.now());
  const killServers = async (): Promise<void> => {
    // The first server stays, so that a loss of other parts shows.
    for (let turn = 0; !isOver(); turn += 1) {
      await pause(SERVER_KILLED_EVERY_MS);
      const at = 1 + (turn % (SERVERS - 1));
      if (fleet.targets[at]?.isPaused === false) {
        note();
        await fleet.replace(at);
        lost.kills.servers += 1;
      }
    }
  };
  const killNodes = async (): Promise<void> => {
    for (let at = 0; !isOver(); at += 1) {
      const nextAt = performance.now() + NODE_KILLED_EVERY_MS;
      await nodes.kill(at % SERVERS);
      lost.kills.nodes += 1;
      const seconds = rightAgain(fleet.targets[0]?.address ?? '', work, RIGHT_AGAIN_SECONDS_MAX);
      await seconds.then(
        (took) => void lost.rightAfter.push(took),
        (error: Error) => void lost.faults.push(error.message),
      );
      await nodes.start(at % SERVERS);
      await nodes.green();
      await pause(Math.max(0, nextAt - performance.now()));
    }
  };
  const restartStores = async (): Promise<void> => {
    await pause(seconds * 250);
    note();
    await redis.kill();
    await pause(2_000);
    await redis.start();
    await pause(seconds * 250);
    note();
    await postgres.restart();
    note();
  };
  const stopOne = async (): Promise<void> => {
    await pause(seconds * 100);
    note();
    await fleet.stopForAWhile(SERVERS - 1);
    note();
  };
  const settled = await Promise.allSettled([killServers(), killNodes(), restartStores(), stopOne()]);
  for (const one of settled) if (one.status === 'rejected') lost.faults.push(String(one.reason));
  return lost;
}
