import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { canBePage, detectTrap, toCrawlableUrl } from './crawlable.ts';

test('a link is spelled in one way; what is no page or has no end is none', () => {
  assert.equal(toCrawlableUrl('https://Example.com/a#b'), 'https://example.com/a');
  for (const link of ['mailto:a@b.c', 'https://a.b/x.png', 'https://a.b/a/a/a/a/a/', 'nothing'])
    assert.equal(toCrawlableUrl(link), null, link);
});

test('files that are no pages are known by their ending', () => {
  for (const path of ['a.png', 'b.tar.gz', 'x/style.css?v=2', 'c.PDF']) {
    assert.equal(canBePage(`https://a.org/${path}`), false, path);
  }
  for (const path of ['', 'a', 'a.html', 'v1.2', 'a.php?x=.png', 'notes.md']) {
    assert.equal(canBePage(`https://a.org/${path}`), true, path);
  }
});

describe('traps', () => {
  const cases: [path: string, reason: string | null][] = [
    ['docs/3.11/library/asyncio.html', null],
    ['2024/2024/2024/report', null],
    ['a/a/a/a/a', 'path_repeats'],
    ['en/docs/en/docs/en/docs/en/docs/x', 'path_repeats'],
    [Array.from({ length: 21 }, (_, place) => place).join('/'), 'path_too_deep'],
    ['x'.repeat(2_000), 'url_too_long'],
    [`s?${Array.from({ length: 13 }, (_, place) => `f${place}=1`).join('&')}`, 'query_too_wide'],
    ['s?a=1&b=2', null],
  ];
  for (const [path, reason] of cases) {
    test(`${path.slice(0, 40)}: ${reason}`, () => assert.equal(detectTrap(`https://a.org/${path}`), reason));
  }
});
