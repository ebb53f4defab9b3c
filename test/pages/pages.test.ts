import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { marked } from 'marked';
import type { Article } from '../../src/pages/article.ts';
import { extractHtml } from '../../src/pages/extract/extract-html.ts';
import { writeMarkdown } from '../../src/pages/extract/markdown/write-markdown.ts';
import { createUrlResolver } from '../../src/pages/extract/metadata/addresses.ts';
import { collectPageFacts } from '../../src/pages/extract/metadata/page-facts.ts';
import { parseTree } from '../../src/pages/extract/parse/build-tree.ts';

/**
 * A folder is a page: source.html, expected.md (everything in it as Markdown, before main content is chosen), and
 * optionally expected.json (fields of the article) and chosen.md (the article's Markdown, main content only).
 */
const PAGES = import.meta.dirname;
const names = readdirSync(PAGES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && existsSync(join(PAGES, entry.name, 'source.html')))
  .map(({ name }) => name);

for (const name of names) {
  describe(name, () => {
    const read = (file: string): string => readFileSync(join(PAGES, name, file), 'utf8');
    const has = (file: string): boolean => existsSync(join(PAGES, name, file));
    const url = `https://www.example.org/docs/${name}`;
    const html = read('source.html');

    test('reads as expected', () => {
      const tree = parseTree(html);
      const { markdown } = writeMarkdown(tree, createUrlResolver(collectPageFacts(tree), url));
      assert.equal(`${markdown}\n`, read('expected.md'));
    });

    test('has no more than one blank line and no spaces at line ends outside code', () => {
      const outside = read('expected.md').replace(/^( *(?:> )*)(`{3,}).*\n(?:.*\n)*?\1\2$/gm, 'code');
      assert.doesNotMatch(outside, /\n\n\n|[ \t]$/m);
      assert.ok(marked.lexer(outside).length > 0);
    });

    if (has('expected.json'))
      test('says of itself what it declares', () => {
        const article = extractHtml(html, url);
        const expected = JSON.parse(read('expected.json')) as Partial<Article>;
        const fields = Object.keys(expected) as (keyof Article)[];
        assert.deepEqual(Object.fromEntries(fields.map((field) => [field, article[field]])), expected);
      });

    if (has('chosen.md'))
      test('keeps its main content', () => {
        assert.equal(`${extractHtml(html, url).markdown}\n`, read('chosen.md'));
      });
  });
}
