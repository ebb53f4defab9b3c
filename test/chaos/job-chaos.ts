import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBilling } from '../../src/app/compose-billing.ts';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { createLog } from '../../src/platform/log.ts';
import type { TestRedis } from '../fixtures/redis.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Received, startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { type ServerProcess, startServer } from '../flows/server-process.ts';

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
const LINKS = 8;
const LOOK_MS = 200;
const LOOKS_MAX = 3_000;
/** crawl.started, crawl.page, crawl.completed. */
const EVENT_TYPES = 3;

/** Crawls a site with a job while the servers are killed at even distances, and compares the answer, the charges and the webhooks. */
export async function jobChaos(options: JobChaosOptions): Promise<JobChaosReport> {
  const began = performance.now();
  const cleanUp: (() => unknown)[] = [];
  const t = { after: (end: () => unknown) => void cleanUp.unshift(end) };
  try {
    const site = await startSite(options.pages);
    t.after(site.web.close);
    const receiver = await startWebhookReceiver('127.10.0.2');
    t.after(receiver.close);
    const fleet = await openFleet(t as Parameters<typeof startServer>[0], options);
    const job = await startJob(fleet, { site: site.web, receiver });
    const reaches = (step: number): Promise<void> =>
      site.reaches(Math.floor((options.pages * step) / (options.kills + 1)));
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
    const answer = await answerOf(fleet, job.id);
    await isTold(receiver, answer.urls);
    await fleet.end();
    const report = {
      ...{ pages: answer.urls.length, credits: answer.creditsUsed, kills: options.kills },
      ...{ requests: site.web.hits(), events: receiver.received.length },
      seconds: Math.round((performance.now() - began) / 1_000),
    };
    return { ...report, faults: await faultsOf({ fleet, job, answer, receiver, site, options }) };
  } finally {
    for (const end of cleanUp) await end();
  }
}

type Site = { web: FakeWeb; urls: string[]; reaches(requests: number): Promise<void> };

/** Pages in a tree. */
async function startSite(pages: number): Promise<Site> {
  let requests = 0;
  const waiting = new Set<() => void>();
  const web = await startWeb({
    address: '127.10.0.1',
    fallback(request, response) {
      const [, number] = /^\/p\/(\d+)$/.exec(request.url ?? '') ?? ['', request.url === '/' ? '0' : null];
      if (number === null || Number(number) >= pages) {
        response.writeHead(404).end();
        return;
      }
      requests += 1;
      for (const look of waiting) look();
      response.setHeader('content-type', 'text/html; charset=utf-8').end(pageOf(Number(number), pages));
    },
  });
  return {
    web,
    urls: Array.from({ length: pages }, (_, at) => `${web.origin}/${at === 0 ? '' : `p/${at}`}`),
    reaches: (wanted) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (requests < wanted) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}

function pageOf(number: number, pages: number): string {
  const links = Array.from({ length: LINKS }, (_, at) => number * LINKS + at + 1).filter((to) => to < pages);
  return `<!doctype html><html lang="en"><head><title>Page ${number}</title></head><body><main><h1>Page ${number}</h1>
<p>${`Page ${number} counts the wading birds of beach ${number}. `.repeat(5)}</p></main>
<nav><a href="/">Start</a>${links.map((to) => `<a href="/p/${to}">${to}</a>`).join('')}</nav></body></html>`;
}

/** The servers over one store, and the key that pays. */
type Fleet = {
  key: Record<string, string>;
  keyId: string;
  /** Any server that lives. */
  address(): string;
  /** Kills a server, another one each time, and starts one in its place. */
  killOne(turn: number): Promise<void>;
  /** Does something while the first server is stopped. */
  pausingFirst(work: () => Promise<void>): Promise<void>;
  end(): Promise<void>;
  dataDir: string;
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
      ...{ APP_SECRET: SECRET, FETCH_ALLOW_PRIVATE: '127.10.0.0/16', LOG_LEVEL: 'fatal' },
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      ...(redis === undefined ? {} : { CACHE_URL: redis.url }),
    });
  const servers: ServerProcess[] = [];
  for (const folder of folders) servers.push(await start(folder));
  return {
    ...{ key: { authorization: `Bearer ${apiKey}` }, keyId, dataDir },
    address: () => servers[0]?.address ?? '',
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

type StartedJob = { id: string; secret: string };

async function startJob(
  { address, key }: Fleet,
  { site, receiver }: { site: FakeWeb; receiver: WebhookReceiver },
): Promise<StartedJob> {
  const response = await fetch(`${address()}/v2/crawl`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${site.origin}/`, sitemap: 'skip', webhook: receiver.url }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: the tests of the route assert its shape
  const { id, webhookSecret } = (await response.json()) as any;
  assert.equal(response.status, 200);
  return { id, secret: webhookSecret };
}

type CrawlAnswer = { urls: string[]; creditsUsed: number; status: string; errors: string[] };

/** Asks until the job has ended and its events are delivered, then reads the whole answer. */
async function answerOf({ address, key }: Fleet, id: string): Promise<CrawlAnswer> {
  // biome-ignore lint/suspicious/noExplicitAny: the tests of the route assert its shape
  const get = async (path: string): Promise<any> => (await fetch(address() + path, { headers: key })).json();
  const path = `/v2/crawl/${id}`;
  for (let look = 0; look < LOOKS_MAX && (await get(`${path}?limit=1`)).status === 'scraping'; look++)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  const urls: string[] = [];
  for (let next: string | undefined = path; next !== undefined; ) {
    const slice: Awaited<ReturnType<typeof get>> = await get(next);
    for (const { metadata } of slice.data) urls.push(metadata.url);
    if (slice.next === undefined) {
      const errors = (await get(`${path}/errors`)).errors.map(
        ({ url, code }: Record<string, string>) => `${url} ${code}`,
      );
      return { urls, creditsUsed: slice.creditsUsed, status: slice.status, errors };
    }
    next = new URL(slice.next).pathname + new URL(slice.next).search;
  }
  assert.fail('unreachable');
}

/** Waits until every page has had an event: what a killed server was sending is due again a while later. */
async function isTold(receiver: WebhookReceiver, urls: string[]): Promise<void> {
  for (let look = 0; look < LOOKS_MAX; look++) {
    const told = new Set(receiver.received.map(({ json }) => json.data[0]?.metadata.url));
    const types = new Set(receiver.received.map(({ json }) => json.type));
    if (urls.every((url) => told.has(url)) && types.size === EVENT_TYPES) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function faultsOf(run: {
  fleet: Fleet;
  job: StartedJob;
  answer: CrawlAnswer;
  receiver: WebhookReceiver;
  site: Site;
  options: JobChaosOptions;
}): Promise<string[]> {
  const { fleet, job, answer, receiver, site, options } = run;
  const faults: string[] = [];
  const expect = (holds: boolean, otherwise: string): void => void (holds || faults.push(otherwise));
  const once = new Set(answer.urls);
  expect(answer.status === 'completed', `the job is ${answer.status}`);
  expect(once.size === answer.urls.length, `${answer.urls.length - once.size} pages twice in the answer`);
  const missing = site.urls.filter((url) => !once.has(url));
  expect(
    missing.length === 0,
    `${missing.length} pages are missing: ${[...missing.slice(0, 3), ...answer.errors].join(', ')}`,
  );
  expect(answer.creditsUsed === answer.urls.length, `${answer.creditsUsed} credits stated`);
  const billing = await createBilling(
    { dataDir: fleet.dataDir, databaseUrl: options.databaseUrl },
    { log: createLog('silent') },
  );
  const charged = CREDITS - (await billing.ledger.available(fleet.keyId));
  expect(charged === answer.urls.length, `${charged} credits charged for ${answer.urls.length} pages`);
  faults.push(...(await createAudit(billing)()).map((violation) => JSON.stringify(violation)));
  await billing.close();
  const unsigned = receiver.received.filter((got) => !isSigned(got, job.secret));
  expect(unsigned.length === 0, `${unsigned.length} events without a valid signature`);
  for (const type of ['crawl.started', 'crawl.completed'])
    expect(
      receiver.received.some(({ json }) => json.type === type),
      `no event ${type}`,
    );
  const told = new Set(receiver.received.map(({ json }) => json.data[0]?.metadata.url));
  const untold = answer.urls.filter((url) => !told.has(url));
  expect(untold.length === 0, `${untold.length} pages without an event`);
  return faults;
}

function isSigned({ headers, body }: Received, secret: string): boolean {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  return headers['x-firecrawl-signature'] === `sha256=${signature}`;
}
