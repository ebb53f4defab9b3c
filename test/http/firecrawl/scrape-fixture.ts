import type { IncomingHttpHeaders } from 'node:http';
import { after, before } from 'node:test';
import { drawn, pdfOfPages } from '../../fixtures/pdf.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type Answered, type RealServed, serveReal } from '../../harness.ts';

const TEXT =
  'The sanderling runs along the edge of the surf and picks small animals out of the wet sand. '.repeat(6);
/** The page that is scraped. */
export const PAGE = `<!doctype html><html lang="en"><head><title>Sanderling</title>
<script type="application/ld+json">{"@type":"Article","datePublished":"2024-05-02","dateModified":"2024-06-09"}</script>
<meta property="og:title" content="Sanderling"><meta property="og:image" content="https://birds.example/a.jpg">
<meta name="description" content="A wader"><meta name="keywords" content="bird, wader"><meta name="viewport" content="x"></head>
<body><nav><a href="/home">Home</a></nav><main><h1>Sanderling</h1><p class="lead">${TEXT}</p>
<p>${TEXT} <img src="/bird.jpg" alt="A bird"> ${TEXT} See <a href="/dunlin">the dunlin</a>.</p></main><footer>Imprint</footer></body></html>`;

/** The headers of the requests for the page. */
export const asked: IncomingHttpHeaders[] = [];
/** What runs during the tests of a file: a site and the service, which `post` calls with a key. */
export let site: FakeWeb;
export let served: RealServed;
export let post: RealServed['post'];

/** Starts them before the tests of a file, and ends them after. */
export function serveScrapes(): void {
  before(async () => {
    site = await startWeb({
      address: '127.10.0.1',
      routes: {
        '/page': (request, response) => {
          asked.push(request.headers);
          response.setHeader('content-type', 'text/html').end(PAGE);
        },
        '/paper.pdf': (_request, response) =>
          void response
            .setHeader('content-type', 'application/pdf')
            .end(
              pdfOfPages([drawn([{ x: 50, y: 700, text: 'The dunlin feeds on muddy shores in winter.' }])]),
            ),
        '/slow': () => {},
        '/gone': (_request, response) => void response.writeHead(404).end('no'),
      },
    });
    served = await serveReal({ FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
    post = (await served.owner()).post;
  });
  after(async () => {
    await served.close();
    await site.close();
  });
}

/** Scrapes the page, or the address that the body names. */
export const scrape = (body: object, path = '/v2/scrape'): Promise<Answered> =>
  post(path, { url: `${site.origin}/page`, ...body });
