import { FACT, INSTRUCTION } from '../fixtures/model-server.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { keptLog, type RealServed, serveReal } from '../harness.ts';

/** The whole service over pages on loopback that it has read, for clients that know nothing but its address. */
export type ClientFixture = {
  served: RealServed;
  /** Where the clients of the second shape are pointed to. */
  secondShape: string;
  /** The site whose pages are asked for, and one that has similar pages. */
  site: FakeWeb;
  other: FakeWeb;
  /** Every line that the service has logged. */
  logged: string[];
  /** A key with so many credits; by default in plenty. */
  key(credits?: number): Promise<string>;
  /** Credits that are left on a key. */
  left(key: string): Promise<number>;
  close(): Promise<void>;
};

const PLENTY = 100_000;

const page = (title: string, text: string, links: string[] = []): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title>
<meta property="article:published_time" content="2026-11-02T10:00:00Z"></head>
<body><main><article><h1>${title}</h1>${text}</article></main>
<nav>${links.map((link) => `<a href="${link}">${link}</a>`).join(' ')}</nav></body></html>`;

const times = (count: number, text: (place: number) => string): string =>
  Array.from({ length: count }, (_, place) => `<p>${text(place)}</p>`).join('\n');

const SANDERLING = times(
  60,
  (place) =>
    `Note ${place}: the sanderling is a small wading bird that runs along the edge of the surf on sandy beaches and picks sandhoppers
out of the wet sand before the next wave comes. In winter a flock follows every wave of the beach.`,
);
const DUNLIN = times(
  8,
  (place) =>
    `Count ${place}: the dunlin is a wading bird of muddy shores that often keeps company with the sanderling on sandy beaches in
winter, and feeds on worms and sandhoppers.`,
);
const DOCS = times(
  6,
  (place) =>
    `Step ${place}: whoever counts wading birds on a beach walks against the wind and writes every flock into the book of the day.`,
);

const SITE = {
  '/': page('Birds of the shore', SANDERLING.slice(0, 2_000), [
    '/sanderling',
    '/dunlin',
    '/docs/count',
    '/docs/ring',
  ]),
  '/entry': page('The entry of a slow part', DOCS, ['/slow']),
  '/sanderling': page('Sanderling', `${SANDERLING}<figure><img src="/flock.jpg" alt="A flock"></figure>`),
  '/dunlin': page('Dunlin', DUNLIN),
  '/docs/count': page('How to count', DOCS, ['/docs/book']),
  '/docs/ring': page('How to ring', DOCS),
  '/docs/book': page('The book', DOCS),
  // No page leads here: only tests with a model read it.
  '/light': page('Corvane Light', `<p>${FACT}</p><p>${INSTRUCTION}</p><p>The light stands on a rock.</p>`),
};

/** Starts everything anew; settings as in the environment, `paths` of further pages of the site to read. */
export async function openClientFixture(
  settings: Record<string, string> = {},
  paths: string[] = [],
): Promise<ClientFixture> {
  const site = await startWeb({ address: '127.10.0.1', routes: { ...SITE, '/slow': () => {} } });
  const other = await startWeb({
    address: '127.20.0.1',
    routes: { '/dunlins': page('Dunlins of the shore', DUNLIN), '/knot': page('The knot', DUNLIN) },
  });
  const { log, lines } = keptLog();
  // The address of the service itself stays one that may not be fetched.
  const allowed = {
    FETCH_ALLOW_PRIVATE: '127.10.0.0/16,127.20.0.0/16',
    WEBHOOK_ALLOW_PRIVATE: '127.10.0.0/16',
  };
  const served = await serveReal({ ...allowed, ...settings }, { log });
  served.parts.jobs.jobRunner.start();
  const fixture: ClientFixture = {
    served,
    secondShape: `${served.address}/shapeB`,
    site,
    other,
    logged: lines,
    key: async (credits = PLENTY) => (await served.billing.keys.create({ credits, label: null })).apiKey,
    left: async (key) => (await served.get('/v1/balance', { 'x-api-key': key })).json.credits,
    async close() {
      await served.close();
      await site.close();
      await other.close();
    },
  };
  await readPages(fixture, [
    ...['/sanderling', '/dunlin', '/docs/count', ...paths].map((path) => site.origin + path),
    ...['/dunlins', '/knot'].map((path) => other.origin + path),
  ]);
  return fixture;
}

const INDEXED_MS_MAX = 10_000;

/** Reads pages so that they are found; indexing goes on behind the answer. */
async function readPages({ served }: ClientFixture, urls: string[]): Promise<void> {
  const { post } = await served.owner();
  const read = await post('/v1/contents', { urls });
  if (read.json.results.length < urls.length) throw new Error(read.text);
  const until = performance.now() + INDEXED_MS_MAX;
  while ((await served.services.index.size()).pages < urls.length)
    if (performance.now() > until) throw new Error('the pages were not indexed');
}
