import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { escapeUTF8 } from 'entities/escape';

/** A page of the demo site: its path and the file it serves. */
export type DemoPage = { path: string; file: string; title: string };

type DemoSite = { address: string; close(): Promise<void> };

/** Serves files on loopback, with an index page that links to them all. */
export async function serveDemoSite(pages: DemoPage[]): Promise<DemoSite> {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '/').split('?')[0] ?? '/');
    const page = byPath.get(path);
    if (path === '/')
      response.setHeader('content-type', 'text/html; charset=utf-8').end(renderIndexPage(pages));
    else if (page === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('not found');
    else {
      const type = /\.html?$/.test(page.file) ? 'text/html' : 'text/markdown';
      response.setHeader('content-type', `${type}; charset=utf-8`).end(readFileSync(page.file));
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function renderIndexPage(pages: DemoPage[]): string {
  const links = pages.map(
    ({ path, title }) => `<li><a href="${encodeURI(path)}">${escapeUTF8(title)}</a></li>`,
  );
  return `<!doctype html><title>Documentation of the installed packages</title><h1>Documentation of the installed packages</h1>
<p>The packages that Sanderling depends on come with their documentation. These are its pages.</p><ul>${links.join('\n')}</ul>`;
}
