import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type Served, serveReal } from '../harness.ts';

const SENTENCE = 'The ferry left the harbour at dawn and reached the island before the storm came in. ';
const FARES = '<table><tr><th>Fare<th>Price</tr><tr><td>Adult<td>12</tr><tr><td>Child<td>6</tr></table>';
const PAGE = `<!doctype html><html lang="en"><title>Night ferry</title><nav><a href="/">Home</a> <a href="/n">News</a></nav>
  <main><article><h1>Night ferry</h1><p>${SENTENCE.repeat(6)}</p><h2>Fares</h2>${FARES}<p>${SENTENCE.repeat(5)}</p>
  <pre>depart 06:10\narrive 08:00</pre></article></main></html>`;

let web: FakeWeb;
let app: Served;
before(async () => {
  web = await startWeb({ routes: { '/ferry': PAGE } });
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8' });
});
after(async () => {
  await app.close();
  await web.close();
});

test('a page says how much of its structure arrived', async () => {
  const { headers, text } = await app.get(`/r/${web.origin}/ferry`);
  assert.ok(text.includes('| Child | 6 |'), text);
  assert.match(
    headers.get('x-completeness') ?? '',
    /^tables=1\/1, rows=3\/3, code=1\/1, sections=2\/2, words=\d+\/\d+$/,
  );
});

test('less than the whole page does not say so', async () => {
  for (const path of [`${web.origin}/ferry?q=storm`, `${web.origin}/ferry`]) {
    const headers: Record<string, string> = path.includes('?q=') ? {} : { 'X-Return-Format': 'text' };
    const answer = await app.get(`/r/${path}`, headers);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers.get('x-completeness'), null, path);
  }
});

test('contents say so of each page', async () => {
  const { json } = await app.post('/v1/contents', { urls: [`${web.origin}/ferry`] });
  const [page] = json.service.completeness;
  assert.deepEqual(
    [page.tables, page.rows, page.code],
    [
      [1, 1],
      [3, 3],
      [1, 1],
    ],
  );
  assert.equal(page.leftOut.navigation, 2);
});
