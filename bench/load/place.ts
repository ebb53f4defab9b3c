import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { createBilling } from '../../src/app/compose-billing.ts';
import { createLocalIndex } from '../../src/index/local-index.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import type { Article } from '../../src/pages/article.ts';
import { createLog } from '../../src/platform/log.ts';
import {
  createPlace,
  type MeasuredProcess,
  startArguments,
  startMeasured,
} from '../processes/measured-process.ts';
import { createRandom } from '../search/random.ts';
import { createTextPage } from '../search/text-page.ts';
import { WORDS, wordAt } from './cases.ts';
import { keepPages } from './kept-pages.ts';

/** A metered server over an index and a site of pages. */
export type LoadPlace = {
  address: string;
  /** A key with credits; several take turns. */
  nextKey(): string;
  /** A key without credits. */
  emptyKey: string;
  /** A page of the site of about so many kilobytes. */
  pageUrl(number: number, kilobytes: number): string;
  /** Credits of all keys together. */
  creditsLeft(): Promise<number>;
  cpuMs(): number;
  memory: MeasuredProcess['memory'];
  /** Resolves when the server has nothing more to do, after ten seconds at the latest. */
  rest(): Promise<void>;
  close(): Promise<void>;
};

const KEYS = 8;
const CREDITS = 1_000_000_000;
const BATCH = 500;
const HOSTS = 200;
/** Size of the pages of the index on their site. */
const KEPT_KILOBYTES = 5;
/** Characters of markup around a paragraph. */
const MARKS_OF_PARAGRAPH = 8;
const REST_LOOK_MS = 200;
const REST_LOOKS_MAX = 50;

export async function openPlace(wanted: {
  databaseUrl: string | null;
  pages: number;
  logLevel: string;
  /** Fresh copies of the pages of the index are kept; absent: they have to be read from their site. */
  areKept?: boolean;
  /** Processes on one port, over PostgreSQL and the cache at this address; absent: one, without them. */
  workers?: { count: number; cacheUrl: string };
  /** How many keys take turns. */
  keys?: number;
}): Promise<LoadPlace> {
  const { databaseUrl, pages, logLevel, areKept = false, workers } = wanted;
  const folders = createPlace();
  const dataDir = folders.settings.DATA_DIR ?? '';
  const site = await serveSite();
  await fillIndex(join(dataDir, 'index.db'), pages, site.pageUrl);
  if (areKept) await keepPages(dataDir, articlesOf(pages, site.pageUrl));
  const keys = await createKeys(wanted.keys ?? KEYS, { dataDir, databaseUrl });
  const server = await startMeasured(
    [...startArguments(), ...(workers === undefined ? [] : ['--workers', String(workers.count)])],
    {
      ...folders.settings,
      METERING: 'on',
      PAYMENTS: 'sandbox',
      FREE_KEYS: 'on',
      LOG_LEVEL: logLevel,
      ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl }),
      // With 0 the port changes when no worker is left to hold it.
      ...(workers === undefined ? {} : { CACHE_URL: workers.cacheUrl, PORT: String(await freePort()) }),
    },
    { quiet: true },
  );
  let turn = 0;
  return {
    address: server.address,
    nextKey() {
      turn += 1;
      return keys.full[turn % keys.full.length] ?? '';
    },
    emptyKey: keys.empty,
    pageUrl: site.pageUrl,
    creditsLeft: () => creditsLeft(server.address, keys.full),
    cpuMs: server.cpuMs,
    memory: server.memory,
    rest: () => untilIdle(server.cpuMs),
    async close() {
      await server.stop();
      site.close();
      folders.remove();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A server whose clients have left may still work for them. */
async function untilIdle(cpuMs: () => number): Promise<void> {
  for (let looks = 0; looks < REST_LOOKS_MAX; looks += 1) {
    const before = cpuMs();
    await later(REST_LOOK_MS);
    if (cpuMs() - before < REST_LOOK_MS / 10) return;
  }
}

async function createKeys(
  count: number,
  { dataDir, databaseUrl }: { dataDir: string; databaseUrl: string | null },
): Promise<{ full: string[]; empty: string }> {
  const billing = await createBilling({ dataDir, databaseUrl }, { log: createLog('silent') });
  try {
    const created = Array.from({ length: count }, () =>
      billing.keys.create({ credits: CREDITS, label: null }),
    );
    const full = (await Promise.all(created)).map(({ apiKey }) => apiKey);
    const { apiKey: empty } = await billing.keys.create({ credits: 0, label: null });
    return { full, empty };
  } finally {
    await billing.close();
  }
}

async function creditsLeft(address: string, keys: readonly string[]): Promise<number> {
  const left = keys.map(async (key) => {
    const response = await fetch(`${address}/v1/balance`, { headers: { authorization: `Bearer ${key}` } });
    return ((await response.json()) as { credits: number }).credits;
  });
  return (await Promise.all(left)).reduce((sum, credits) => sum + credits, 0);
}

/** Pages of 120 made-up words each, more of the frequent ones, on 200 addresses of this machine. */
async function fillIndex(
  path: string,
  pages: number,
  pageUrl: (number: number, kilobytes: number) => string,
): Promise<void> {
  const index = await createLocalIndex({ path, log: createLog('warn') });
  const random = createRandom(5);
  // The word of rank r is about as frequent as in a language: nearly 1 / r.
  const word = (): string => wordAt(Math.floor(WORDS * (random(1_000_000) / 1_000_000) ** 3));
  const page = (number: number): IndexedPage => {
    const markdown = Array.from({ length: 4 }, () => `${Array.from({ length: 30 }, word).join(' ')}.`).join(
      '\n\n',
    );
    return createTextPage({
      url: pageUrl(number, KEPT_KILOBYTES),
      title: `${word()} ${word()} ${word()}`,
      markdown,
    });
  };
  try {
    for (let first = 0; first < pages; first += BATCH)
      await index.put(Array.from({ length: BATCH }, (_, place) => page(first + place)));
  } finally {
    await index.close();
  }
}

/** A site whose pages differ by their number and have the size that their address names. */
async function serveSite(): Promise<{ pageUrl: LoadPlace['pageUrl']; close(): void }> {
  const server = createServer((request, response) => {
    const [, kilobytes = '20', number = '1'] = (request.url ?? '').split('/');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(pageOf(Number(number), Number(kilobytes) * 1_000));
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    pageUrl: (number, kilobytes) => `http://127.0.0.${1 + (number % HOSTS)}:${port}/${kilobytes}/${number}`,
    close: () => server.close(),
  };
}

function pageOf(number: number, bytes: number): string {
  const paragraphs = paragraphsOf(number, bytes)
    .map((text) => `<p>${text}</p>\n`)
    .join('');
  return `<!doctype html><title>Page ${number}</title><article><h1>Page ${number}</h1>${paragraphs}</article>`;
}

/** Sentences of made-up words, together about so many bytes of markup. */
function paragraphsOf(number: number, bytes: number): string[] {
  const random = createRandom(number);
  const paragraphs: string[] = [];
  for (let length = 0; length < bytes; ) {
    const text = `${Array.from({ length: 60 }, () => wordAt(random(WORDS))).join(' ')}.`;
    paragraphs.push(text);
    length += text.length + MARKS_OF_PARAGRAPH;
  }
  return paragraphs;
}

/** What the pages of the index are read as. */
function* articlesOf(pages: number, pageUrl: LoadPlace['pageUrl']): Generator<Article> {
  for (let number = 0; number < pages; number += 1) {
    const [url, title] = [pageUrl(number, KEPT_KILOBYTES), `Page ${number}`];
    const markdown = [`# ${title}`, ...paragraphsOf(number, KEPT_KILOBYTES * 1_000)].join('\n\n');
    yield {
      url,
      canonicalUrl: url,
      kind: 'html',
      title,
      author: null,
      site: null,
      language: null,
      published: null,
      description: null,
      headings: [title],
      markdown,
      links: [],
      robots: { index: true, follow: true },
      rawChars: markdown.length,
    };
  }
}
