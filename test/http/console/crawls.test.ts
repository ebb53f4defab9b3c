import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createLog } from '../../../src/platform/log.ts';
import { type FakeWeb, startWeb } from '../../fixtures/web.ts';
import { type RealServed, serveReal } from '../../harness.ts';
import { type ConsoleClient, signIn, TOKEN } from './console-client.ts';

const PAGES = 12;
const TEXT =
  'The sanderling runs along the edge of the waves and feeds on small crabs in the wet sand. '.repeat(6);
const lines: string[] = [];

describe('crawls and imports of the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  let site: FakeWeb;
  let app: RealServed;
  let client: ConsoleClient;
  /** Pages wait for it. */
  let gate = Promise.withResolvers<void>();
  before(async () => {
    gate.resolve();
    site = await startWeb({
      address: '127.10.0.64',
      async fallback(request, response) {
        if (request.url === '/robots.txt') return response.writeHead(404).end();
        await gate.promise;
        const number = Number(/\/(\d+)/.exec(request.url ?? '')?.[1] ?? 0);
        const next = number + 1 < PAGES ? `<a href="/${number + 1}">next</a>` : '';
        return response
          .setHeader('content-type', 'text/html; charset=utf-8')
          .end(
            `<!doctype html><html><head><title>Page ${number}</title></head><body><main><h1>Page ${number}</h1><p>${TEXT}${number}</p>${next}</main></body></html>`,
          );
      },
    });
    app = await serveReal(
      { ADMIN_TOKEN: TOKEN, DATA_DIR: folder, FETCH_ALLOW_PRIVATE: '127.10.0.0/16', LOG_LEVEL: 'info' },
      { log: createLog('info', { write: (line) => void lines.push(line) }) },
    );
    client = await signIn(app);
  });
  after(async () => {
    gate.resolve();
    await app.close();
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const crawl = (fields: Record<string, string> = {}) =>
    client.act('/admin/crawls', { do: 'crawl', starts: `${site.origin}/0`, ...fields });
  const newest = async () => {
    const [run] = await app.parts.consoleParts.runs.list();
    assert.ok(run);
    return run;
  };
  const ended = async () => {
    for (;;) {
      const run = await newest();
      if (!['running', 'waiting'].includes(run.state)) return run;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  test('a crawl fills the index and says how it ended', async () => {
    const { status, text } = await crawl();
    assert.equal(status, 200);
    assert.match(text, /It has begun\./);
    const { counts, note, state } = await ended();
    assert.deepEqual([state, counts.pages, counts.queued], ['done', PAGES, 0]);
    assert.match(note ?? '', /^All pages found have been read\./);
    assert.equal((await app.services.index.size()).pages, PAGES);
    assert.match((await client.get('/admin/crawls')).text, /All pages found have been read\./);
  });

  test('it is paused, resumed where it was, and stopped', async () => {
    gate = Promise.withResolvers();
    await crawl({ fresh: '1' });
    const { id } = await newest();
    const before = await client.get('/admin/crawls');
    assert.match(before.text, /<noscript><meta http-equiv="refresh" content="5"><\/noscript>/);
    assert.match((await client.act('/admin/crawls', { do: 'pause', id })).text, /It is paused\./);
    assert.equal((await newest()).state, 'paused');
    assert.equal((await client.send('/admin/crawls', { do: 'pause', id })).status, 422);
    await client.act('/admin/crawls', { do: 'resume', id });
    assert.equal((await newest()).state, 'running');
    await client.act('/admin/crawls', { do: 'stop', id });
    assert.equal((await newest()).state, 'stopped');
    assert.match((await client.send('/admin/crawls', { do: 'resume', id })).text, /cannot resume any more/);
    gate.resolve();
  });

  test('browsers are told of progress as it happens, signed in', async () => {
    gate = Promise.withResolvers();
    await crawl({ fresh: '1' });
    const { id } = await newest();
    const hangUp = new AbortController();
    const stream = await fetch(`${app.address}/admin/crawls/events`, {
      headers: { cookie: client.cookie },
      signal: hangUp.signal,
    });
    assert.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    const seen: string[] = [];
    for await (const part of stream.body ?? []) {
      for (const [, data = ''] of new TextDecoder().decode(part).matchAll(/^data: (.*)$/gm)) {
        const run = JSON.parse(data).find((one: { id: string }) => one.id === id);
        seen.push(`${run.state} ${run.counts.pages}`);
      }
      gate.resolve();
      if (seen.at(-1)?.startsWith('done')) break;
    }
    assert.equal(seen[0], 'running 0');
    assert.equal(seen.at(-1), `done ${PAGES}`);
  });

  test('a file is imported from its folder, and from nowhere else', async () => {
    mkdirSync(join(folder, 'import'), { recursive: true });
    writeFileSync(join(folder, 'import', 'wader.md'), `# Wader\n\n${TEXT}`);
    assert.match((await client.get('/admin/crawls')).text, /<option value="wader\.md">/);
    await client.act('/admin/crawls', { do: 'import', name: 'wader.md', base: 'https://birds.example.org/' });
    const run = await ended();
    assert.deepEqual([run.state, run.counts.pages], ['done', 1]);
    assert.notEqual(await app.services.index.get('https://birds.example.org/wader.md'), null);
    await client.act('/admin/crawls', { do: 'import', name: '../store.db' });
    const refused = await ended();
    assert.deepEqual([refused.state, refused.note], ['failed', 'name: must lie in the folder of imports']);
  });

  test('what cannot be done is said beside the form, with what was typed', async () => {
    const wrong: [Record<string, string>, RegExp][] = [
      [{ starts: 'ftp://example.org/' }, /ftp:\/\/example\.org\/ is no http\(s\) address/],
      [{ starts: '' }, /must not be empty/],
      [{ pages: '0' }, /must be a whole number from 1/],
      [{ depth: 'deep' }, /must be a whole number from 0/],
    ];
    for (const [fields, why] of wrong) {
      const { status, text } = await crawl({ pages: '77', ...fields });
      assert.equal(status, 422);
      assert.match(text, why);
      if (fields.starts !== undefined) assert.match(text, /value="77"/);
    }
    assert.match(
      (await client.act('/admin/crawls', { do: 'import', name: 'a', base: 'birds' })).text,
      /must be an http\(s\) address/,
    );
    await crawl({ starts: 'http://10.0.0.1/' });
    const { state, note } = await ended();
    assert.equal(state, 'failed');
    assert.match(note ?? '', /its address is not on the public network/);
  });

  test('jobs of callers are seen as counts alone', async () => {
    const { apiKey } = await app.billing.keys.create({ credits: 50, label: null });
    const started = await app.post(
      '/v2/crawl',
      { url: `${site.origin}/0`, limit: 3 },
      { authorization: `Bearer ${apiKey}` },
    );
    assert.equal(started.status, 200, started.text);
    const { text } = await client.get('/admin/crawls');
    assert.match(text, /<th scope="row">crawl<\/th><td>running<\/td><td class="number">1<\/td>/);
    assert.ok(!text.includes(started.json.id));
  });

  test('each action left a line that names no address', () => {
    const actions = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => /^(?:action|run) of the operator/.test(msg));
    assert.ok(actions.some(({ action, id }) => action === 'run paused' && /^run_[0-9a-f]{16}$/.test(id)));
    assert.ok(
      actions.some(
        ({ msg, state, pages }) => msg === 'run of the operator ended' && state === 'done' && pages === PAGES,
      ),
    );
    assert.ok(!JSON.stringify(actions).includes('127.10.0.64'));
  });

  test('a server that drains ends the stream and hands its crawl to the next one', async () => {
    gate = Promise.withResolvers();
    await crawl({ fresh: '1' });
    const { id } = await newest();
    const other = await serveReal({
      ADMIN_TOKEN: TOKEN,
      DATA_DIR: folder,
      FETCH_ALLOW_PRIVATE: '127.10.0.0/16',
    });
    const stream = await fetch(`${app.address}/admin/crawls/events`, { headers: { cookie: client.cookie } });
    const closing = app.close();
    await stream.text();
    gate.resolve();
    await closing;
    await other.parts.consoleParts.runs.tick();
    const { runs } = other.parts.consoleParts;
    for (let state = ''; state !== 'done'; state = (await runs.find(id))?.state ?? '')
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal((await runs.find(id))?.counts.pages, PAGES);
    await other.close();
    // For the hooks after this test.
    app = { ...app, close: async () => {} };
  });
});
