import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith, pageFixture, URL_ } from '../../test/fixtures/unit-tests/page-fixture.ts';
import { Failure } from '../contract/errors.ts';
import type { ExtrasRequest } from './extract/extras/map-fields.ts';
import { validateSelector } from './extract/selector.ts';

const fixture = pageFixture();

describe('openPage with extras', () => {
  const html = (text: string) => ({
    text: `<html><body><main><p class="lead">${text}</p><p>${'More about it. '.repeat(40)}</p></main></body></html>`,
    headers: { 'content-type': 'text/html', etag: '"v"' },
  });
  const lead = validateSelector('.lead');
  assert.ok(typeof lead === 'string');
  const extras: ExtrasRequest = {
    selection: { include: [lead], exclude: [], whole: false },
    rawHtml: true,
    html: true,
  };

  test('come from the origin, not from the cache, which keeps the article alone', async (t) => {
    const { open, asked, store } = await fixture(t, (_request, nth) => html(`Version ${nth}`));
    await open();
    const page = await open(URL_, { extras });
    assert.equal(asked[1]?.headers?.['if-none-match'], undefined);
    assert.deepEqual([page.cache, page.extras?.markdown], ['miss', 'Version 2']);
    assert.match(page.article.markdown, /^Version 2\n\nMore about it/);
    assert.equal(page.extras?.rawHtml, html('Version 2').text);
    const kept = await open();
    assert.deepEqual([kept.cache, kept.article, kept.extras], ['hit', page.article, undefined]);
    const { article } = await store.selectFrom('page_cache').select('article').executeTakeFirstOrThrow();
    assert.doesNotMatch(article, /<p class/);
  });

  test('are not joined by callers who want others', async (t) => {
    const { open, asked } = await fixture(t, () => html('One'));
    const [plain, first, second] = await Promise.all([
      open(),
      open(URL_, { extras }),
      open(URL_, { extras: { selection: null, links: 'page' } }),
    ]);
    assert.equal(asked.length, 3);
    assert.deepEqual([plain.extras, first.extras?.markdown, second.extras?.links], [undefined, 'One', []]);
  });

  test('fail with the origin, although an older copy is kept', async (t) => {
    const { open } = await fixture(t, (_request, nth) => (nth === 1 ? html('One') : { status: 500 }));
    await open();
    await assert.rejects(open(URL_, { extras }), failsWith('http_status', 500));
    await assert.rejects(open(URL_, { extras, copies: 'only' }), failsWith('not_kept'));
  });

  test('a selection without text fails', async (t) => {
    const { open } = await fixture(t, () => ({ ...html('One'), text: '<p>no lead</p>' }));
    await assert.rejects(open(URL_, { extras }), failsWith('empty'));
  });

  test('a selector that takes too much CPU time fails, and others are read meanwhile', async (t) => {
    const deep = '<div><p>x</p>'.repeat(120);
    const { open } = await fixture(t, () => ({ ...html(''), text: deep }));
    const slow = validateSelector('* '.repeat(200).trim());
    assert.ok(typeof slow === 'string');
    const selection = { include: [slow], exclude: [], whole: false };
    // A machine that is too busy to give it that time says so.
    await assert.rejects(
      open(URL_, { extras: { selection } }),
      (error) => (error instanceof Failure && error.code === 'overloaded') || failsWith('undecodable')(error),
    );
    assert.match((await open()).article.markdown, /x/);
  });
});
