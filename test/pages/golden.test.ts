import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Article } from '../../src/pages/article.ts';
import { readFormat } from '../../src/pages/formats/read-format.ts';

/**
 * golden/<area>/<case>: input.html (or input.md) and expected.md, the article's Markdown over the whole path: parsed, main
 * content chosen, written. Every expectation was judged by hand. expected.json, where there is one, holds other fields of the article.
 */
const GOLDEN = join(import.meta.dirname, 'golden');
const foldersIn = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** Text around a snippet, so that it is chosen as a part of an article and not because the page is short. */
const PROSE = Array.from(
  { length: 6 },
  (_, at) =>
    `<p>The harbour master of the ${at + 2}nd basin keeps a careful log of every ship that passes the lock, with its length, its draught and the hour, and reads it out to the council in the evening.</p>`,
).join('\n');

for (const area of foldersIn(GOLDEN)) {
  describe(area, () => {
    for (const name of foldersIn(join(GOLDEN, area))) {
      const file = (part: string): string => join(GOLDEN, area, name, part);
      const read = (part: string): string => readFileSync(file(part), 'utf8');
      const url = `https://www.example.org/docs/${name}`;

      test(name, () => {
        const html = existsSync(file('input.html'));
        const article = html
          ? readFormat('html', read('input.html'), url)
          : readFormat('markdown', read('input.md'), url);
        assert.equal(`${article.markdown}\n`, read('expected.md'));
        if (existsSync(file('expected.json'))) {
          const expected = JSON.parse(read('expected.json')) as Partial<Article>;
          const fields = Object.keys(expected) as (keyof Article)[];
          assert.deepEqual(Object.fromEntries(fields.map((field) => [field, article[field]])), expected);
        }
      });

      if (existsSync(file('input.html')) && !/<(?:!doctype|html|head|body|title)\b/i.test(read('input.html')))
        test(`${name}, within an article`, () => {
          const page = `<!doctype html><html><head><title>The log</title></head><body><main><article><h1>The log</h1>${PROSE}${read('input.html')}${PROSE}</article></main></body></html>`;
          const { markdown } = readFormat('html', page, url);
          const missing = read('expected.md')
            .split('\n')
            .filter((line) => !markdown.includes(line));
          assert.deepEqual(missing, []);
        });
    }
  });
}
