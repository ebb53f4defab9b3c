import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parseSitemap, SITEMAP_BYTES_MAX, SITEMAP_URLS_MAX } from './sitemap.ts';

const BASE = 'https://example.org/maps/sitemap.xml';
const parse = (text: string): ReturnType<typeof parseSitemap> => parseSitemap(Buffer.from(text), BASE);

test('an urlset lists its pages, with prefixes, entities and relative addresses, and not its pictures', async () => {
  const listed = await parse(
    `<?xml version="1.0"?><s:urlset xmlns:s="x"><s:url><s:loc> /a?x=1&amp;y=2 </s:loc>
     <image:image><image:loc>https://example.org/p.png</image:loc></image:image></s:url></s:urlset>`,
  );
  assert.deepEqual(listed, { pages: ['https://example.org/a?x=1&y=2'], sitemaps: [] });
});

test('the time of the last modification is the latest that is meant; what is no date is none', async () => {
  const page = (path: string, lastmod: string): string =>
    `<url><loc>/${path}</loc><lastmod>${lastmod}</lastmod></url>`;
  const { modified = new Map() } = await parse(
    `<urlset>${page('time', '2026-01-31T10:00:00+01:00')}${page('day', ' 2026-01-31 ')}${page('month', '2026-01')}
     <url><lastmod>2025-12-01</lastmod><loc>before</loc></url>${page('words', 'yesterday')}<url><loc>/none</loc></url></urlset>`,
  );
  const times = [...modified].map(([url, at]) => [url, new Date(at).toISOString()]);
  assert.deepEqual(times, [
    ['https://example.org/time', '2026-01-31T09:00:00.000Z'],
    ['https://example.org/day', '2026-01-31T23:59:59.999Z'],
    ['https://example.org/month', '2026-01-31T23:59:59.999Z'],
    ['https://example.org/maps/before', '2025-12-01T23:59:59.999Z'],
  ]);
});

test('an index lists sitemaps', async () => {
  const listed = await parse('<sitemapindex><sitemap><loc>1.xml.gz</loc></sitemap></sitemapindex>');
  assert.deepEqual(listed, { pages: [], sitemaps: ['https://example.org/maps/1.xml.gz'] });
});

test('an entry of a feed lists its link, or its guid if it has none', async () => {
  const listed = await parse(
    `<rss><channel><item><link>/a</link><guid>https://example.org/guid</guid></item>
     <item><guid>https://example.org/b</guid></item><item><guid>no address</guid></item></channel></rss>`,
  );
  assert.deepEqual(listed.pages, ['https://example.org/a', 'https://example.org/b']);
});

test('a file that is not a sitemap lists nothing', async () => {
  for (const text of [
    '',
    '<!doctype html><title>Not found</title><a href="/x">x</a>',
    'plain words',
    '{"a":1}',
  ]) {
    assert.deepEqual(await parse(text), { pages: [], sitemaps: [] }, text);
  }
});

test('a truncated file lists what it contains; broken or oversized gzip lists nothing', async () => {
  assert.equal((await parse('<urlset><url><loc>https://a.org/1</loc></url><url><lo')).pages.length, 1);
  const packed = gzipSync('https://a.org/1\n');
  assert.deepEqual((await parseSitemap(packed, BASE)).pages, ['https://a.org/1']);
  assert.deepEqual((await parseSitemap(packed.subarray(0, 15), BASE)).pages, []);
  const bomb = gzipSync(Buffer.alloc(SITEMAP_BYTES_MAX + 1, 0x20));
  assert.deepEqual((await parseSitemap(bomb, BASE)).pages, []);
});

describe('the sample files', () => {
  const folder = join(process.env.EVAL_DATA ?? '../shared/data', 'sitemaps');
  const samples: [file: string, pages: number, sitemaps: number][] = [
    ['sitemaps/sitemap.txt', 2, 0],
    ['sitemaps/sitemap-with-bom.txt', 2, 0],
    ['sitemaps/do-not-visit.txt', 1, 0],
    ['sitemaps/sitemap.txt.gz', 5, 0],
    ['sitemaps/xmlSitemap.gz', 5, 0],
    ['sitemaps/sitemap.ns.xml', 2, 0],
    ['sitemaps/sitemap.badns.xml', 2, 0],
    ['sitemaps/sitemap.index.xml', 0, 15],
    ['sitemaps/atom.xml', 2, 0],
    ['rss/feed.rss', 4, 0],
    ['rss/xmlRss_pubDate.xml', 7, 0],
    ['sitemaps/extension/hebdenbridgetimes-articles-sitemap.xml', 74, 0],
    ['sitemaps/extension/pagemaps-sitemap.xml', 2, 0],
    ['sitemaps/extension/shinpaideshou-news-sitemap.xml', 3, 0],
    ['sitemaps/extension/sitemap-images.xml', 1, 0],
    ['sitemaps/extension/sitemap-links.xml', 3, 0],
    ['sitemaps/extension/sitemap-mobile.xml', 3, 0],
    ['sitemaps/extension/sitemap-news.xml', 2, 0],
    ['sitemaps/extension/sitemap-videos-tvshow.xml', 1, 0],
    ['sitemaps/extension/sitemap-videos.xml', 3, 0],
  ];
  for (const [file, pages, sitemaps] of samples) {
    test(file, async (t) => {
      if (!existsSync(folder)) return t.skip(`the data set "sitemaps" is not in ${folder}; set EVAL_DATA`);
      const listed = await parseSitemap(readFileSync(join(folder, file)), 'http://www.example.com/');
      assert.deepEqual([listed.pages.length, listed.sitemaps.length], [pages, sitemaps]);
    });
  }
});

test('elements nested without end and addresses without end cost no memory', async () => {
  const deep = await parse(`<urlset><url><loc>/a</loc></url>${'<x>'.repeat(1_000_000)}`);
  assert.deepEqual(deep.pages, ['https://example.org/a']);
  const long = await parse(
    `<urlset><url><loc>/${'a'.repeat(1_000_000)}</loc></url><url><loc>/b</loc></url></urlset>`,
  );
  assert.deepEqual(
    long.pages.filter((page) => page.length < 100),
    ['https://example.org/b'],
  );
});

test('a list of lines is read up to the bound of addresses', async () => {
  const listed = await parse(`${'https://e.org/\n'.repeat(SITEMAP_URLS_MAX + 1)}https://e.org/late\n`);
  assert.deepEqual(listed.pages, ['https://e.org/']);
});
