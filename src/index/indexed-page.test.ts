import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Article } from '../pages/article.ts';
import { toArticle, toIndexedPage } from './indexed-page.ts';

const ARTICLE: Article = {
  url: 'http://docs.example.org/v2/guide/?utm_source=feed',
  canonicalUrl: 'https://docs.example.org/v2/guide',
  kind: 'html',
  title: 'Guide',
  author: 'Ada',
  site: 'Docs',
  language: 'en',
  published: { day: '2024-03-01', from: 'json-ld' },
  description: 'How to begin.',
  headings: ['Install', 'Run'],
  markdown: '# Guide\n',
  links: ['https://docs.example.org/v2/next'],
  robots: { index: true, follow: true },
  rawChars: 1_234,
};

test('an article is indexed under the declared spelling of its address with what it says of itself', () => {
  assert.deepEqual(toIndexedPage(ARTICLE, 1_700_000_000_000), {
    url: 'https://docs.example.org/v2/guide',
    title: 'Guide',
    headings: ['Install', 'Run'],
    markdown: '# Guide\n',
    publishedDay: '2024-03-01',
    language: 'en',
    site: 'Docs',
    author: 'Ada',
    rawChars: 1_234,
    fetchedAt: 1_700_000_000_000,
  });
});

test('an article without a date has no day', () => {
  assert.equal(toIndexedPage({ ...ARTICLE, published: null }, 0).publishedDay, null);
});

test('an article that declares another address is indexed under the one it was read at', () => {
  const evil = { ...ARTICLE, url: 'https://docs.example.org/user/evil' };
  assert.equal(toIndexedPage(evil, 0).url, 'https://docs.example.org/user/evil');
});

test('what an article declares of itself comes back with it', () => {
  const declaring: Article = {
    ...ARTICLE,
    canonicalUrl: 'https://docs.example.org/latest/guide',
    modified: { day: '2024-04-02', from: 'meta' },
    image: 'https://docs.example.org/cover.png',
    favicon: 'https://docs.example.org/icon.svg',
  };
  const { article } = toArticle(toIndexedPage(declaring, 0));
  assert.partialDeepStrictEqual(article, {
    url: declaring.url,
    canonicalUrl: declaring.canonicalUrl,
    modified: { day: '2024-04-02' },
    image: declaring.image,
    favicon: declaring.favicon,
  });
});
