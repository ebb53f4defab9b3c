import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSite, hasPublicName, isSameSite, toHostKey } from './sites.ts';

test('www and the bare host are one site of a crawl, another port is not', () => {
  assert.equal(toHostKey('https://www.example.org/a'), toHostKey('http://example.org/'));
  assert.notEqual(toHostKey('http://example.org:8080/'), toHostKey('http://example.org/'));
});

test('sites end at the public suffix', () => {
  assert.equal(findSite('https://docs.example.co.uk/a'), 'example.co.uk');
  assert.equal(isSameSite('https://a.example.org/', 'https://example.org/'), true);
  assert.equal(isSameSite('https://a.github.io/', 'https://b.github.io/'), false);
  assert.equal(isSameSite('http://127.0.0.1/', 'http://127.0.0.2/'), false);
});

test('addresses and reserved names are not of the public web', () => {
  for (const host of ['127.0.0.1:8080', '[::1]', 'localhost', 'docs.python.test', 'wiki.internal', 'nas'])
    assert.equal(hasPublicName(`http://${host}/`), false, host);
  for (const host of ['example.org', 'a.b.example.co.uk', 'me.github.io'])
    assert.equal(hasPublicName(`http://${host}/`), true, host);
});
