import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Answered } from '../../harness.ts';
import { other, owner, paths, serveCrawls, site } from './crawl-fixture.ts';

serveCrawls();

async function map(path: string, fields: object = {}): Promise<Answered> {
  const answer = await owner.post('/shapeB/map', { url: site.origin + path, ...fields });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

describe('POST /shapeB/map', () => {
  test('has absolute addresses, each once: the start, the sitemap, then links', async () => {
    const answer = await map('/', { include_usage: true });
    assert.deepEqual(paths(answer), ['/', '/listed', '/docs/', '/blog/1', '/out', `${other.origin}/`]);
    assert.deepEqual([answer.json.base_url, answer.json.usage], [`${site.origin}/`, { credits: 1 }]);
  });
  test('reads deeper pages when asked, and no more addresses than asked', async () => {
    assert.ok(paths(await map('/', { max_depth: 3 })).includes('/docs/deep/d'));
    assert.equal(paths(await map('/', { max_depth: 3, limit: 3 })).length, 3);
  });
  test('reads no more pages than the limit needs', async () => {
    await map('/unread/', { max_depth: 5, limit: 2 });
    assert.equal(site.hits('/unread/1'), 0);
    await map('/unread/', { max_depth: 5 });
    assert.equal(site.hits('/unread/1'), 1);
  });
  test('obeys patterns and robots.txt', async () => {
    assert.deepEqual(paths(await map('/', { select_paths: ['^/docs/$'] })), ['/docs/']);
    assert.ok(!paths(await map('/', { max_depth: 3 })).includes('/secret/plan'));
  });
  test('with instructions has the addresses that fit', async () => {
    assert.deepEqual(paths(await map('/', { instructions: 'the blog' })), ['/blog/1']);
  });
});
