import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Composition } from '../src/app/compose.ts';
import type { Outside } from '../src/app/compose-services.ts';
import { readConfig } from '../src/app/config.ts';
import { type AppDeps, createApp } from '../src/http/server/app.ts';
import { createDraining, type Draining, listen } from '../src/http/server/connections.ts';
import { buildPlainArticle } from '../src/pages/formats/plain-article.ts';
import { createLog, type Log } from '../src/platform/log.ts';
import type { ResearchAnswer } from '../src/research/research.ts';
import type { ContentsAnswer } from '../src/search/contents.ts';
import type { ReadAnswer } from '../src/search/read.ts';
import type { SearchAnswer } from '../src/search/search-types.ts';
import type { VerifyAnswer } from '../src/search/verify.ts';
import { describeInterface, type InterfaceDescription } from './fixtures/interface-description.ts';
import { memoryPayments } from './fixtures/memory-payments.ts';
import { exposureOf, METERED, noDelay, siteWith, unscriptedDeps } from './unscripted.ts';

/** The real faces on a real port, with operations that a test scripts. */
export type Served = {
  address: string;
  draining: AppDeps['draining'];
  get(path: string, headers?: Record<string, string>): Promise<Answered>;
  /** An object is sent as JSON; a string or bytes as they are. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Answered>;
  delete(path: string, headers?: Record<string, string>): Promise<Answered>;
  close(): Promise<void>;
};

// biome-ignore lint/suspicious/noExplicitAny: a test reads answers of any shape and asserts what it finds
export type Answered = { status: number; headers: Headers; text: string; json: any };

/** Serves scripted operations on a free port of loopback. What a test does not script fails the call. */
export async function serveScripted(parts: Partial<AppDeps> = {}): Promise<Served> {
  const draining = parts.draining ?? createDraining();
  const site = siteWith(parts.terms === undefined ? METERED : parts.terms);
  const exposure = exposureOf({ baseUrl: parts.publicUrls?.[0] ?? null });
  const deps = { ...unscriptedDeps(), site, exposure, ...parts, draining };
  return serveApp(await createApp(deps), deps);
}

/** Whatever a test calls, its JSON is as the description of the interface says, on the terms of the server. */
const descriptions = new Map<string, InterfaceDescription>();

function descriptionOn(terms: AppDeps['terms']): InterfaceDescription {
  const name = JSON.stringify(terms);
  const known = descriptions.get(name) ?? describeInterface({ ...unscriptedDeps(), terms });
  descriptions.set(name, known);
  return known;
}

async function serveApp(
  app: FastifyInstance,
  { draining, terms }: Pick<AppDeps, 'terms'> & { draining: Draining },
): Promise<Served> {
  const listening = await listen(app, { host: '127.0.0.1', port: 0, draining, idleGraceMs: 0 });
  const send = async (path: string, init: RequestInit): Promise<Answered> => {
    const response = await fetch(listening.address + path, init);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const { status } = response;
    if (isJson && text !== '')
      descriptionOn(terms).check({
        method: (init.method ?? 'get').toLowerCase(),
        path,
        status,
        json: JSON.parse(text),
      });
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  };
  return {
    address: listening.address,
    draining,
    get: (path, headers = {}) => send(path, { headers, redirect: 'manual' }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json', ...headers },
        body:
          typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
      }),
    delete: (path, headers = {}) => send(path, { method: 'DELETE', headers }),
    close: () => listening.drain(),
  };
}

export type RealServed = Served & {
  /** Its parts by subject. */
  parts: Composition;
  services: Composition['services'];
  billing: Composition['billing'];
  /** Calls with a fresh key that has credits in plenty, for what is not about charging. */
  owner(): Promise<Pick<Served, 'get' | 'post'> & { apiKey: string; keyId: string }>;
};

const PLENTY_CREDITS = 1_000_000;

/** Everything real over an empty folder, with what lies outside played by the test; closing removes the folder. */
export async function serveReal(
  settings: Record<string, string> = {},
  outside: Outside = {},
): Promise<RealServed> {
  // Loaded here, so that tests over scripted operations need not load every part.
  const { buildApp: appOver } = await import('../src/app/serve.ts');
  const { compose } = await import('../src/app/compose.ts');
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-'));
  // Nobody outside is asked unless a test names its own stand-ins.
  const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent', RECALL: 'index', ...settings });
  // A test that plays Stripe names it in the settings.
  const payments =
    config.stripe === null && settings.PAYMENTS === undefined
      ? { provider: { provider: memoryPayments(), sandboxPage: null } }
      : {};
  const parts = await compose(config, { ...outside, ...payments });
  const draining = createDraining();
  const app = await appOver(parts, draining, noDelay);
  const served = await serveApp(app, { draining, terms: parts.access.terms });
  return {
    ...served,
    parts,
    services: parts.services,
    billing: parts.billing,
    async owner() {
      const { apiKey, keyId } = await parts.billing.keys.create({ credits: PLENTY_CREDITS, label: null });
      const key = { 'x-api-key': apiKey };
      return {
        apiKey,
        keyId,
        get: (path, headers) => served.get(path, { ...key, ...headers }),
        post: (path, body, headers) => served.post(path, body, { ...key, ...headers }),
      };
    },
    async close() {
      await served.close();
      await parts.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A log that keeps its lines. */
export function keptLog(): { log: Log; lines: string[] } {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  return { log, lines };
}

/** An answer of a search over one page; parts can be set. */
export function searchAnswer(parts: Partial<SearchAnswer> = {}): SearchAnswer {
  return {
    results: [
      { url: 'https://example.org/a', title: 'A', score: 0.912345, publishedDay: '2025-01-31' },
      { url: 'https://example.org/b', title: 'B', score: 0.5, publishedDay: null },
    ],
    cache: 'miss',
    timingsMs: { recall: 3, total: 5 },
    tokens: { raw: 0, output: 0 },
    sources: { index: { ok: true, results: 2, ms: 3 } },
    filters: {},
    incomplete: [],
    ...parts,
  };
}

/** An answer of a contents call over one page that loaded. */
export function contentsAnswer(parts: Partial<ContentsAnswer> = {}): ContentsAnswer {
  const url = 'https://example.org/a';
  return {
    results: [{ id: url, url, title: 'A', author: null, publishedDay: null, text: '# A' }],
    statuses: [{ ok: true, id: url, cache: 'miss' }],
    incomplete: [],
    ...parts,
  };
}

/** An answer of a verification of one quotation that stands on its page. */
export function verifyAnswer(): VerifyAnswer {
  const url = 'https://example.org/a';
  const place = { start: 0, end: 3, headingPath: ['A'], link: `${url}#:~:text=one` };
  return {
    url,
    contentHash: `sha256:${'0a'.repeat(32)}`,
    changed: false,
    cache: 'hit',
    quotes: [{ quote: 'one', found: 'exact', ...place }],
  };
}

/** Documents in the order in which they came. */
export const rerankAnswer: AppDeps['rerank'] = async ({ documents }) => ({
  ranked: documents.map((_, index) => ({ index, score: 1 / (index + 1) })),
  judged: 0,
});

/** An answer of the reader. */
export function readAnswer(parts: Partial<ReadAnswer> = {}): ReadAnswer {
  const url = 'https://example.org/a';
  return {
    markdown: '# A\n',
    url,
    title: 'A',
    article: buildPlainArticle(url, { kind: 'markdown', title: 'A', markdown: '# A\n', rawChars: 400 }),
    fetchedAt: 0,
    cache: 'miss',
    rawTokens: 100,
    outputTokens: 25,
    savingsPercent: 75,
    incomplete: [],
    ...parts,
  };
}

/** An answer of research: two searches that answered, one that failed, one passage. */
export function researchAnswer(parts: Partial<ResearchAnswer> = {}): ResearchAnswer {
  return {
    facets: [
      {
        kind: 'question',
        facet: 'who and when',
        query: 'who and when',
        found: ['e1'],
        searches: 1,
        why: null,
      },
      {
        kind: 'clause',
        facet: 'who',
        query: 'who',
        found: [],
        searches: 1,
        why: 'Its search found no page.',
      },
    ],
    evidence: [
      {
        id: 'e1',
        quote: 'It was built in 1889.',
        url: 'https://example.org/a',
        title: 'A',
        language: 'en',
        publishedDay: '2025-01-31',
        headingPath: ['A', 'History'],
        start: 10,
        end: 31,
        link: 'https://example.org/a#:~:text=It%20was',
        contentHash: `sha256:${'0a'.repeat(32)}`,
        facets: [0],
        score: 0.912345,
      },
    ],
    agreements: [{ what: 'A: building', value: '1889', sources: ['e1', 'e2'] }],
    disagreements: [],
    searches: [
      { place: 0, query: 'who and when', ms: 4, ok: true, results: [] },
      { place: 1, query: 'who', ms: 5, ok: true, results: [] },
      { place: 2, query: 'when', ms: 6, ok: false, error: 'recall_unavailable' },
    ],
    pages: { opened: 4, failed: 1 },
    tokens: 6,
    cutShort: false,
    isWeak: false,
    timingsMs: { search: 9, total: 1_234 },
    ...parts,
  };
}
