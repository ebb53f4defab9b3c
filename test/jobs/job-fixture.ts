import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFetchFailure } from '../../src/contract/errors.ts';
import type { ChargePages, CrawlOrder, JobOrder, ReadForJob } from '../../src/jobs/job-types.ts';
import { createJobs, type Jobs, type StartJobOptions } from '../../src/jobs/jobs.ts';
import { LEASE_MS, takeLease } from '../../src/jobs/rows/job-rows.ts';
import { type RunJobDeps, runJob } from '../../src/jobs/run/run-job.ts';
import type { Article, Page } from '../../src/pages/article.ts';
import type { GuardedFetch } from '../../src/platform/net/fetch-types.ts';
import { type JobStore, openJobStore } from '../../src/platform/store/jobs/open-job-store.ts';

/** What a site serves: links of its pages by path; a page may declare another as its canonical one, or fail. */
export type SitePages = Record<
  string,
  { links?: string[]; canonical?: string; title?: string; to?: string; status?: number; text?: string }
>;

export const SITE = 'https://site.example';
export const NOON = Date.parse('2026-11-22T12:00:00Z');

/** Jobs over a store, with a site in memory in place of the network and a ledger that counts. */
export type JobFixture = {
  store: JobStore;
  jobs: Jobs;
  /** Pages charged, by reference. */
  charged: Map<string, number>;
  /** Pages that the payer can still pay. */
  credits: { left: number };
  /** Addresses in the order in which they were read. */
  read: string[];
  clock: { now(): number; add(ms: number): void };
  deps: RunJobDeps;
  start(order?: Partial<CrawlOrder>, rest?: Partial<StartJobOptions & { pagesMax: number }>): Promise<string>;
  /** Takes the lease and runs the job; resolves to false if another holds it. */
  run(id: string, signal?: AbortSignal, deps?: Partial<RunJobDeps>): Promise<boolean>;
  /** The addresses of the answer in their order. */
  answer(id: string): Promise<string[]>;
  close(): Promise<void>;
};

const NO_SITEMAP: CrawlOrder['sitemap'] = 'skip';

export async function openJobFixture(
  databaseUrl: string | null,
  site: SitePages,
  robots = '',
): Promise<JobFixture> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-jobs-'));
  const store = await openJobStore({ dataDir, databaseUrl });
  await store.db.deleteFrom('job').execute();
  let now = NOON;
  const clock = {
    now: () => now,
    add(ms: number) {
      now += ms;
    },
  };
  const charged = new Map<string, number>();
  const credits = { left: Number.MAX_SAFE_INTEGER };
  const read: string[] = [];
  const deps: RunJobDeps = {
    store,
    clock,
    charge: chargeFrom(charged, credits),
    read: readFrom(site, read),
    fetch: robotsOnly(robots),
    readSitemapFile: async () => ({ pages: [], sitemaps: [] }),
    async wait(ms) {
      now += ms;
    },
  };
  const jobs = createJobs({ store, clock, onStarted() {} });
  return {
    store,
    jobs,
    charged,
    credits,
    read,
    clock,
    deps,
    start: (crawl = {}, { pagesMax = 100, ...rest } = {}) =>
      jobs.start({
        owner: 'key one',
        keyId: 'one',
        runningMax: 100,
        order: orderOf(crawl, pagesMax),
        urls: [crawl.start ?? `${SITE}/`],
        ...rest,
      }),
    async run(id, signal = new AbortController().signal, changed = {}) {
      const row = await store.db.selectFrom('job').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
      clock.add(LEASE_MS + 1);
      const taken = await takeLease(store.db, { id, token: row.lease_token }, { now, leaseMs: LEASE_MS });
      if (taken !== null) await runJob({ ...deps, ...changed }, taken, signal);
      return taken !== null;
    },
    async answer(id) {
      const { documents } = await jobs.documents(id, { place: 0, limit: 10_000 });
      return documents.map((document) => JSON.parse(document).url);
    },
    async close() {
      await store.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export function orderOf(crawl: Partial<CrawlOrder> | null, pagesMax = 100): JobOrder {
  const whole = {
    start: `${SITE}/`,
    include: [],
    exclude: [],
    matchesWholeUrl: false,
    entireDomain: true,
    subdomains: false,
    external: false,
    ignoresQuery: false,
    foldsSpellings: true,
    depthMax: null,
    sitemap: NO_SITEMAP,
  };
  return {
    crawl: crawl === null ? null : { ...whole, ...crawl },
    pagesMax,
    delayMs: 0,
    perHostMax: 4,
    reading: null,
    keep: true,
    webhook: null,
  };
}

function chargeFrom(charged: Map<string, number>, credits: { left: number }): ChargePages {
  return async ({ reference, pages }) => {
    const paid = charged.get(reference) ?? Math.min(pages, credits.left);
    if (!charged.has(reference)) credits.left -= paid;
    charged.set(reference, paid);
    return { paid, credits: paid };
  };
}

function readFrom(site: SitePages, read: string[]): ReadForJob {
  return async (url) => {
    const { origin, pathname, search } = new URL(url);
    read.push(url);
    const page = site[pathname + search] ?? site[url];
    if (page === undefined || page.status !== undefined)
      throw createFetchFailure('http_status', 'gone', { httpStatus: page?.status ?? 404 });
    const end = page.to ?? url;
    return { page: pageAt(end, { origin, ...page }), document: JSON.stringify({ url: end }) };
  };
}

function pageAt(url: string, { origin, ...page }: SitePages[string] & { origin: string }): Page {
  const title = page.title ?? `Page at ${url}`;
  const article: Article = {
    url,
    canonicalUrl: page.canonical === undefined ? url : new URL(page.canonical, origin).href,
    kind: 'html',
    title,
    author: null,
    site: null,
    language: 'en',
    published: null,
    description: null,
    headings: [],
    markdown: page.text ?? `# ${title}\n`,
    rawChars: 100,
    links: (page.links ?? []).map((link) => new URL(link, origin).href),
    robots: { index: true, follow: true },
  };
  return { article, fetchedAt: NOON, cache: 'miss', privacy: null };
}

function robotsOnly(robots: string): GuardedFetch {
  return async ({ url }) => ({
    url,
    status: 200,
    headers: {},
    redirects: [],
    body: new TextEncoder().encode(robots),
  });
}
