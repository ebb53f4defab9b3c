import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { asHtml, madePage } from '../../test/fixtures/corpora/made-pages.ts';
import { writePixel } from '../../test/fixtures/corpora/pixel.ts';

const run = promisify(execFile);
const FILES_OF_FOLDER = 1_000;

/** A ZIM file of made pages, written by Debian's `zimwriterfs` (package zim-tools). */
export async function writeZimByTool(path: string, { pages, scratch }: { pages: number; scratch: string }) {
  for (let number = 0; number < pages; number += 1) {
    const folder = join(scratch, `made-${Math.floor(number / FILES_OF_FOLDER)}`);
    if (number % FILES_OF_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${number}.html`), asHtml(madePage(number)));
  }
  writePixel(join(scratch, 'icon.png'));
  await run('zimwriterfs', [
    ...['--welcome', 'made-0/0.html', '--illustration', 'icon.png', '--language', 'eng', '--name', 'made'],
    ...['--title', 'Written', '--description', 'Made pages', '--creator', 'Bench', '--publisher', 'Bench'],
    ...['--withoutFTIndex', '--source', 'https://made.example.org', scratch, path],
  ]);
}

/**
 * WARC files as GNU Wget records its crawls: each of a host whose first page links to its part of the made pages. The web is a proxy on
 * loopback, which answers for all hosts.
 */
export async function recordCrawls(folder: string, { files, pages }: { files: number; pages: number }) {
  mkdirSync(folder, { recursive: true });
  const perFile = Math.ceil(pages / files);
  const server = createServer((request, response) => {
    const { hostname, pathname } = new URL(request.url ?? '', `http://${request.headers.host}`);
    const file = Number(/^crawl-(\d+)\./.exec(hostname)?.[1]);
    const number = Number(/^\/made\/(\d+)$/.exec(pathname)?.[1]);
    if (pathname !== '/' && Number.isNaN(number)) return void response.writeHead(404).end();
    const numbers = Array.from(
      { length: Math.min(perFile, pages - file * perFile) },
      (_, at) => file * perFile + at,
    );
    const body = pathname === '/' ? firstPage(file, numbers) : asHtml(madePage(number));
    response.setHeader('content-type', 'text/html; charset=utf-8').end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    for (let file = 0; file < files; file += 1) {
      const name = join(folder, `crawl-${String(file).padStart(2, '0')}`);
      await run(
        'wget',
        [
          ...['--recursive', '--level=1', '--no-verbose', '--delete-after', '--no-directories'],
          ...[`--warc-file=${name}`, '--warc-tempdir', folder, '--directory-prefix', folder],
          `http://crawl-${file}.example.org/`,
        ],
        { env: { ...process.env, http_proxy: proxy }, maxBuffer: 1 << 28 },
        // robots.txt is answered with 404, which Wget takes as a failure.
      ).catch((error: { code?: number }) => {
        if (error.code !== SERVER_ERROR) throw error;
      });
    }
  } finally {
    server.close();
  }
}

/** Wget's exit code where one of the answers was an error. */
const SERVER_ERROR = 8;

const firstPage = (file: number, numbers: number[]): string =>
  `<!doctype html><html lang="en"><title>Crawl ${file}</title><main><h1>Crawl ${file}</h1><ul>${numbers
    .map((number) => `<li><a href="/made/${number}">Page ${number} of crawl ${file}</a></li>`)
    .join('')}</ul></main></html>`;
