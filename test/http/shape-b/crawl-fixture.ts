import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { createAudit } from '../../../src/billing/audit/audit.ts';
import { type FakeWeb, type Route, startWeb } from '../../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../../harness.ts';

/** A page with links; every page says something of its own. */
const page = (title: string, links: string[], text = `All there is to say about ${title}.`): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}
  It is written in a sentence that is long enough to be a paragraph of the page, and in no other.</p>
  <ul>${links.map((href) => `<li><a href="${href}">go</a></li>`).join('')}</ul></main></body></html>`;

const never: Route = () => {};
const redirect =
  (location: string): Route =>
  (_, response) =>
    response.writeHead(302, { location }).end();

/** What runs during the tests of a file: two sites and the service, which `owner` calls with a key. */
export let other: FakeWeb;
export let site: FakeWeb;
export let app: RealServed;
export let owner: Awaited<ReturnType<RealServed['owner']>>;

/** Starts them before the tests of a file; after them the books are audited. */
export function serveCrawls(): void {
  before(async () => {
    other = await startWeb({
      address: '127.10.0.5',
      routes: { '/': page('Elsewhere', ['/more']), '/more': page('More', []) },
    });
    const godwits =
      'The bar-tailed godwit flies from Alaska to New Zealand without a rest, which no other bird does.';
    site = await startWeb({
      address: '127.10.0.4',
      routes: {
        '/robots.txt': 'User-agent: *\nDisallow: /secret/\n',
        '/sitemap.xml': (_, response) =>
          response
            .setHeader('content-type', 'application/xml')
            .end(`<urlset><url><loc>${site.origin}/listed</loc></url></urlset>`),
        '/': page('Home', ['/docs/', '/blog/1', '/blog/1#part', '/secret/plan', '/out', `${other.origin}/`]),
        '/docs/index.html': page('Docs', ['/docs/', '/docs/a']).replace(
          '<head>',
          '<head><link rel="canonical" href="/docs/">',
        ),
        '/docs/': page('Docs', ['/docs/a', '/docs/b', '/docs/old/c']),
        '/docs/a': page('Alpha', ['/docs/b']),
        '/docs/b': page('Beta', ['/docs/a', '/docs/deep/d'], godwits),
        '/docs/old/c': page('Gamma', []),
        '/docs/deep/d': page('Delta', []),
        '/blog/1': page('Blog', ['/docs/a']),
        '/listed': page('Listed', []),
        '/unread/': page('Unread', ['/unread/1', '/unread/2']),
        '/unread/1': page('Unread one', []),
        '/secret/plan': page('Secret', []),
        '/out': redirect(`${other.origin}/more`),
        '/into-secret': redirect('/secret/plan'),
        '/detour': page('Detour', ['/into-secret', '/docs/a']),
        '/slow': page('Slow', ['/slow/1', '/slow/2', '/docs/a']),
        '/slow/1': never,
        '/slow/2': never,
        '/gone': (_, response) => response.writeHead(404).end('gone'),
      },
    });
    app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
    owner = await app.owner();
  });
  after(async () => {
    assert.deepEqual(await createAudit(app.billing)(), []);
    await app.close();
    await site.close();
    await other.close();
  });
}

/** The addresses of an answer, those of the site as paths. */
export const paths = ({ json }: Answered): string[] =>
  json.results.map((result: string | { url: string }) =>
    (typeof result === 'string' ? result : result.url).replace(site.origin, ''),
  );
