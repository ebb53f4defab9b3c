import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { type Served, serveReal } from '../harness.ts';

/** A site on loopback whose pages are filled by scripts, with Markdown twins that robots.txt allows or refuses. */
const SHELL = '<html><head><title>Tides</title></head><body><div id="app"></div></body></html>';
const TEXT = 'High water comes twice a day, about fifty minutes later each day.';

let site: Server;
let origin: string;
let app: Served;
const asked: string[] = [];
before(async () => {
  const answers: Record<string, [type: string, body: string]> = {
    '/robots.txt': ['text/plain', 'User-agent: *\nDisallow: /closed'],
    '/open': ['text/html', SHELL],
    '/open.md': ['text/markdown', `# Tides\n\n${TEXT}\n`],
    '/closed': ['text/html', SHELL],
    '/closed.md': ['text/markdown', TEXT],
    '/noscript': [
      'text/html',
      `<body><div id="app"></div><noscript><h1>Tides</h1><p>${TEXT.repeat(8)}</p></noscript></body>`,
    ],
  };
  site = createServer((request, response) => {
    asked.push(request.url ?? '');
    const [type, body] = answers[request.url ?? ''] ?? [];
    response.writeHead(type === undefined ? 404 : 200, { 'content-type': type ?? 'text/plain' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const address = site.address();
  assert.ok(address !== null && typeof address === 'object');
  origin = `http://127.0.0.1:${address.port}`;
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8' });
});
after(async () => {
  await app.close();
  site.closeAllConnections();
  site.close();
});

test('a page without text is read from its twin, and says so', async () => {
  const { status, text, headers } = await app.get(`/r/${origin}/open`);
  assert.equal(status, 200, text);
  assert.equal(headers.get('x-reader-route'), 'twin');
  assert.ok(text.includes(TEXT));
});

test('robots.txt closes the twin; the page stays an error', async () => {
  const { status } = await app.get(`/r/${origin}/closed`);
  assert.equal(status, 502);
  assert.ok(!asked.includes('/closed.md'), asked.join(' '));
});

test('the text for readers without scripts is read from the page itself', async () => {
  const { headers, text } = await app.get(`/r/${origin}/noscript`);
  assert.equal(headers.get('x-reader-route'), 'noscript', text);
});

test('contents name the routes', async () => {
  const { json } = await app.post('/v1/contents', { urls: [`${origin}/open`, `${origin}/noscript`] });
  assert.deepEqual(json.service.routes, ['twin', 'noscript']);
});
