import type { Page } from 'puppeteer-core';
import { Failure } from '../../src/contract/errors.ts';
import { buildRoutes } from '../../src/http/routes.ts';
import type { MonitorTarget } from '../../src/monitors/monitor-types.ts';
import { insertEvents } from '../../src/monitors/rows/event-rows.ts';
import { computeContentHash } from '../../src/pages/content-hash.ts';
import { buildPlainArticle } from '../../src/pages/formats/plain-article.ts';
import { compareTexts } from '../../src/text/changes/compare-texts.ts';
import { SITE_ANSWERS } from '../fixtures/site-answers.ts';
import { openSiteFixture, type SiteFixture } from '../fixtures/site-fixture.ts';
import { type RealServed, serveReal } from '../harness.ts';
import { TOKEN } from '../http/console/console-client.ts';
import { buildRequest, register } from '../http/oauth/oauth-fixture.ts';
import { unscriptedDeps } from '../unscripted.ts';
import { press } from './chromium.ts';

/** A page in one of its states. */
export type SitePage = { name: string; open(page: Page): Promise<unknown> };

export type AllPages = { pages: SitePage[]; fixture: SiteFixture; close(): Promise<void> };

const READ = 'https://docs.example.org/logrotate';
/** Pages in states that no link leads to. */
const STATES: Record<string, string> = {
  results: '/?q=how+do+I+rotate+logs',
  'results-filtered': '/?q=logs&site=docs.example.org&since=year',
  'results-none': '/?q=nothing&since=week',
  'results-refused': '/?q=refused',
  answer: '/?do=answer&q=how+do+I+rotate+logs',
  similar: `/?do=similar&url=${READ}`,
  research: '/?do=research&q=who+and+when',
  'libraries-found': '/libraries?q=rotate+by+size&library=npm:logrotate&version=1.9.3',
  'libraries-none': '/libraries?q=nothing',
  'read-page': `/read?url=${READ}`,
  'read-version': `/read?url=${READ}&at=2026-02-10`,
  'read-asked': `/read?url=${READ}&q=logs`,
  'read-failed': '/read?url=https://gone.example.org/',
  'pricing-with-mistakes': '/pricing?auto_reload=1&threshold=5&monthly_max_usd=900',
  'success-unknown': '/success?session_id=a&n=b',
  missing: '/nothing/there',
};
/** Of the pages behind a pattern, such as the guides, this many. */
const PER_PATTERN = 2;
const PAGES_MAX = 400;

/** Serves every page of the site: those that links lead to, from the routes' own patterns, in the states that matter, and the console. */
export async function openAllPages(): Promise<AllPages> {
  const fixture = await openSiteFixture({
    ...SITE_ANSWERS,
    search: async (request) => {
      if (request.query === 'refused') throw new Failure('recall_unavailable', 'No source answers.');
      return SITE_ANSWERS.search(request);
    },
    read: async (request) => {
      if (request.url.includes('gone')) throw new Failure('fetch_failed', 'The page answered 410.');
      return SITE_ANSWERS.read(request);
    },
    trustProxy: 1,
  });
  const real = await serveReal({ ADMIN_TOKEN: TOKEN, VERSIONS: 'on' });
  const watched = await watchPages(real);
  const at = (path: string): string => fixture.served.address + path;
  const { apiKey } = await fixture.billing.keys.create({ credits: 5_000, label: null });
  const linked = await linkedPages(fixture);
  const pages: SitePage[] = [
    ...linked.map((path) => ({ name: nameOf(path), open: (page: Page) => page.goto(at(path)) })),
    ...Object.entries(STATES).map(([name, path]) => ({ name, open: (page: Page) => page.goto(at(path)) })),
    ...journeys({ at, apiKey }),
    ...(await consolePages(real.address, (path) => real.get(path), watched)),
    ...(await signInPages(real)),
  ];
  return {
    pages,
    fixture,
    async close() {
      await fixture.close();
      await real.close();
    },
  };
}

let networks = 0;

/** Pages behind forms. */
function journeys({ at, apiKey }: { at(path: string): string; apiKey: string }): SitePage[] {
  const pay = (button: string) => async (page: Page) => {
    await page.goto(at('/buy/scale?auto_reload=1'));
    await press(page, `[value=${button}]`);
  };
  const signIn = async (page: Page): Promise<void> => {
    await page.goto(at('/account'));
    if ((await page.$('#key')) === null) return;
    await page.type('#key', apiKey);
    await press(page, 'main .button');
  };
  return [
    { name: 'sandbox-pay-declined', open: pay('decline') },
    { name: 'success-new-key', open: pay('pay') },
    {
      name: 'free-key',
      open: async (page) => {
        // One for each network.
        await page.setExtraHTTPHeaders({ 'x-forwarded-for': `198.${(networks++ % 100) + 1}.7.7` });
        await page.goto(at('/'));
        await press(page, 'form[action="/free-key"] button');
      },
    },
    ...['', '/usage', '/keys', '/apps', '/billing', '/recover'].map((path) => ({
      name: `account${path.replace('/', '-')}-signed-in`,
      open: async (page: Page) => {
        await signIn(page);
        await page.goto(at(`/account${path}`));
      },
    })),
    {
      name: 'account-keys-one',
      open: async (page) => {
        await signIn(page);
        await page.goto(at('/account/keys'));
        await press(page, 'tbody a');
      },
    },
  ];
}

/** The page on which somebody signs an application in, and what it says to one that is unknown. */
async function signInPages(real: RealServed): Promise<SitePage[]> {
  const request = buildRequest(await register(real, { client_name: 'Field notes' }), 'c'.repeat(43));
  const open = (query: string) => (page: Page) => page.goto(`${real.address}/oauth/authorize?${query}`);
  return [
    { name: 'oauth-authorize', open: open(new URLSearchParams(request).toString()) },
    { name: 'oauth-authorize-unknown', open: open('client_id=unknown') },
  ];
}

/** Every page that links lead to from the start page; of those behind one pattern the first and the last few. */
async function linkedPages({ served }: SiteFixture): Promise<string[]> {
  const seen = new Set(['/']);
  for (const path of seen) {
    if (seen.size > PAGES_MAX) break;
    const { text, headers } = await served.get(path, { accept: 'text/html' });
    if (!headers.get('content-type')?.startsWith('text/html')) {
      seen.delete(path);
      continue;
    }
    for (const [, href = ''] of text.matchAll(/ href="(\/[^"?#]*)["#]/g)) if (!isFile(href)) seen.add(href);
  }
  const patterns = pagePatterns();
  const byPattern = Map.groupBy(
    [...seen],
    (path) => patterns.find((pattern) => fits(path, pattern)) ?? 'no pattern',
  );
  byPattern.delete('no pattern');
  return [...byPattern.values()].flatMap((paths) => [
    ...new Set([...paths.slice(0, 1), ...paths.slice(1 - PER_PATTERN)]),
  ]);
}

/** Files, and links that lead to the payment provider. */
const isFile = (path: string): boolean => /\.\w+$|^\/(?:buy|r|mcp|account\/receipt)\b/.test(path);

/** The patterns of the routes that show a page. Exported for the test that no page is left out. */
export function pagePatterns(): string[] {
  const parts = { ...unscriptedDeps(), serviceUrl: () => '', isDraining: () => false };
  return buildRoutes(parts)
    .filter(({ method, pages }) => method === 'GET' && pages !== undefined)
    .flatMap(({ paths }) => paths)
    .filter((path) => !isFile(path));
}

function fits(path: string, pattern: string): boolean {
  const [given, wanted] = [path.split('/'), pattern.split('/')];
  return (
    given.length === wanted.length &&
    wanted.every((part, place) => part === given[place] || part.startsWith(':'))
  );
}

const nameOf = (path: string): string => (path === '/' ? 'start' : path.slice(1).replaceAll('/', '-'));

/** Fills the console with monitors in several states and with versions; resolves to the paths that show one of them. */
async function watchPages({ parts, services }: RealServed): Promise<Record<string, string>> {
  const { monitors } = parts.jobs.monitoring;
  const create = (owner: string, target: MonitorTarget, name: string | null) =>
    monitors.create({
      owner,
      keyId: null,
      order: {
        name,
        target,
        schedule: { kind: 'interval', ms: 7_200_000 },
        conditions: [],
        channels: [],
        keep: true,
      },
    });
  const url = `https://docs.example.org/${'a-rather-long-path/'.repeat(6)}release-notes`;
  await create('key caller', { kind: 'site', url, pagesMax: 100 }, null);
  await monitors.change('operator', (await create('operator', { kind: 'feed', url }, 'News')).id, {
    state: 'paused',
  });
  const { id, order } = await create('operator', { kind: 'page', url }, null);
  const [before, after] = [
    '# Notes\n\nVersion 1 rotates logs once a day.\n\nIt needs cron.\n',
    '# Notes\n\nVersion 2 rotates logs once an hour.\n\n## Limits\n\nAt most 10 MB.\n',
  ];
  const { changes, changedShare } = compareTexts(before, after);
  const { db } = await services.monitorTables();
  const finding = {
    url,
    title: 'Release notes',
    conditions: ['“hour” appeared'],
    changes,
    changesTotal: 140,
    changedShare,
  };
  const gone = {
    ...finding,
    kind: 'unreachable' as const,
    markdown: 'The page answered 410.',
    changes: [],
    changesTotal: 0,
  };
  await insertEvents(
    db,
    { id, order },
    {
      findings: [{ ...finding, kind: 'changed', markdown: '' }, gone],
      now: Date.parse('2026-11-20T10:20:30Z'),
    },
  );
  const versions = await services.versioning.versions();
  for (const [place, markdown] of [before, after].entries())
    await versions.record({
      url,
      article: buildPlainArticle(url, {
        kind: 'markdown',
        title: 'Release notes',
        markdown,
        rawChars: markdown.length,
      }),
      at: Date.parse(`2026-11-1${place}T10:20:30Z`),
    });
  const query = `url=${encodeURIComponent(url)}`;
  const article = buildPlainArticle(url, { kind: 'markdown', title: 'Notes', markdown: before, rawChars: 9 });
  const place = { start: 9, end: 41, contentHash: computeContentHash(before) };
  const record = await (await services.versioning.records()).keep({
    owner: 'key caller',
    operation: 'research',
    request: { question: 'How often are logs rotated?' },
    answer: { evidence: [{ url, quote: 'Version 1 rotates logs once a day.', ...place }] },
    reads: [{ url, article, at: Date.parse('2026-11-10T10:20:30Z') }],
  });
  return {
    'records-shown': `records?owner=key+caller&id=${record.id}`,
    'monitors-events': `monitors?id=${id}`,
    'versions-listed': `versions?${query}`,
    'versions-compared': `versions?${query}&from=1&to=2`,
  };
}

/** The sections of the console, and the question for its token. */
async function consolePages(
  address: string,
  get: (path: string) => Promise<{ text: string }>,
  watched: Record<string, string>,
): Promise<SitePage[]> {
  const { text } = await get('/admin');
  const question = { name: 'admin-sign-in', open: (page: Page) => page.goto(`${address}/admin`) };
  const names = [
    '',
    'sources',
    'index',
    'crawls',
    'monitors',
    'versions',
    'records',
    'keys',
    'payments',
    'settings',
    'log',
  ];
  const paths = Object.entries(watched).concat(names.map((name) => [name, name]));
  const sections = paths.map(([name, path]) => ({
    name: name === '' ? 'admin' : `admin-${name}`,
    async open(page: Page) {
      await page.goto(`${address}/admin${path === '' ? '' : `/${path}`}`);
      if ((await page.$('#token')) === null) return;
      await page.type('#token', TOKEN);
      await press(page, 'main form button');
    },
  }));
  return text === '' ? [] : [question, ...sections];
}
