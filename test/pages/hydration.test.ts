import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { extractHtml } from '../../src/pages/extract/extract-html.ts';

/**
 * Pages whose text is in the data that their framework starts from. The data was written by the frameworks' own
 * serialisers (the app router's by a build). Beside each stands what must be found, in this order, and, after `! `, what
 * belongs to the site and must not.
 */
const PAGES = join(import.meta.dirname, 'hydration');

for (const file of readdirSync(PAGES).filter((name) => name.endsWith('.html'))) {
  test(file.slice(0, -'.html'.length), () => {
    const { markdown, readRoute } = extractHtml(
      readFileSync(join(PAGES, file), 'utf8'),
      'https://www.example.org/post/x',
    );
    assert.equal(readRoute, 'hydration');
    const text = plain(markdown);
    const lines = readFileSync(join(PAGES, file.replace(/html$/, 'txt')), 'utf8')
      .trim()
      .split('\n');
    let from = 0;
    for (const line of lines.filter((one) => !one.startsWith('! '))) {
      const at = text.indexOf(plain(line), from);
      assert.ok(at !== -1, `"${line}" is missing after character ${from} in:\n${markdown}`);
      from = at + 1;
    }
    for (const line of lines.filter((one) => one.startsWith('! ')))
      assert.ok(
        !text.includes(plain(line.slice(2))),
        `"${line.slice(2)}" is of the site, but in:\n${markdown}`,
      );
  });
}

/** Markdown without emphasis, escapes and the addresses of links. */
function plain(markdown: string): string {
  return markdown
    .replace(/\]\([^)]*\)/g, '')
    .replace(/[\\*[]/g, '')
    .replace(/\s+/g, ' ');
}
