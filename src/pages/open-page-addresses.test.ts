import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith, pageFixture, URL_ } from '../../test/fixtures/unit-tests/page-fixture.ts';

const fixture = pageFixture();

describe('openPage for several at once and several addresses', () => {
  test('simultaneous callers share one fetch', async (t) => {
    const { open, asked } = await fixture(t, () => ({ text: '# Hello' }));
    const pages = await Promise.all([open(), open(), open(`${URL_}#x`)]);
    assert.deepEqual(
      pages.map(({ cache }) => cache),
      ['miss', 'miss', 'miss'],
    );
    assert.equal(asked.length, 1);
  });

  test('a failure is not kept', async (t) => {
    const { open } = await fixture(t, (_request, nth) => (nth === 1 ? { status: 500 } : { text: '# Up' }));
    await assert.rejects(open(), failsWith('http_status', 500));
    assert.equal((await open()).article.title, 'Up');
  });

  test('a preprint without an HTML version is read as its abstract page, and cached', async (t) => {
    const { open, asked } = await fixture(t, ({ url }) =>
      url.includes('/html/') ? { status: 404 } : { text: '# Abstract' },
    );
    const page = await open('https://arxiv.org/pdf/2301.00001');
    assert.equal(page.article.url, 'https://arxiv.org/abs/2301.00001');
    assert.equal((await open('https://arxiv.org/pdf/2301.00001.pdf')).cache, 'hit');
    assert.equal(asked.length, 2);
  });

  test('a blob page is read as its raw file', async (t) => {
    const { open, asked } = await fixture(t, () => ({
      text: 'x = 1',
      headers: { 'content-type': 'text/plain' },
    }));
    const { article } = await open('https://github.com/o/r/blob/main/a.py');
    assert.equal(asked[0]?.url, 'https://raw.githubusercontent.com/o/r/main/a.py');
    assert.equal(article.markdown, '```python\nx = 1\n```');
  });
});

describe('a redirect that ends on a blob page', () => {
  const SHORT = 'https://go.example.org/x';
  const BLOB = 'https://github.com/o/r/blob/main/a.py';
  const RAW = 'https://raw.githubusercontent.com/o/r/main/a.py';
  const redirects = [{ url: SHORT, headers: {} }];
  const code = { text: 'x = 1', headers: { 'content-type': 'text/plain' } };

  test('is read as the raw file', async (t) => {
    const { open, asked } = await fixture(t, ({ url }) =>
      url === RAW ? code : { url: BLOB, text: '# Chrome of a code host', redirects },
    );
    const { article } = await open(SHORT);
    assert.equal(article.url, RAW);
    assert.equal(article.markdown, '```python\nx = 1\n```');
    assert.deepEqual(
      asked.map(({ url }) => url),
      [SHORT, RAW],
    );
    assert.equal((await open(SHORT)).cache, 'hit');
  });

  test('is read directly when there is no raw file', async (t) => {
    for (const missing of [{ status: 404 }, { status: 500 }]) {
      const { open, asked } = await fixture(t, ({ url }) =>
        url === RAW ? missing : { url: BLOB, text: '# The page', redirects },
      );
      assert.equal((await open(SHORT)).article.title, 'The page');
      assert.equal(asked.length, 2);
    }
  });

  test('keeps the headers of the redirect: after a private one the page is not kept', async (t) => {
    const hidden = [{ url: SHORT, headers: { 'cache-control': 'private' } }];
    const { open } = await fixture(t, ({ url }) =>
      url === RAW ? code : { url: BLOB, text: '# Page', redirects: hidden },
    );
    assert.notEqual((await open(SHORT)).privacy, null);
  });

  test('keeps the headers of the blob page, and the secret in its address', async (t) => {
    for (const blob of [
      { url: BLOB, headers: { 'cache-control': 'private' } },
      { url: `${BLOB}?token=1`, headers: {} },
    ]) {
      const { open } = await fixture(t, ({ url }) =>
        url === RAW ? code : { ...blob, text: '# Page', redirects },
      );
      assert.deepEqual((await open(SHORT)).privacy?.addresses, [SHORT, blob.url]);
    }
  });

  test('a raw address that leads back is not followed again', async (t) => {
    const old = 'https://gitlab.com/g/r/blob/main/a.md';
    const { open, asked } = await fixture(t, () => ({ url: old, text: '# Page', redirects }));
    assert.equal((await open(SHORT)).article.title, 'Page');
    assert.equal(asked.length, 2);
  });

  test('nothing more is requested after a failure', async (t) => {
    const { open, asked } = await fixture(t, () => ({ url: BLOB, status: 500, redirects }));
    await assert.rejects(open(SHORT), failsWith('http_status', 500));
    assert.equal(asked.length, 1);
  });
});
