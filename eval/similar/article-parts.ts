import { join } from 'node:path';
import { readJsonLines } from '../../bench/search/read-json-lines.ts';
import { createTextPage } from '../../bench/search/text-page.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';

const PARAGRAPHS = 3;

/** Encyclopedia articles cut into pieces of three paragraphs, each a page of its own; `article` identifies those that belong together. */
export type ArticlePart = { article: number; page: IndexedPage };

/**
 * Titles are left out: they would name the article in every piece. Each piece has a host of its own on `port`, because similar
 * pages are looked for on other hosts.
 */
export function readArticleParts(data: string, port: number): ArticlePart[] {
  const articles = readJsonLines<{ paragraphs: string[] }>(join(data, 'squad2_dev_half/pages.jsonl.gz'));
  return articles.flatMap(({ paragraphs }, article) => {
    const parts: ArticlePart[] = [];
    for (let at = 0; at + PARAGRAPHS <= paragraphs.length; at += PARAGRAPHS) {
      const markdown = paragraphs.slice(at, at + PARAGRAPHS).join('\n\n');
      parts.push({
        article,
        page: createTextPage({
          url: `http://article${article}-part${at}.org:${port}/${article}-${at}`,
          markdown,
        }),
      });
    }
    return parts;
  });
}
