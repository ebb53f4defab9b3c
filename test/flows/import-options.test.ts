import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { writeMadeParquet, writeMadeZim } from '../fixtures/corpora/made-files.ts';
import { asHtml, COPY_EVERY, madePage } from '../fixtures/corpora/made-pages.ts';
import { writePixel } from '../fixtures/corpora/pixel.ts';
import { serveReal } from '../harness.ts';

const PAGES = 500;

describe('import with options', () => {
  let served: Awaited<ReturnType<typeof serveReal>>;
  let folder: string;
  let table: string;
  before(async () => {
    served = await serveReal();
    folder = mkdtempSync(join(tmpdir(), 'sanderling-import-'));
    table = join(folder, 'made.parquet');
    await writeMadeParquet(table, PAGES);
  });
  after(async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  });

  type Request = Parameters<typeof served.services.crawling.importPages>[0];
  const take = (path: string, options: Request['options'] = {}, signal = new AbortController().signal) =>
    served.services.crawling.importPages({ path, baseUrl: null, options, signal });
  const made = Array.from({ length: PAGES }, (_, number) => madePage(number));

  test('hosts, days and a limit choose pages; the rest is counted as not wanted', async () => {
    const onHost = made.filter(({ url }) => new URL(url).host === 'h3.example.org');
    const some = await take(table, { hosts: ['h3.example.org'], keepCopies: true });
    assert.deepEqual(
      [some.pages, some.filtered, some.ended],
      [onHost.length, PAGES - onHost.length, 'complete'],
    );
    const since = await take(table, { since: '2020-01-01', keepCopies: true });
    assert.equal(since.pages, made.filter(({ day }) => day >= '2020-01-01').length);
    assert.equal((await take(table, { hosts: ['example.org'], limit: 7 })).pages, 7);
  });

  test('languages: those that pages state, and those that their texts show', async () => {
    const zim = join(folder, 'stated.zim');
    writeMadeZim(zim, 20);
    assert.equal((await take(zim, { languages: ['de'] })).pages, 0);
    assert.equal((await take(zim, { languages: ['en'] })).pages, 20);
    const german =
      'Der Sanderling ist ein kleiner Vogel, der am Rand der Wellen läuft und nach Nahrung sucht.';
    const english =
      'The sanderling is a small bird that runs along the edge of the waves and looks for food.';
    const lines = [german, english].map((text, at) =>
      JSON.stringify({ url: `https://l.example.org/${at}`, text }),
    );
    writeFileSync(join(folder, 'two.jsonl'), lines.join('\n'));
    assert.equal((await take(join(folder, 'two.jsonl'), { languages: ['de'] })).pages, 1);
    assert.ok(await served.services.index.get('https://l.example.org/0'));
    assert.equal(await served.services.index.get('https://l.example.org/1'), null);
  });

  test('a larger limit continues; the whole is as one import', async () => {
    const options = { origin: { source: 'Continued', licence: null } };
    assert.deepEqual(await ended(take(table, { ...options, limit: 150 })), [150, 'limit']);
    assert.deepEqual(await ended(take(table, { ...options, limit: 150 })), [150, 'limit']);
    const whole = await take(table, { ...options, limit: 10_000 });
    assert.deepEqual(
      [whole.pages + whole.copies, whole.copies, whole.ended],
      [PAGES, PAGES / COPY_EVERY, 'complete'],
    );
    // Complete, the same command starts over.
    assert.deepEqual(await ended(take(table, { ...options, limit: 10 })), [10, 'limit']);
    assert.deepEqual(await ended(take(table, { ...options, limit: 20, fresh: true })), [20, 'limit']);
  });

  test('interrupted, nothing of an unfinished batch counts, and the next run goes on', async () => {
    const abort = new AbortController();
    const options = { origin: { source: 'Interrupted', licence: null }, keepCopies: true };
    const first = await served.services.crawling.importPages({
      path: table,
      baseUrl: null,
      options,
      signal: abort.signal,
      onProgress: () => abort.abort(),
    });
    assert.equal(first.ended, 'aborted');
    assert.ok(first.pages > 0 && first.pages < PAGES);
    const second = await take(table, options);
    assert.deepEqual([second.pages, second.ended], [PAGES, 'complete']);
  });

  test('results name the corpus of their pages and its licence', async () => {
    await take(table, { origin: { source: 'Made pages', licence: 'CC0-1.0' }, keepCopies: true });
    // No other file of this test has a copy of it.
    const { title, url } = madePage(203);
    const { json } = await served.post('/v1/search', { query: title });
    assert.deepEqual(
      json.service.origins.find((origin: { url: string }) => origin.url === url),
      { url, source: 'Made pages', licence: 'CC0-1.0' },
    );
  });

  const hasWriter = spawnSync('zimwriterfs', ['--version']).error === undefined;
  test('a ZIM file of zimwriterfs', {
    skip: hasWriter || process.env.CI ? false : 'zimwriterfs is not installed',
  }, async () => {
    const source = join(folder, 'html');
    mkdirSync(join(source, 'made'), { recursive: true });
    for (const page of made.slice(0, 60))
      writeFileSync(join(source, `made/${page.number}.html`), asHtml(page));
    // A picture is required; one of one pixel is enough.
    writePixel(join(source, 'icon.png'));
    const path = join(folder, 'written.zim');
    const written = spawnSync('zimwriterfs', [
      ...['--welcome', 'made/0.html', '--illustration', 'icon.png', '--language', 'eng', '--name', 'made'],
      ...[
        '--title',
        'Written',
        '--description',
        'Made pages',
        '--creator',
        'Tests',
        '--publisher',
        'Tests',
        '--withoutFTIndex',
      ],
      ...['--source', 'https://written.example.org', source, path],
    ]);
    assert.equal(written.status, 0, String(written.stderr));
    const summary = await take(path, { keepCopies: true });
    assert.deepEqual([summary.pages, summary.failed], [60, 0], summary.problems.join('\n'));
    const page = await served.services.index.get('https://written.example.org/made/7.html');
    assert.match(page?.markdown ?? '', new RegExp(madePage(7).paragraphs[0]?.slice(0, 60) ?? 'no text'));
    assert.equal(page?.origin?.source, 'Written, Tests');
  });

  const ended = async (summary: ReturnType<typeof take>): Promise<unknown[]> => {
    const { pages, ended: how } = await summary;
    return [pages, how];
  };
});
