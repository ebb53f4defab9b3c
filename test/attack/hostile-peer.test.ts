import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { heldPage } from '../fixtures/peers.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { type FakeWeb, startWeb } from '../fixtures/web.ts';
import { type RealServed, serveReal } from '../harness.ts';

const TRUE_PAGE = 'https://waders.example/knot';
const TITLE = 'The red knot';
const TEXT =
  'The red knot flies from the far north to the far south, and its migration is among the longest.';
const QUERY = 'red knot migration';

type Answering = (response: ServerResponse, url: string) => unknown;

const list = (results: object[]) => JSON.stringify({ type: 'search', web: { results } });
const sendJson =
  (results: object[]): Answering =>
  (response) =>
    response.setHeader('content-type', 'application/json').end(list(results));
const entry = (url: string, parts: object = {}) => ({ url, title: TITLE, description: TEXT, ...parts });

describe('a hostile peer', () => {
  let peer: FakeWeb;
  let inside: FakeWeb;
  let app: RealServed;
  let answering: Answering;
  const seen: (string | undefined)[] = [];
  before(async () => {
    inside = await startWeb({ address: '127.40.1.2', fallback: (_, response) => response.end(list([])) });
    peer = await startWeb({
      address: '127.40.1.1',
      fallback: ({ url = '', headers }, response) => {
        seen.push(String(headers['x-subscription-token']));
        return answering(response, url);
      },
    });
    const settings = {
      METERING: 'off',
      RECALL: 'index,sanderling:evil',
      PEERS: `evil=${peer.origin}`,
      PEER_KEYS: 'evil=sdl_secret',
      PEER_CALLERS: 'evil=all',
    };
    // Searches wait for the peer, however busy the machine is.
    app = await serveReal(settings, { waits: { softMs: 600_000 } });
    await app.services.index.put([heldPage(TRUE_PAGE, TITLE, TEXT)]);
    answering = sendJson([]);
    // The readers of the index start with the first search.
    await waitFor(async () => (await app.post('/v1/search', { query: QUERY })).json.results?.length === 1);
  });
  after(async () => {
    await app.close();
    await Promise.all([peer.close(), inside.close()]);
  });

  let asked = 0;
  /** No search equals an earlier one, whose answer might be cached. */
  const search = async () => {
    asked += 1;
    const { status, json, text } = await app.post('/v1/search', { query: QUERY, minScore: asked / 1e6 });
    assert.equal(status, 200, text);
    return {
      results: json.results as { url: string; title: string; score: number }[],
      report: json.service.sources['sanderling:evil'],
    };
  };
  const urlsOf = (results: { url: string }[]): string[] => results.map(({ url }) => url);

  test('it lies about scores: ours decide', async () => {
    answering = sendJson([
      {
        url: 'https://pills.example/',
        title: 'Cheap pills',
        description: 'Buy now',
        score: 1e308,
        isWeak: false,
      },
    ]);
    const { results } = await search();
    assert.equal(results[0]?.url, TRUE_PAGE);
    const lie = results.find(({ url }) => url.includes('pills'));
    assert.ok(lie === undefined || lie.score < (results[0]?.score ?? 0) / 2);
  });

  test('it copies a result under its own address: the copy is folded into the page, not the page into the copy', async () => {
    answering = sendJson([entry('https://copy.example/')]);
    const { results } = await search();
    assert.deepEqual(urlsOf(results), [TRUE_PAGE]);
  });

  test('it rewords a page that we know: the title stays', async () => {
    answering = sendJson([
      entry(TRUE_PAGE, { title: `${TITLE}, now sold at evil.example`, page_age: '1999-01-01T00:00:00' }),
    ]);
    const { results } = await search();
    assert.partialDeepStrictEqual(results, [{ url: TRUE_PAGE, title: TITLE, publishedDate: null }]);
  });

  test('it sends addresses inside the network, with logins or other schemes: none becomes a result', async () => {
    answering = sendJson(
      [
        `${inside.origin}/admin`,
        'http://localhost/',
        'http://169.254.169.254/latest/meta-data',
        'http://[::1]/',
        'http://2130706433/',
        'https://user:password@waders.example/',
        'file:///etc/passwd',
        'javascript:alert(1)',
      ].map((url) => entry(url)),
    );
    assert.deepEqual(urlsOf((await search()).results), [TRUE_PAGE]);
  });

  test('it hides text in its answers: no control characters or markup pass', async () => {
    answering = sendJson([
      entry('https://hidden.example/', {
        title: 'Red knot\u202e\u0000 migration <script>x</script>',
        description: 'Other words about the red knot and migration.',
      }),
    ]);
    const { results } = await search();
    const hidden = results.find(({ url }) => url.includes('hidden'));
    assert.match(hidden?.title ?? '', /^[\p{L} <>/]+$/u);
  });

  test('it floods: twenty results are taken, and an answer without end costs only its own results', async () => {
    answering = sendJson(
      Array.from({ length: 5_000 }, (_, place) => entry(`https://flood.example/${place}`)),
    );
    assert.equal((await search()).report.results, 20);
    answering = (response) => {
      response.setHeader('content-type', 'application/json');
      const piece = ' '.repeat(65_536);
      const pour = (): void => {
        while (!response.destroyed && response.write(piece));
        if (!response.destroyed) response.once('drain', pour);
      };
      pour();
    };
    const { results, report } = await search();
    assert.deepEqual(urlsOf(results), [TRUE_PAGE]);
    assert.equal(report.ok, false);
  });

  test('it redirects inward: nobody is asked there, and the key goes nowhere', async () => {
    answering = (response) => response.writeHead(307, { location: `${inside.origin}/steal` }).end();
    const { results, report } = await search();
    assert.deepEqual([urlsOf(results), report.ok], [[TRUE_PAGE], false]);
    assert.equal(inside.hits(), 0);
    assert.ok(seen.every((key) => key === 'sdl_secret'));
  });
});
