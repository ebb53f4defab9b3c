import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { createFraming } from './framing.ts';

const HEAD = 'POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n';

/** A parser that reads what the test says it reads. */
function framing() {
  const followed = createFraming();
  return {
    isBetween: followed.isBetween,
    feed(part: string, reads: { headers: IncomingHttpHeaders; complete: boolean }[] = []): boolean {
      return followed.feed(Buffer.from(part), () => {
        // The framing uses no more of a request.
        for (const request of reads) followed.began(request as IncomingMessage);
      });
    },
  };
}

const whole = { headers: { 'content-length': '4' }, complete: true };

test('a connection that has read nothing is not between two requests', () => {
  assert.equal(framing().isBetween(), false);
});

test('whole requests, one in each part', () => {
  const { feed, isBetween } = framing();
  assert.equal(feed(`${HEAD}body`, [whole]), true);
  assert.equal(isBetween(), true);
  assert.equal(feed('GET / HTTP/1.1\r\n\r\n', [{ headers: {}, complete: true }]), true);
  assert.equal(isBetween(), true);
});

test('a body that comes in parts ends where its length says', () => {
  const { feed, isBetween } = framing();
  const request = { headers: { 'content-length': '4' }, complete: false };
  assert.equal(feed(`${HEAD}b`, [request]), false);
  assert.equal(isBetween(), false);
  assert.equal(feed('od'), false);
  assert.equal(isBetween(), false);
  request.complete = true;
  assert.equal(feed('y'), false);
  assert.equal(isBetween(), true);
  assert.equal(feed(`${HEAD}body`, [whole]), true);
});

for (const [what, part, reads] of [
  ['two requests in a part', `${HEAD}body${HEAD}body`, [whole, whole]],
  ['a request and the beginning of another', `${HEAD}bodyGET`, [whole]],
  ['a head in parts', 'POST / HTTP/1.1\r\nContent', []],
  ['an empty line before a request', '\r\n\r\nPOST', []],
  [
    'chunks',
    'POST / HTTP/1.1\r\n\r\n0\r\n\r\n',
    [{ headers: { 'transfer-encoding': 'chunked' }, complete: true }],
  ],
  ['a length that is none', `${HEAD}body`, [{ headers: { 'content-length': '4x' }, complete: true }]],
  ['a request that the parser has not finished', `${HEAD}body`, [{ ...whole, complete: false }]],
] as const)
  test(`${what}: the place is unknown from then on`, () => {
    const { feed, isBetween } = framing();
    assert.equal(feed(`${HEAD}body`, [whole]), true);
    assert.equal(feed(part, [...reads]), false);
    assert.equal(isBetween(), false);
    assert.equal(feed(`${HEAD}body`, [whole]), false);
    assert.equal(isBetween(), false);
  });

test('more than the rest of a body: the place is unknown from then on', () => {
  const { feed, isBetween } = framing();
  const request = { headers: { 'content-length': '4' }, complete: false };
  feed(`${HEAD}b`, [request]);
  request.complete = true;
  assert.equal(feed('odyGET'), false);
  assert.equal(isBetween(), false);
});
