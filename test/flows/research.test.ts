import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { after, before, test } from 'node:test';
import { waitFor } from '../fixtures/wait-for.ts';
import { type RealServed, serveReal } from '../harness.ts';

/** A web of four sites on loopback addresses of their own: three speak of one lighthouse, two agree, one copies another. */
const PAGES: Record<string, { host: string; title: string; body: string }> = {
  '/lighthouse': {
    host: '127.0.0.1',
    title: 'Corvane Lighthouse',
    body: `<p>The Corvane Lighthouse is 54 metres tall and stands on the outermost rock of the Sarn peninsula. It was
designed by Ada Merrick and opened on 3 May 1871. Its lamp can be seen from twenty miles away in clear weather, and the
keepers lived in the two white houses at its foot until the light was made automatic a hundred years later.</p>
<h2>The keepers</h2><p>Three families kept the light in turns of eight hours, winter and summer, and wrote the weather
into a book that is now shown in the museum of Port Sarn together with the first lens and the fog bell.</p>`,
  },
  '/towers': {
    host: '127.0.0.2',
    title: 'Towers of the Sarn coast',
    body: `<p>The Corvane Lighthouse is 54 m tall and is the best known of the towers along this coast. The Corvane
Lighthouse opened in May 1871 after four years of building on a rock that the sea covers twice a day at spring tides, so
that the masons could only work for some hours between the tides and lost their tools more than once.</p>`,
  },
  '/guide': {
    host: '127.0.0.3',
    title: 'A guide to Port Sarn',
    body: `<p>The Corvane Lighthouse is 61 metres tall, and boats leave for it from the old harbour of Port Sarn every
morning in summer when the swell allows it. The crossing takes half an hour, and visitors climb the tower in groups of
ten with a guide who tells of the storms and of the ships that ran upon the reef before there was a light.</p>`,
  },
  '/merrick': {
    host: '127.0.0.4',
    title: 'Ada Merrick',
    body: `<p>Ada Merrick was an engineer who was born in Tollan in 1832. She learned her trade in the yards of her
father, built bridges for the northern railway, and wrote a treatise on foundations in running water that was read for
two generations. She never married, and left her drawings to the college of Tollan, where they are kept.</p>`,
  },
};
const COPY = { path: '/mirror', of: '/towers', host: '127.0.0.4' };

const html = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>${body}</main></body></html>`;

let site: Server;
let port = 0;
let app: RealServed;
let owner: Pick<RealServed, 'get' | 'post'>;
before(async () => {
  site = createServer((request, response) => {
    const page = PAGES[request.url === COPY.path ? COPY.of : (request.url ?? '')];
    response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(page === undefined ? 'gone' : html(page.title, page.body));
  }).listen(0, '0.0.0.0');
  await once(site, 'listening');
  const address = site.address();
  assert.ok(address !== null && typeof address === 'object');
  port = address.port;
  app = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8' });
  owner = await app.owner();
  const urls = Object.entries(PAGES).map(([path, { host }]) => `http://${host}:${port}${path}`);
  const read = await app.post('/v1/contents', { urls: [...urls, `http://${COPY.host}:${port}${COPY.path}`] });
  assert.equal(read.json.results.length, urls.length + 1, read.text);
  // Indexing goes on behind the answer.
  for (const [path, { title }] of Object.entries(PAGES))
    await waitFor(async () => {
      const { json } = await app.post('/v1/search', { query: title });
      return json.results.some(({ url }: { url: string }) => url.endsWith(path));
    });
});
after(async () => {
  await app.close();
  site.closeAllConnections();
  site.close();
});

const QUESTION =
  'How tall is the Corvane Lighthouse, and where was its designer born? Who owns the Zanzigon ferry?';

test('a question becomes facets, quotations, agreements, disagreements and what was not found', async () => {
  const { status, json, text } = await owner.post('/v1/research', { question: QUESTION, maxTokens: 2_000 });
  assert.equal(status, 200, text);
  const urlOf = (id: string): string => json.evidence.find((one: { id: string }) => one.id === id)?.url;
  const pathsOf = (ids: string[]): string[] => ids.map((id) => new URL(urlOf(id)).pathname).sort();

  const quotes: string = json.evidence.map(({ quote }: { quote: string }) => quote).join('\n');
  assert.match(quotes, /54 metres tall/);
  assert.match(quotes, /61 metres tall/);
  assert.match(quotes, /born in Tollan/);
  // The copy says nothing new.
  assert.equal(quotes.match(/lost their tools/g)?.length, 1);

  const [height] = json.agreements.filter(({ what }: { what: string }) => /How tall/.test(what));
  assert.match(height.value, /^54 m/);
  assert.equal(height.sources.length, 2);
  assert.ok(pathsOf(height.sources).includes('/lighthouse'));
  const [differing] = json.disagreements;
  assert.match(differing.what, /How tall is the Corvane Lighthouse/);
  assert.deepEqual(differing.values.map(({ value }: { value: string }) => value.replace(/\D/g, '')).sort(), [
    '54',
    '61',
  ]);

  assert.ok(
    json.notFound.some(({ facet }: { facet: string }) => /Zanzigon/.test(facet)),
    text,
  );
  assert.deepEqual(json.budget.credits, json.budget.searches);
  assert.ok(json.budget.searches <= 5 && json.budget.tokens <= 2_000);
  const tokens = json.evidence.reduce(
    (sum: number, { quote }: { quote: string }) => sum + Math.ceil(quote.length / 4),
    0,
  );
  assert.equal(json.budget.tokens, tokens);
});

test('quotations stand where they say they do', async () => {
  const { json } = await owner.post('/v1/research', { question: QUESTION });
  for (const { quote, url, start, end, link, contentHash } of json.evidence) {
    assert.ok(link.startsWith(`${url}#:~:text=`), link);
    const page = await app.post('/v1/contents', { urls: [url] });
    assert.equal(page.json.results[0].text.slice(start, end), quote);
    const { json: verified } = await owner.post('/v1/verify', { url, quote, contentHash });
    assert.deepEqual([verified.results[0].found, verified.changed], ['exact', false]);
  }
});

test('asked twice the answer is the same', async () => {
  const packs = [];
  for (let time = 0; time < 2; time += 1) {
    const { json } = await owner.post('/v1/research', { question: QUESTION });
    const { requestId: _, service: __, budget, ...pack } = json;
    packs.push({ ...pack, tokens: budget.tokens });
  }
  assert.deepEqual(packs[0], packs[1]);
});
