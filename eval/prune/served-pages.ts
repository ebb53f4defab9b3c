/**
 * Pruned pages and highlights as a caller gets them: pages lie on a server of their own on loopback, and a Sanderling with default settings
 * (but unmetered, and allowed to read loopback) reads them at `/r/{url}?q=` and `/v1/contents`.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from '../../bench/localweb/processes.ts';
import { post } from '../ranking/served-index.ts';

/** A page is HTML if it begins with its `html` element, else Markdown. */
export type ServedPages = {
  /** Resolves to the Markdown that the reader gives for a page and a question. */
  prune(page: string, question: string): Promise<string>;
  /** Resolves to the highlights of a page for a question, best first. */
  highlight(page: string, question: string, highlightsPerUrl: number): Promise<string[]>;
  close(): Promise<void>;
};

/** Starts both servers. */
export async function servePages(): Promise<ServedPages> {
  const pages: string[] = [];
  const web = createServer((request, response) => {
    const page = pages[Number(/^\/(\d+)$/.exec(request.url ?? '')?.[1])];
    response.statusCode = page === undefined ? 404 : 200;
    const kind = page?.startsWith('<html') === true ? 'html' : 'markdown';
    response.setHeader('content-type', `text/${kind}; charset=utf-8`);
    response.end(page);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  const { port } = web.address() as AddressInfo;
  const dataDir = mkdtempSync(join(tmpdir(), 'sanderling-served-'));
  const server = await startServer({
    DATA_DIR: dataDir,
    FETCH_ALLOW_PRIVATE: '127.0.0.0/8',
  });
  const addresses = new Map<string, string>();
  const publish = (page: string): string => {
    const url = addresses.get(page) ?? `http://127.0.0.1:${port}/${pages.push(page) - 1}`;
    addresses.set(page, url);
    return url;
  };
  return {
    async prune(page, question) {
      const url = encodeURIComponent(publish(page));
      const address = `${server.address}/r/${url}?q=${encodeURIComponent(question)}`;
      const response = await fetch(address);
      if (response.status !== 200) throw new Error(`${response.status} from ${address}`);
      return response.text();
    },
    async highlight(page, query, highlightsPerUrl) {
      const { results } = await post<{ results: { highlights: string[] }[] }>(
        `${server.address}/v1/contents`,
        {
          urls: [publish(page)],
          highlights: { query, highlightsPerUrl },
        },
      );
      return results[0]?.highlights ?? [];
    },
    async close() {
      await server.stop();
      web.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
