import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type FakeDns, startDns } from '../../fixtures/dns-server.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type RealServed, serveReal } from '../../harness.ts';

let web: FakeWeb;
let dns: FakeDns;
let served: RealServed;
let url: string;

before(async () => {
  const text =
    '<p>The lighthouse was designed by Ada Merrick. It was opened on 3 May 1871 and is 54 m tall.</p><p>It is not open to visitors.</p>';
  web = await startWeb({
    routes: {
      '/light': `<!doctype html><html lang="en"><title>Corvane Light</title><main><article><h1>Corvane Light</h1>${text}</article></main></html>`,
    },
  });
  dns = await startDns({ 'light.example': ['127.10.0.1'] });
  served = await serveReal({ DNS_SERVERS: dns.address, FETCH_ALLOW_PRIVATE: '127.10.0.0/16' });
  url = `http://light.example:${web.port}/light`;
});
after(async () => {
  await served.close();
  await web.close();
  await dns.close();
});

describe('200', () => {
  test('says of each sentence what its page says, and costs a credit for the page', async () => {
    const owner = await served.owner();
    const text = `The lighthouse was designed by Ada Merrick [1]. It was opened on 3 May 1872 and is 54 m tall [1]. Keepers earned forty pounds a year [1]. Nobody knows why.\n\nSources:\n1. ${url}\n`;
    const { status, json, text: body } = await owner.post('/v1/verify', { text });
    assert.equal(status, 200, body);
    assert.deepEqual(
      json.statements.map(({ verdict }: { verdict: string }) => verdict),
      ['supported', 'contradicted', 'not_found', 'not_cited'],
    );
    assert.equal(json.statements[0].page.quote, 'The lighthouse was designed by Ada Merrick.');
    assert.match(json.statements[0].page.link, /#:~:text=/);
    assert.deepEqual(json.statements[1].problems, [{ kind: 'date', text: '3 May 1872' }]);
    assert.deepEqual(json.counts, {
      supported: 1,
      contradicted: 1,
      not_found: 1,
      not_cited: 1,
      not_opened: 0,
    });
    assert.deepEqual(json.costDollars, { total: 0.001 });
  });

  test('a page that cannot be read is named, and free', async () => {
    const owner = await served.owner();
    const { json } = await owner.post('/v1/verify', {
      text: `The light is tall and old [gone](${url}/gone).`,
    });
    assert.equal(json.statements[0].verdict, 'not_opened');
    assert.deepEqual(json.pages.failed, [{ url: `${url}/gone`, reason: 'http_status' }]);
    assert.deepEqual(json.costDollars, { total: 0 });
  });
});

describe('422', () => {
  test('a text of more than 200 sentences, of which none is left unchecked in silence', async () => {
    const owner = await served.owner();
    const text = `It is 54 m tall [1]. `.repeat(201).concat(`\n\nSources:\n1. ${url}\n`);
    const { status, json } = await owner.post('/v1/verify', { text });
    assert.equal(status, 422);
    assert.match(json.message, /^text: must have at most 200 sentences, and has 201$/);
  });

  test('more pages than a call may cite', async () => {
    const text = Array.from(
      { length: 11 },
      (_, place) => `The light is tall [x](https://example.org/${place}).`,
    ).join(' ');
    assert.equal((await served.post('/v1/verify', { text })).status, 422);
    assert.equal((await served.post('/v1/verify', { text: ' ' })).status, 422);
  });
});
