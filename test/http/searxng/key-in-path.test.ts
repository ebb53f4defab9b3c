import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { keptLog, searchAnswer } from '../../harness.ts';
import { type ChargedFixture, openChargedFixture } from '../calls/charged-service.ts';

/** Applications that take an address but no key: the key stands in the address. */
const { log, lines } = keptLog();
let fixture: ChargedFixture;
before(async () => {
  fixture = await openChargedFixture(null, { log, trustProxy: 1, search: async () => searchAnswer() });
});
after(() => fixture.close());

const KEYLESS = { 'x-forwarded-for': '203.0.113.7' };

test('pays, whatever the format and the method', async () => {
  const { apiKey, keyId } = await fixture.billing.keys.create({ credits: 5, label: null });
  const path = `/searxng/${apiKey}/search`;
  const { get, post } = fixture.served;
  const answers = [
    await get(`${path}?q=q&format=json`),
    await get(`/${path}?q=q&format=rss`),
    await post(path, 'q=q&format=csv'),
    // LangChain's wrapper asks the address that it is given itself.
    await get(`/searxng/${apiKey}?q=q&format=json`),
  ];
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers.get('x-credits-remaining')]),
    [4, 3, 2, 1].map((left) => [200, `${left}`]),
  );
  const empty = await get(`${path}?q=q&pageno=6`);
  assert.deepEqual([empty.status, empty.headers.get('x-credits-remaining')], [200, '1']);
  assert.equal(await fixture.billing.meter.remaining({ kind: 'key', keyId }), 1);
});

test('a header comes before the path, the path before the body; an unknown key is 401', async () => {
  const make = async () => (await fixture.billing.keys.create({ credits: 9, label: null })).apiKey;
  const [inHeader, inPath] = [await make(), await make()];
  const { get, post } = fixture.served;
  await get(`/searxng/${inPath}/search?q=q`, { 'x-api-key': inHeader });
  await post(`/searxng/${inPath}/search`, `q=q&api_key=${inHeader}`);
  for (const key of [inHeader, inPath])
    assert.equal((await get('/v1/balance', { 'x-api-key': key })).json.credits, 8);
  const unknown = await get('/searxng/nobody/search?q=q&format=json', KEYLESS);
  assert.deepEqual([unknown.status, unknown.json.code], [401, 'invalid_api_key']);
  const keyless = await get('/searxng/keyless/search?q=q&format=json', KEYLESS);
  assert.deepEqual([keyless.status, keyless.headers.get('x-credits-remaining')], [200, '24']);
});

test('without credits the text and the status line have the link', async () => {
  const { apiKey } = await fixture.billing.keys.create({ credits: 0, label: null });
  const path = `/searxng/${apiKey}/search?q=q&format=json`;
  const { status, json, headers } = await fixture.served.get(path);
  assert.equal(status, 402);
  assert.match(json.error, /buy credits at http:\S+\/buy\/instant/);
  assert.match(headers.get('x-payment-url') ?? '', /\/buy\/instant/);
  const { statusText } = await fetch(fixture.served.address + path);
  assert.equal(statusText, json.error);
});

test('stands in no line of the log', async () => {
  const { apiKey } = await fixture.billing.keys.create({ credits: 1, label: null });
  const before = lines.length;
  const paths = ['search?q=q', 'search?q=q', 'search', 'nothing', 'config', 'healthz'];
  for (const path of paths) await fixture.served.get(`/searxng/${apiKey}/${path}`);
  await fixture.served.post(`/searxng/${apiKey}/search`, '{"q":');
  while (lines.length < before + paths.length + 1) await new Promise((resolve) => setImmediate(resolve));
  for (const line of lines) assert.ok(!line.includes(apiKey), line);
});
