import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBilling } from '../../src/app/compose-billing.ts';
import { createLog } from '../../src/platform/log.ts';
import type { TestRedis } from '../fixtures/redis.ts';
import { type ServerProcess, startServer } from '../processes/server-process.ts';
import { type CrawlCaller, watchCrawl } from './watched-crawl.ts';

/** What came of one crawl job whose servers were killed. */
export type JobChaosReport = {
  pages: number;
  credits: number;
  kills: number;
  /** Pages that were asked for, again after a kill included. */
  requests: number;
  events: number;
  seconds: number;
  /** Violations, in words. */
  faults: string[];
};

export type JobChaosOptions = {
  /** Null: SQLite. */
  databaseUrl: string | null;
  pages: number;
  kills: number;
  /** Processes over one store; more than one needs PostgreSQL. */
  servers: number;
  /** A Redis that they share, which dies and comes back in the middle. */
  redis?: Pick<TestRedis, 'url' | 'kill' | 'start'>;
  /** Stops the server that took the job until another one has gone on with it, past every lease. */
  pauses?: boolean;
};

const CREDITS = 100_000;
const SECRET = 'a secret of all servers of this run';

/** Crawls a site with a job while the servers are killed at even distances, and compares the answer, the charges and the webhooks. */
export async function jobChaos(options: JobChaosOptions): Promise<JobChaosReport> {
  const began = performance.now();
  const cleanUp: (() => unknown)[] = [];
  const t = { after: (end: () => unknown) => void cleanUp.unshift(end) };
  try {
    const crawl = await watchCrawl(options.pages);
    t.after(crawl.close);
    const fleet = await openFleet(t as Parameters<typeof startServer>[0], options);
    await crawl.start(fleet.caller);
    const reaches = (step: number): Promise<void> =>
      crawl.reaches(Math.floor((options.pages * step) / (options.kills + 1)));
    if (options.pauses) {
      await reaches(0.25);
      await fleet.pausingFirst(() => reaches(1));
    }
    for (let kill = 1; kill <= options.kills; kill++) {
      await reaches(kill);
      if (kill === 1) await options.redis?.kill();
      await fleet.killOne(kill);
    }
    await options.redis?.start();
    const ended = await crawl.ended();
    await fleet.end();
    return {
      ...(await crawl.judge(ended)),
      kills: options.kills,
      seconds: Math.round((performance.now() - began) / 1_000),
    };
  } finally {
    for (const end of cleanUp) await end();
  }
}

/** The servers over one store, and the key that pays. */
type Fleet = {
  caller: CrawlCaller;
  /** Kills a server, another one each time, and starts one in its place. */
  killOne(turn: number): Promise<void>;
  /** Does something while the first server is stopped. */
  pausingFirst(work: () => Promise<void>): Promise<void>;
  end(): Promise<void>;
};

async function openFleet(
  t: Parameters<typeof startServer>[0],
  { databaseUrl, servers: size, redis }: JobChaosOptions,
): Promise<Fleet> {
  const folders = Array.from({ length: size }, () => mkdtempSync(join(tmpdir(), 'sanderling-job-chaos-')));
  t.after(() => folders.map((folder) => rmSync(folder, { recursive: true, force: true })));
  const [dataDir = ''] = folders;
  const billing = await createBilling({ dataDir, databaseUrl }, { log: createLog('silent') });
  const { apiKey, keyId } = await billing.keys.create({ credits: CREDITS, label: null });
  await billing.close();
  const start = (folder: string): Promise<ServerProcess> =>
    startServer(t, folder, {
      APP_SECRET: SECRET,
      FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
      WEBHOOK_ALLOW_PRIVATE: '127.10.0.0/16',
      LOG_LEVEL: 'fatal',
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      ...(redis === undefined ? {} : { CACHE_URL: redis.url }),
    });
  const servers: ServerProcess[] = [];
  for (const folder of folders) servers.push(await start(folder));
  return {
    caller: {
      key: { authorization: `Bearer ${apiKey}` },
      keyId,
      credits: CREDITS,
      place: { dataDir, databaseUrl },
      address: () => servers[0]?.address ?? '',
    },
    async killOne(turn) {
      const place = turn % size;
      await servers[place]?.kill();
      servers[place] = await start(folders[place] ?? '');
    },
    async pausingFirst(work) {
      servers[0]?.pause();
      await work();
      servers[0]?.resume();
    },
    async end() {
      for (const server of servers) await server.end();
    },
  };
}
