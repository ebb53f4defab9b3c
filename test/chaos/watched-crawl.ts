import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createBilling } from '../../src/app/compose-billing.ts';
import { createAudit } from '../../src/billing/audit/audit.ts';
import { createLog } from '../../src/platform/log.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Received, startWebhookReceiver, type WebhookReceiver } from '../fixtures/webhook-receiver.ts';

/** Who pays for a crawl, where, and which server is asked about it. */
export type CrawlCaller = {
  key: Record<string, string>;
  keyId: string;
  /** What the key was given; nothing else is charged to it. */
  credits: number;
  place: { dataDir: string; databaseUrl: string | null };
  /** Any server that lives. */
  address(): string;
};

/** What came of one crawl; `faults` in words. */
type CrawlReport = {
  pages: number;
  credits: number;
  /** Pages that were asked for, again after a kill included. */
  requests: number;
  events: number;
  faults: string[];
};

/** A crawl job of a site of its own, of which everything is written down. */
export type WatchedCrawl = {
  /** Resolves when so many pages have been asked for. */
  reaches(requests: number): Promise<void>;
  /** Times in the milliseconds of `performance.now()` at which each page was asked for. */
  askedAt: ReadonlyMap<string, readonly number[]>;
  start(caller: CrawlCaller): Promise<void>;
  /** Resolves to the answer of the job and its events, once it has ended. */
  ended(): Promise<Ended>;
  /** Compares the answer, the charges and the events; to be called when the servers have ended. */
  judge(ended: Ended): Promise<CrawlReport>;
  close(): Promise<void>;
};

type Ended = { answer: CrawlAnswer };

const LINKS = 8;
const LOOK_MS = 200;
const LOOKS_MAX = 3_000;
/** crawl.started, crawl.page, crawl.completed. */
const EVENT_TYPES = 3;

/** Starts a site of so many pages in a tree, and who is told of the job's events. */
export async function watchCrawl(
  pages: number,
  addresses = { site: '127.10.0.1', receiver: '127.10.0.2' },
): Promise<WatchedCrawl> {
  const site = await startSite(pages, addresses.site);
  const receiver = await startWebhookReceiver(addresses.receiver);
  let started: { caller: CrawlCaller; job: StartedJob } | null = null;
  const running = () => {
    assert.ok(started !== null, 'the crawl was not started');
    return started;
  };
  return {
    reaches: site.reaches,
    askedAt: site.askedAt,
    async start(caller) {
      started = { caller, job: await startJob(caller, { site: site.web, receiver }) };
    },
    async ended() {
      const { caller, job } = running();
      const answer = await answerOf(caller, job.id);
      await isTold(receiver, answer.urls);
      return { answer };
    },
    async judge({ answer }) {
      const counts = { pages: answer.urls.length, credits: answer.creditsUsed };
      const seen = { requests: site.web.hits(), events: receiver.received.length };
      return { ...counts, ...seen, faults: await faultsOf({ ...running(), answer, receiver, site }) };
    },
    async close() {
      await receiver.close();
      await site.web.close();
    },
  };
}

type Site = {
  web: FakeWeb;
  urls: string[];
  askedAt: Map<string, number[]>;
  reaches(requests: number): Promise<void>;
};

/** Pages in a tree. */
async function startSite(pages: number, address: string): Promise<Site> {
  let requests = 0;
  const askedAt = new Map<string, number[]>();
  const waiting = new Set<() => void>();
  const web = await startWeb({
    address,
    fallback(request, response) {
      const { url = '' } = request;
      const [, number] = /^\/p\/(\d+)$/.exec(url) ?? ['', url === '/' ? '0' : null];
      if (number === null || Number(number) >= pages) {
        response.writeHead(404).end();
        return;
      }
      requests += 1;
      askedAt.set(url, [...(askedAt.get(url) ?? []), performance.now()]);
      for (const look of waiting) look();
      response.setHeader('content-type', 'text/html; charset=utf-8').end(pageOf(Number(number), pages));
    },
  });
  return {
    web,
    askedAt,
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

type StartedJob = { id: string; secret: string };

async function startJob(
  { address, key }: CrawlCaller,
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
async function answerOf({ address, key }: CrawlCaller, id: string): Promise<CrawlAnswer> {
  // biome-ignore lint/suspicious/noExplicitAny: the tests of the route assert its shape
  const get = (path: string): Promise<any> => answered(() => fetch(address() + path, { headers: key }));
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

const UNANSWERED_MAX = 600;

/** The JSON of a call that is repeated while a server is killed or says that its store is away. */
// biome-ignore lint/suspicious/noExplicitAny: the tests of the route assert its shape
async function answered(call: () => Promise<Response>): Promise<any> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const response = await call();
      if (response.status !== 503) return await response.json();
    } catch (error) {
      if (attempt === UNANSWERED_MAX) throw error;
    }
    assert.ok(attempt < UNANSWERED_MAX, 'no server answers');
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
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
  caller: CrawlCaller;
  job: StartedJob;
  answer: CrawlAnswer;
  receiver: WebhookReceiver;
  site: Site;
}): Promise<string[]> {
  const { caller, job, answer, receiver, site } = run;
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
  const billing = await createBilling(caller.place, { log: createLog('silent') });
  const charged = caller.credits - (await billing.ledger.available(caller.keyId));
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
