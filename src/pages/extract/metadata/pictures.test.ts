import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { extractHtml } from '../extract-html.ts';

const TEXT =
  '<article><h1>Wading birds</h1><p>Godwits fly from Alaska to New Zealand without a stop.</p></article>';
const pictures = (head: string): { image: unknown; favicon: unknown } => {
  const { image, favicon } = extractHtml(
    `<html><head>${head}</head><body>${TEXT}</body></html>`,
    'https://example.org/birds/godwit',
  );
  return { image, favicon };
};
const ld = (value: unknown): string => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;

const images: [what: string, head: string, image: string | null][] = [
  ['og:image', '<meta property="og:image" content="/a.jpg">', 'https://example.org/a.jpg'],
  [
    'og:image before twitter:image',
    '<meta name="twitter:image" content="t.jpg"><meta property="og:image" content="o.jpg">',
    'https://example.org/birds/o.jpg',
  ],
  [
    'relative to base',
    '<base href="https://cdn.example/x/"><meta property="og:image" content="a.jpg">',
    'https://cdn.example/x/a.jpg',
  ],
  ['JSON-LD text', ld({ '@type': 'Article', image: '/l.jpg' }), 'https://example.org/l.jpg'],
  [
    'JSON-LD list of objects',
    ld({ '@type': 'NewsArticle', image: [{ '@type': 'ImageObject', url: 'https://c.example/l.jpg' }] }),
    'https://c.example/l.jpg',
  ],
  ['link image_src', '<link rel="image_src" href="/s.png">', 'https://example.org/s.png'],
  ['data: is no address', '<meta property="og:image" content="data:image/png;base64,AAAA">', null],
  ['script is no address', '<meta property="og:image" content="javascript:alert(1)">', null],
  [
    'an empty one is skipped',
    '<meta property="og:image" content=" "><meta name="twitter:image" content="/t.jpg">',
    'https://example.org/t.jpg',
  ],
  ['none', '', null],
];
describe('the picture of a page', () => {
  for (const [what, head, image] of images) test(what, () => assert.equal(pictures(head).image, image));
});

const icons: [what: string, head: string, favicon: string | null][] = [
  ['icon', '<link rel="icon" href="/i.svg">', 'https://example.org/i.svg'],
  ['shortcut icon', '<link rel="Shortcut Icon" href="i.ico">', 'https://example.org/birds/i.ico'],
  [
    'icon before touch icon',
    '<link rel="apple-touch-icon" href="/t.png"><link rel="icon" href="/i.png">',
    'https://example.org/i.png',
  ],
  ['touch icon', '<link rel="apple-touch-icon" href="/t.png">', 'https://example.org/t.png'],
  ['mask-icon is another thing', '<link rel="mask-icon" href="/m.svg">', null],
  ['data: is no address', '<link rel="icon" href="data:,">', null],
];
describe('the icon of a page', () => {
  for (const [what, head, favicon] of icons) test(what, () => assert.equal(pictures(head).favicon, favicon));
});
