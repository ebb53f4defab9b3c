import type { IncomingMessage, ServerResponse } from 'node:http';
import { startWeb, type WorldWeb } from './web.ts';

/** A site of many pages with what keeps crawlers from coming to an end, and a slow host beside it. */
export type TrapSite = {
  origin: string;
  /** Addresses of the pages that a crawl must find, in their one spelling. */
  pages: string[];
  /** Pages that only the sitemap names; among `pages`. */
  orphans: string[];
  /** Paths that robots.txt forbids; each is linked from many pages. */
  forbidden: string[];
  hits(path?: string): number;
  slowHits(): number;
  /** Requests at once, the most there were. */
  peak(): number;
  close(): Promise<void>;
};

const SECTIONS = 40;
const ORPHANS = 20;
const LINKS_TO_TRAPS = 7;
const HUGE_BYTES = 10_000_000;
/** Paths of redirect loops, of endless calendars, of huge pages. */
const FORBIDDEN = ['/private/', '/private/a', '/search?q=x', '/drafts/1.html'];

/** `pages` of them: a front page, 40 sections, articles below the sections, and orphans; all of them different. */
export async function startTrapSite({ pages = 2_000 }: { pages?: number } = {}): Promise<TrapSite> {
  const articles = pages - 1 - SECTIONS - ORPHANS;
  let sessions = 0;
  let active = 0;
  let peak = 0;
  let slowHits = 0;
  const slow = await startWeb({
    address: '127.10.0.2',
    // Never answers.
    fallback: () => {
      slowHits += 1;
    },
  });
  const site: Content = {
    articles,
    slow: slow.origin,
    session: () => `${++sessions}f3a9c1`.padStart(12, 'e'),
  };
  const web: WorldWeb = await startWeb({
    address: '127.10.0.3',
    fallback: (request, response) => {
      active += 1;
      peak = Math.max(peak, active);
      response.on('close', () => {
        active -= 1;
      });
      answer(site, web.origin, request, response);
    },
  });
  const named = [
    '/',
    ...numbered(SECTIONS, (at) => `/s/${at}/`),
    ...numbered(articles, articlePath),
    ...numbered(ORPHANS, (at) => `/orphan/${at}.html`),
  ].map((path) => web.origin + path);
  return {
    origin: web.origin,
    pages: named,
    orphans: named.slice(-ORPHANS),
    forbidden: FORBIDDEN,
    hits: web.hits,
    slowHits: () => slowHits,
    peak: () => peak,
    async close() {
      await web.close();
      await slow.close();
    },
  };
}

type Content = { articles: number; slow: string; session(): string };

const numbered = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const articlePath = (at: number): string => `/s/${at % SECTIONS}/article-${at}.html`;

function answer(site: Content, origin: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', origin);
  const { pathname: path } = url;
  const html = (title: string, text: string, links: string[]): void => {
    response
      .setHeader('content-type', 'text/html; charset=utf-8')
      .end(pageOf(site, { title, text, links, url }));
  };
  const section = /^\/s\/(\d+)\/$/.exec(path)?.[1];
  const article = /^\/s\/\d+\/article-(\d+)\.html$/.exec(path)?.[1];
  if (path === '/robots.txt')
    response.end(
      `User-agent: *\nDisallow: /private/\nDisallow: /search\nDisallow: /drafts/\nSitemap: ${origin}/map.xml\n`,
    );
  else if (path === '/map.xml') sendSitemap(response, origin);
  else if (path === '/')
    html(
      'Wading birds',
      'The front page of all birds.',
      numbered(SECTIONS, (at) => `/s/${at}/`),
    );
  else if (section !== undefined) {
    const own = numbered(site.articles, (at) => at).filter((at) => at % SECTIONS === Number(section));
    html(`Section ${section}`, `Birds of the section ${section}.`, own.map(articlePath));
  } else if (article !== undefined)
    html(`Article ${article}`, articleText(Number(article)), [
      articlePath((Number(article) + 1) % site.articles),
    ]);
  else if (path.startsWith('/orphan/'))
    html(`Orphan ${path}`, `Nobody links to ${path} but the sitemap.`, []);
  else if (path.startsWith('/calendar/')) sendCalendar(path, html);
  else if (path === '/loop/a') response.writeHead(302, { location: '/loop/b' }).end();
  else if (path === '/loop/b') response.writeHead(302, { location: '/loop/a' }).end();
  else if (path === '/grow')
    response.writeHead(302, { location: `/grow?n=${url.search.length}${url.search.slice(3)}` }).end();
  else if (path === '/away') response.writeHead(302, { location: `${site.slow}/from-away` }).end();
  else if (path === '/huge.html') sendHuge(response);
  else response.writeHead(404, { 'content-type': 'text/html' }).end('<p>not here</p>');
}

function articleText(at: number): string {
  const topic =
    at % 10 === 0 ? 'The bar-tailed godwit migrates without a rest.' : 'It runs along the edge of the waves.';
  return `Article number ${at} of the collection. ${topic} ${`Sentence ${at} about birds of the shore. `.repeat(12)}`;
}

/** Links of every page: menus, then traps, whose addresses carry the number of a session that is new each time. */
function pageOf(
  site: Content,
  { title, text, links, url }: { title: string; text: string; links: string[]; url: URL },
): string {
  const sid = site.session();
  const traps = [
    `/calendar/2026/11`,
    '/loop/a',
    '/grow?n=1',
    '/away',
    '/huge.html',
    `${site.slow}/page`,
    `${url.pathname}?sid=${sid}`,
    ...FORBIDDEN,
  ];
  // Every so many links carry the session.
  const written = [...links, ...traps].map((href, at) =>
    at % LINKS_TO_TRAPS === 0 && !href.startsWith('http') && !href.includes('?') && href.startsWith('/s/')
      ? `${href}?sid=${sid}`
      : href,
  );
  const anchors = written
    .map((href) => `<li><a href="${href}">${href.replace(/\?.*$/, '')}</a></li>`)
    .join('');
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p><ul>${anchors}</ul></main></body></html>`;
}

function sendCalendar(path: string, html: (title: string, text: string, links: string[]) => void): void {
  const [, , year = '2026', month = '1'] = path.split('/');
  const next =
    Number(month) === 12 ? `/calendar/${Number(year) + 1}/1` : `/calendar/${year}/${Number(month) + 1}`;
  const before =
    Number(month) === 1 ? `/calendar/${Number(year) - 1}/12` : `/calendar/${year}/${Number(month) - 1}`;
  html(`Calendar ${year}-${month}`, `Nothing happens in ${year}-${month}.`, [next, before]);
}

function sendSitemap(response: ServerResponse, origin: string): void {
  const urls = numbered(ORPHANS, (at) => `<url><loc>${origin}/orphan/${at}.html</loc></url>`);
  response.setHeader('content-type', 'application/xml').end(`<urlset>${urls.join('')}</urlset>`);
}

function sendHuge(response: ServerResponse): void {
  response.setHeader('content-type', 'text/html');
  const piece = '<p>more of the same</p>'.repeat(1_000);
  let sent = 0;
  const more = (): void => {
    while (sent < HUGE_BYTES) {
      sent += piece.length;
      if (!response.write(piece)) return void response.once('drain', more);
    }
    response.end();
  };
  more();
}
