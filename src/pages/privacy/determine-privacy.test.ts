import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { PrivateReason } from '../article.ts';
import { determinePrivacy, type PageAnswers } from './determine-privacy.ts';

const PAGE = 'https://e.org/page';
const INDEX = { index: true, follow: true };

const answered = (headers: Record<string, string>): PageAnswers => ({
  asked: PAGE,
  answers: [{ url: PAGE, headers }],
  robots: INDEX,
});

const HEADERS: [headers: Record<string, string>, reason: PrivateReason | null][] = [
  [{}, null],
  [{ 'cache-control': 'public, max-age=60' }, null],
  [{ 'cache-control': 'no-cache' }, null],
  [{ 'cache-control': 'no-store' }, 'no_store'],
  [{ 'cache-control': 'max-age=0,NO-STORE' }, 'no_store'],
  [{ 'cache-control': 'private, no-store' }, 'no_store'],
  [{ 'cache-control': 'Private' }, 'private'],
  [{ 'cache-control': 'private="set-cookie", max-age=60' }, 'private'],
  [{ 'cache-control': 'x-private, no-storey' }, null],
  [{ vary: '*' }, 'varies'],
  [{ vary: 'Accept, *' }, 'varies'],
  [{ vary: 'Cookie, Authorization' }, null],
  [{ 'set-cookie': 'visit=1' }, null],
  [{ 'x-robots-tag': 'noindex' }, 'noindex'],
  [{ 'x-robots-tag': 'nofollow, NoIndex' }, 'noindex'],
  [{ 'x-robots-tag': 'none' }, 'noindex'],
  [{ 'x-robots-tag': 'nofollow, noarchive' }, null],
  [{ 'x-robots-tag': 'Sanderling: noindex' }, 'noindex'],
  [{ 'x-robots-tag': 'sanderling: nofollow, none' }, 'noindex'],
  [{ 'x-robots-tag': 'otherbot: noindex, nofollow' }, null],
  [{ 'x-robots-tag': 'otherbot: all, sanderling: noindex' }, 'noindex'],
  [{ 'x-robots-tag': 'otherbot: noindex\nnoindex' }, 'noindex'],
  [{ 'x-robots-tag': 'otherbot: nofollow\nmax-snippet: 20, noindex' }, 'noindex'],
  [{ 'x-robots-tag': 'unavailable_after: Wed, 03 Dec 2031 15:00:00 GMT, noindex' }, 'noindex'],
  [{ 'x-robots-tag': 'all' }, null],
];

describe('the headers of a page', () => {
  for (const [headers, reason] of HEADERS)
    test(`${JSON.stringify(headers)}: ${reason ?? 'may be shared'}`, () => {
      assert.equal(determinePrivacy(answered(headers))?.reason ?? null, reason);
    });
});

test('the markup of a page', () => {
  const page = { ...answered({}), robots: { index: false, follow: true } };
  assert.deepEqual(determinePrivacy(page), { reason: 'noindex', addresses: [PAGE] });
});

describe('the redirects to a page', () => {
  const moved = (first: Record<string, string>, last: Record<string, string> = {}): PageAnswers => ({
    asked: 'https://a.org/1',
    answers: [
      { url: 'https://a.org/1', headers: first },
      { url: PAGE, headers: last },
    ],
    robots: INDEX,
  });

  test('a private redirect keeps the reading private, but not the page behind it', () => {
    for (const headers of [{ 'cache-control': 'private' }, { 'x-robots-tag': 'noindex' }, { vary: '*' }])
      assert.deepEqual(determinePrivacy(moved(headers))?.addresses, ['https://a.org/1']);
  });

  test('a private page makes every address that leads to it private', () => {
    assert.deepEqual(determinePrivacy(moved({}, { 'cache-control': 'no-store' })), {
      reason: 'no_store',
      addresses: ['https://a.org/1', PAGE],
    });
  });

  test('a secret in any address on the way does', () => {
    const answers = [{ url: 'https://e.org/page?token=1', headers: {} }];
    assert.deepEqual(determinePrivacy({ asked: PAGE, answers, robots: INDEX })?.reason, 'secret_in_address');
    const asked = 'https://e.org/go?token=1';
    assert.deepEqual(determinePrivacy({ ...answered({}), asked }), {
      reason: 'secret_in_address',
      addresses: [asked],
    });
  });
});
