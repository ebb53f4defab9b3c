import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasOtherCanonicalUrl, listPrivateAddresses, resolveOwnAddress } from './own-address.ts';

/** Read at, declared, filed under. */
const CASES: [url: string, canonicalUrl: string, filed: 'declared' | 'read'][] = [
  ['https://e.org/a', 'https://e.org/a', 'declared'],
  ['http://e.org/a', 'https://e.org/a', 'declared'],
  ['https://www.e.org/a', 'https://e.org/a', 'declared'],
  ['https://e.org/a/', 'https://e.org/a', 'declared'],
  ['https://e.org/a/index.html', 'https://e.org/a/', 'declared'],
  ['https://e.org/a?utm_source=x&id=1', 'https://e.org/a?id=1', 'declared'],
  ['https://e.org/%7Ea', 'https://e.org/~a', 'declared'],
  ['https://e.org/user/evil', 'https://e.org/victim', 'read'],
  ['https://e.org/victim?ref=evil', 'https://e.org/victim', 'read'],
  ['https://e.org/victim?page=evil', 'https://e.org/victim', 'read'],
  ['https://m.e.org/victim', 'https://e.org/victim', 'read'],
  ['https://user.e.org/', 'https://e.org/', 'read'],
  ['https://e.org/Victim', 'https://e.org/victim', 'read'],
  ['https://e.org:8443/victim', 'https://e.org/victim', 'read'],
  ['https://e.org/victim', 'https://user:pass@e.org/victim', 'read'],
  ['file:///a/b.html', 'file:///a/b.html', 'declared'],
];

for (const [url, canonicalUrl, filed] of CASES)
  test(`${url} that declares ${canonicalUrl}`, () => {
    assert.equal(resolveOwnAddress({ url, canonicalUrl }), filed === 'declared' ? canonicalUrl : url);
    assert.equal(hasOtherCanonicalUrl({ url, canonicalUrl }), filed === 'read');
  });

test('a page that turned private is withdrawn from the address that it was filed under', () => {
  const page = { url: 'https://www.e.org/a', canonicalUrl: 'https://e.org/a' };
  const asked = 'https://e.org/to-a';
  assert.deepEqual(listPrivateAddresses(page, { reason: 'noindex', addresses: [asked, page.url] }), [
    asked,
    page.url,
    page.canonicalUrl,
  ]);
  // A private address on the way, such as a redirect, says nothing of the page itself.
  assert.deepEqual(listPrivateAddresses(page, { reason: 'private', addresses: [asked] }), [asked]);
});
