import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readRtf } from './rtf.ts';

const URL = 'https://e.org/a.rtf';
const WRITTEN = new globalThis.URL('../../../../test/pages/documents/', import.meta.url);
const markdownOf = (rtf: string): string => readRtf(Buffer.from(rtf, 'latin1'), URL).markdown;

describe('readRtf', () => {
  test('reads back what LibreOffice writes', () => {
    const article = readRtf(readFileSync(new globalThis.URL('birds.rtf', WRITTEN)), URL);
    assert.equal(article.markdown, readFileSync(new globalThis.URL('birds.md', WRITTEN), 'utf8').trim());
    assert.deepEqual([article.title, article.author], ['Birds & tides', 'A. Bird']);
  });

  test('characters by code page and by number, with their fallbacks skipped', () => {
    assert.equal(
      markdownOf("{\\rtf1\\ansi\\ansicpg1251 \\'cf\\'f0\\'e8 \\u8364?\\uc2 \\u26085??x\\par}"),
      'При €日x',
    );
  });

  test('groups without text of the document are left out, marks end with their group', () => {
    const rtf =
      '{\\rtf1{\\fonttbl{\\f0 Arial;}}{\\*\\unknown no}{\\info{\\title T}}{\\pict\\bin3 }}}}a {\\b b} c\\par}';
    assert.equal(markdownOf(rtf), 'a **b** c');
  });

  test('a hundred thousand groups deep, and broken ends, are read to the end', () => {
    assert.equal(markdownOf(`{\\rtf1 ${'{'.repeat(100_000)}deep${'}'.repeat(100_000)} end\\par`), 'deep end');
    assert.equal(markdownOf('{\\rtf1 {cut'), 'cut');
  });
});
