import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFetchFailure, Failure } from '../../src/contract/errors.ts';
import { createBackgroundCrawl } from '../../src/crawl/background/background-crawl.ts';
import type { BackgroundCrawl, CrawlRequest, CrawlSummary } from '../../src/crawl/background/crawl-types.ts';
import type { Frontiers } from '../../src/crawl/background/help-crawls.ts';
import { parseSitemap } from '../../src/crawl/robots/sitemap.ts';
import type { Wait } from '../../src/crawl/visit/visit-all.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import type { Article, Page } from '../../src/pages/article.ts';
import { determinePrivacy } from '../../src/pages/privacy/determine-privacy.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLog } from '../../src/platform/log.ts';
import type { FetchedResponse } from '../../src/platform/net/fetch-types.ts';
import { useFileForCrawls } from '../../src/platform/store/crawls/open-crawl-store.ts';
import { openStore, type Store } from '../../src/platform/store/open-store.ts';

/** A page of the scripted web: its links, or how it fails, decided anew at each visit. */
export type ScriptedPage = Partial<Article> | Failure | ((visit: number) => Partial<Article> | Failure);

export type CrawlFixture = {
  crawl(request: Partial<CrawlRequest> & { starts: string[] }): Promise<CrawlSummary>;
  /** Addresses opened, in order, with the time and how old a cached copy may be. */
  opened: { url: string; at: number; freshMs?: number | undefined }[];
  /** Addresses asked for by fetch: robots.txt and sitemaps. */
  fetched: string[];
  index: Map<string, IndexedPage>;
  store: Store;
  /** Most visits at once. */
  peak(): number;
  now(): number;
  close(): Promise<void>;
};

export type CrawlFixtureOptions = {
  pages: Record<string, ScriptedPage>;
  /** Files such as robots.txt by address; a number is a status. */
  files?: Record<string, string | number>;
  /** The data folder of an earlier fixture, to continue from. */
  dataDir?: string;
  /** The index of an earlier fixture. */
  index?: Map<string, IndexedPage>;
  /** Runs before pages are put into the index; may throw. */
  onPut?: (pages: IndexedPage[]) => void;
  onOpen?: (url: string) => void;
  /** The network address of a host. */
  addressOf?: (host: string) => Promise<string | null>;
  /** How long a page takes to answer, in milliseconds. */
  answerMs?: (url: string) => number;
  /** Where several processes read one crawl. */
  frontiers?: Frontiers;
};

/** The real crawl and the real store over a web, an index and a clock that the test scripts. Time passes only by waiting. */
export async function openCrawlFixture(options: CrawlFixtureOptions): Promise<CrawlFixture> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'crawl-'));
  const store = await openStore(dataDir);
  const index = options.index ?? new Map<string, IndexedPage>();
  const opened: CrawlFixture['opened'] = [];
  const fetched: string[] = [];
  let now = 1_000_000;
  let active = 0;
  let peak = 0;

  const scriptedWait: Wait = async (ms, signal) => {
    // Work that is under way goes first, as it would in real time.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    if (!signal.aborted) now += ms;
  };
  // Processes share the clock of their database, which no test scripts.
  const clock = options.frontiers === undefined ? { now: () => now } : systemClock;
  const crawl: BackgroundCrawl = createBackgroundCrawl({
    fetch: async ({ url }) => {
      fetched.push(url);
      return answer(url, options.files?.[url] ?? 404);
    },
    readSitemapFile: parseSitemap,
    checkUrl: (url) => {
      const parsed = URL.parse(url);
      if (parsed === null) throw new Failure('url_not_allowed', 'no address');
      return parsed;
    },
    openPage: async (url, { signal, freshMs }) => {
      signal.throwIfAborted();
      opened.push({ url, at: now, freshMs });
      options.onOpen?.(url);
      active += 1;
      peak = Math.max(peak, active);
      await new Promise((resolve) => setImmediate(resolve));
      now += options.answerMs?.(url) ?? 0;
      active -= 1;
      const visit = opened.filter((one) => one.url === url).length;
      return pageOf(url, options.pages[url], visit);
    },
    index: {
      async put(pages) {
        options.onPut?.(pages);
        for (const page of pages) index.set(page.url, page);
      },
      async remove(urls) {
        return urls.filter((url) => index.delete(url)).length;
      },
      async list({ selector, after, limit }) {
        const host = selector !== null && 'host' in selector ? selector.host : '';
        return [...index.values()]
          .filter(({ url }) => new URL(url).host === host && url > (after ?? ''))
          .toSorted((one, other) => (one.url < other.url ? -1 : 1))
          .slice(0, limit)
          .map(({ url, title, fetchedAt }) => ({ url, title, fetchedAt, usedAt: 0, bytes: 0 }));
      },
    },
    frontiers: options.frontiers ?? { store: useFileForCrawls(store, clock), place: '', atWork: new Set() },
    addressOf: options.addressOf,
    log: createLog('silent'),
    clock,
    ...(options.frontiers === undefined ? { wait: scriptedWait } : {}),
  });

  return {
    crawl: (request) =>
      crawl({
        pagesMax: 1_000,
        depthMax: null,
        withinPath: false,
        fresh: false,
        delayMs: null,
        signal: new AbortController().signal,
        ...request,
      }),
    opened,
    fetched,
    index,
    store,
    peak: () => peak,
    now: () => now,
    async close() {
      await store.destroy();
      if (options.dataDir === undefined) rmSync(dataDir, { recursive: true });
    },
  };
}

/** Runs `work` with a fixture, which it closes. */
export async function withWorld(
  options: CrawlFixtureOptions,
  work: (fixture: CrawlFixture) => Promise<void>,
): Promise<void> {
  const fixture = await openCrawlFixture(options);
  try {
    await work(fixture);
  } finally {
    await fixture.close();
  }
}

function answer(url: string, file: string | number): FetchedResponse {
  const status = typeof file === 'number' ? file : 200;
  return { url, status, headers: {}, redirects: [], body: Buffer.from(typeof file === 'number' ? '' : file) };
}

function pageOf(url: string, scripted: ScriptedPage | undefined, visit: number): Page {
  const page = typeof scripted === 'function' ? scripted(visit) : scripted;
  if (page === undefined) throw createFetchFailure('http_status', 'not found', { httpStatus: 404 });
  if (page instanceof Failure) throw page;
  const article: Article = {
    url,
    canonicalUrl: page.url ?? url,
    kind: 'html',
    title: `Title of ${url}`,
    author: null,
    site: null,
    language: 'en',
    published: null,
    description: null,
    headings: [],
    markdown: `Text of ${url}`,
    links: [],
    robots: { index: true, follow: true },
    rawChars: 100,
    ...page,
  };
  const privacy = determinePrivacy({ asked: url, answers: [{ url, headers: {} }], robots: article.robots });
  return { article, fetchedAt: 1, cache: 'miss', privacy };
}
