import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, type TestContext, test } from 'node:test';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { oldIndex } from '../fixtures/old-index.ts';
import { runCli } from './run-cli.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const PAGES = 360;
/** Of the rebuild under load: they outlast some searches. */
const LOADED_PAGES = 150;
const KILLS_MIN = 2;
const KILLS_MAX = 3;
/** Enough words that the rebuild outlives some starts of the server. */
const WORDS = 1_000;
const QUERIES = ['codec7', 'storage engines', 'page 399 explains', 'tide tables of harbour12'];

function pageOf(number: number): IndexedPage {
  const words = Array.from({ length: WORDS }, (_, place) => `word${(number * 31 + place * 7) % 5_000}`);
  const markdown = `# Page ${number}\n\nPage ${number} explains codec${number} and storage engines, with tide tables of harbour${number % 40}.\n\n${words.join(' ')}.`;
  return {
    url: `https://h${number % 7}.example.com/${number}`,
    title: `Page ${number}`,
    headings: ['One'],
    markdown,
    publishedDay: '2024-02-29',
    language: 'en',
    site: null,
    author: null,
    rawChars: markdown.length,
    fetchedAt: 1_000 + number,
  };
}

const pages = Array.from({ length: PAGES }, (_, number) => pageOf(number));

let folder: string;
beforeEach((t) => {
  folder = mkdtempSync(join(tmpdir(), 'sanderling-rebuild-'));
  (t as TestContext).after(() => rmSync(folder, { recursive: true, force: true }));
});

const indexFiles = (): string[] => readdirSync(folder).filter((name) => /^index.*\.db$/.test(name));

test('an index of an older layout is rebuilt while the server works; killed on the way, it loses nothing', async (t) => {
  const fresh = join(folder, 'fresh');
  mkdirSync(fresh);
  oldIndex(join(folder, 'index.db'), { layout: 1, pages, freshCopy: join(fresh, 'index.db') });
  const { out: key } = await runCli(folder, ['keys', 'create', '--credits', '1000']);
  const headers = { 'x-api-key': key.trim() };
  let kills = 0;
  for (let reached = 0; kills < KILLS_MAX; kills++) {
    const server = await startServer(t, folder);
    // It starts at once, and says how far it is.
    const { status, index } = await server.get('/readyz');
    assert.equal(status, 'ready');
    if (index === undefined) {
      await server.end();
      break;
    }
    assert.deepEqual([index.state, index.of], ['rebuilding', PAGES]);
    assert.ok(index.pages >= reached, `${index.pages} pages at start ${kills}, ${reached} before`);
    if (kills === 0) {
      await server.warmUp('tide');
      assert.equal((await server.search('storage engines', headers)).service.index.state, 'rebuilding');
    }
    reached = index.pages;
    await server.kill();
  }
  assert.ok(kills >= KILLS_MIN, `killed ${kills} times`);
  const server = await startServer(t, folder);
  await server.rebuilt();
  await server.warmUp('tide');
  assert.deepEqual(indexFiles(), ['index.db']);
  const answers = await answersOf(server, headers);
  // The search while it was rebuilt was charged too.
  assert.equal((await server.get('/v1/balance', headers)).credits, 1_000 - 1 - QUERIES.length);
  await server.end();
  const other = await startServer(t, fresh);
  await other.warmUp('tide');
  assert.deepEqual(answers, await answersOf(other, {}));
  await other.end();
  const doctor = await runCli(folder, ['doctor']);
  assert.match(doctor.out, new RegExp(`${PAGES} pages of 7 hosts, all tables agree`));
});

test('no search fails while an index is rebuilt under load, and each costs its credit', async (t) => {
  oldIndex(join(folder, 'index.db'), { layout: 1, pages: pages.slice(0, LOADED_PAGES) });
  const { out: key } = await runCli(folder, ['keys', 'create', '--credits', '100000']);
  const headers = { 'x-api-key': key.trim() };
  const server = await startServer(t, folder);
  await server.warmUp('tide');
  const during: number[] = [];
  let isRebuilding = true;
  const rebuilt = server.rebuilt().finally(() => {
    isRebuilding = false;
  });
  // One after another: several at once would wait for each other on a busy machine, and a search has a deadline.
  for (let turn = 0; isRebuilding; turn += 1) {
    const begun = performance.now();
    // Each is a query of its own, so none is at hand; `search` asserts the status.
    await server.search(`storage engines codec${turn} word${turn}`, headers);
    during.push(performance.now() - begun);
  }
  await rebuilt;
  assert.ok(during.length > 0);
  assert.equal((await server.get('/v1/balance', headers)).credits, 100_000 - during.length);
  const found = await server.search('storage engines', headers);
  assert.equal(found.service.index, undefined, 'it is whole again');
  await server.end();
  const sorted = during.toSorted((one, other) => one - other);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  t.diagnostic(
    `${during.length} searches while ${LOADED_PAGES} pages were rebuilt, none failed: p50 ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)} ms`,
  );
});

test('sanderling index rebuild does the same at once, and not under a running server', async (t) => {
  oldIndex(join(folder, 'index.db'), { layout: 1, pages: pages.slice(0, 40) });
  const first = await runCli(folder, ['index', 'rebuild']);
  assert.deepEqual([first.code, first.out], [0, 'Rebuilt: 40 pages of 7 hosts.\n'], first.err);
  // Of this version's layout too.
  const second = await runCli(folder, ['index', 'rebuild']);
  assert.deepEqual([second.code, second.out], [0, 'Rebuilt: 40 pages of 7 hosts.\n'], second.err);
  assert.deepEqual(indexFiles(), ['index.db']);
  const server = await startServer(t, folder);
  const refused = await runCli(folder, ['index', 'rebuild']);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /index\.db is in use: stop the process that has it open first/);
  await server.end();
  const none = await runCli(folder, ['index', 'rebuild'], { DATA_DIR: join(folder, 'none') });
  assert.deepEqual([none.code, none.err], [1, `There is no index in ${join(folder, 'none')}.\n`]);
});

type Found = { url: string; score: number };

async function answersOf(server: ServerProcess, headers: Record<string, string>): Promise<Found[][]> {
  const answers: Found[][] = [];
  for (const query of QUERIES) {
    const { results } = await server.search(query, headers);
    answers.push(results.map(({ url, score }: Found) => ({ url, score })));
  }
  return answers;
}
