/**
 * Measures how well similar pages are found, against BM25 on the full text in the same run: npm run eval:similar.
 * Pieces of encyclopedia articles, each a page of its own on loopback,
 * where the pages wanted are the other pieces of the same article: as POST /v1/findSimilar gives them, and beside it as the index
 * ranks them for the query that the service would send. The run fails if the two differ by more than a point.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPlainIndex } from '../bench/known-item/plain-index.ts';
import { rankSimilar } from '../src/recall/fusion/rank-similar.ts';
import { NO_FILTERS } from '../src/text/query/filters.ts';
import { readQuery } from '../src/text/query/read-query.ts';
import {
  buildTopicQuery,
  computeTopic,
  readTopicWords,
  type TermFrequencies,
} from '../src/text/query/topic-terms.ts';
import { startDns } from '../test/fixtures/dns-server.ts';
import { startWeb } from '../test/fixtures/web.ts';
import { compareShares, importPages, post, serveIndex } from './ranking/served-index.ts';
import { readArticleParts } from './similar/article-parts.ts';

const FOUND_MAX = 10;
/** More than wanted, like the service, because copies are folded. */
const ASKED_MAX = 20;

const LOOPBACK = '127.10.0.1';

const data = process.env.EVAL_DATA ?? '../shared/data';
await articleParts();

function backgroundOf(texts: string[]): TermFrequencies {
  const frequencies = new Map<string, number>();
  for (const markdown of texts) {
    for (const term of readTopicWords({ title: '', markdown, language: 'en' }).tallies.keys())
      frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  }
  return { pages: texts.length, frequencies };
}

async function articleParts(): Promise<void> {
  const dns = await startDns({ '*.org': [LOOPBACK] });
  const routes: Record<string, string> = {};
  const web = await startWeb({ address: LOOPBACK, routes });
  const parts = readArticleParts(data, web.port);
  const pages = parts.map(({ page }) => page);
  for (const { url, markdown } of pages) routes[new URL(url).pathname] = htmlOf(markdown);
  const folder = mkdtempSync(join(tmpdir(), 'eval-similar-'));
  await importPages(
    folder,
    pages.map(({ url, markdown }) => ({ url, html: htmlOf(markdown) })),
  );
  const served = await serveIndex(folder, {
    DNS_SERVERS: dns.address,
    FETCH_ALLOW_PRIVATE: `${LOOPBACK}/32`,
  });
  const background = backgroundOf(pages.map(({ markdown }) => markdown));
  const plain = openPlainIndex(pages);
  const asked = async (page: (typeof pages)[number]) => {
    const query = readQuery(buildTopicQuery(computeTopic(readTopicWords(page), background)));
    const found = await served.index.search({ ...NO_FILTERS, query, limit: ASKED_MAX });
    return found.filter(({ url }) => url !== page.url).map((one) => ({ ...one, source: 'index' }));
  };
  const engines: Record<string, (page: (typeof pages)[number]) => Promise<string[]>> = {
    'as served': async ({ url }) => {
      const body = { url, numResults: FOUND_MAX };
      const given = await post<{ results: { url: string }[] }>(`${served.address}/v1/findSimilar`, body);
      return given.results.map((result) => result.url);
    },
    'topic terms and rank': async (page) =>
      rankSimilar(await asked(page), {
        page,
        topic: computeTopic(readTopicWords(page), background),
        background,
      }).map(({ url }) => url),
    'topic terms alone': async (page) => (await asked(page)).map(({ url }) => url),
    'BM25 full text': async ({ markdown }) => plain.find(markdown, FOUND_MAX + 1),
  };
  console.log(`${pages.length} pieces of articles  P@${FOUND_MAX}`);
  const precisions = new Map<string, number>();
  for (const [name, find] of Object.entries(engines)) {
    let sum = 0;
    for (const { page, article } of parts) {
      const same = new Set(parts.filter((other) => other.article === article).map((other) => other.page.url));
      const found = (await find(page)).filter((url) => url !== page.url).slice(0, FOUND_MAX);
      sum += found.filter((url) => same.has(url)).length / Math.min(FOUND_MAX, same.size - 1);
    }
    precisions.set(name, sum / parts.length);
    console.log(`${name.padEnd(22)} ${(sum / parts.length).toFixed(3).padStart(7)}`);
  }
  const [given = 0, ranked = 0] = precisions.values();
  compareShares(`P@${FOUND_MAX}`, { served: given, inside: ranked });
  plain.close();
  await served.close();
  await web.close();
  await dns.close();
  rmSync(folder, { recursive: true, force: true });
}

/** The page of a text without a title. */
function htmlOf(markdown: string): string {
  const paragraphs = markdown
    .split('\n\n')
    .map((text) => `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>`);
  return `<!doctype html><html lang="en"><body><main>${paragraphs.join('\n')}</main></body></html>`;
}
