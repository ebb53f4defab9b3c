import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { IndexedPage } from '../../src/index/local-index-types.ts';

const PARAGRAPHS = 3;

/** Encyclopedia articles cut into pieces of three paragraphs, each a page of its own; `article` identifies those that belong together. */
export type ArticlePart = { article: number; page: IndexedPage };

/**
 * Titles are left out: they would name the article in every piece. Each piece has a host of its own on `port`, because similar
 * pages are looked for on other hosts.
 */
export function readArticleParts(data: string, port: number): ArticlePart[] {
  const packed = readFileSync(join(data, 'squad2_dev_half/pages.jsonl.gz'));
  const lines = gunzipSync(packed).toString('utf8').trim().split('\n');
  return lines.flatMap((line, article) => {
    const { paragraphs }: { paragraphs: string[] } = JSON.parse(line);
    const parts: ArticlePart[] = [];
    for (let at = 0; at + PARAGRAPHS <= paragraphs.length; at += PARAGRAPHS) {
      const markdown = paragraphs.slice(at, at + PARAGRAPHS).join('\n\n');
      parts.push({
        article,
        page: pageOf(`http://article${article}-part${at}.org:${port}/${article}-${at}`, markdown),
      });
    }
    return parts;
  });
}

function pageOf(url: string, markdown: string): IndexedPage {
  return {
    url,
    title: '',
    headings: [],
    markdown,
    publishedDay: null,
    language: 'en',
    site: null,
    author: null,
    rawChars: markdown.length,
    fetchedAt: 0,
  };
}
