import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describeError } from '../../src/cli/failure-messages.ts';
import { UnreadableFile } from '../../src/crawl/import/collections/read-collection.ts';
import { warcRecord } from '../fixtures/corpora/made-pages.ts';
import { serveReal } from '../harness.ts';

const BIRDS =
  '<title>Birds</title><main><h1>Birds</h1><p>The sanderling runs along the edge of the waves all day long.</p></main>';
const signal = new AbortController().signal;

describe('import', () => {
  let served: Awaited<ReturnType<typeof serveReal>>;
  let folder: string;
  before(async () => {
    served = await serveReal();
    folder = mkdtempSync(join(tmpdir(), 'sanderling-import-'));
  });
  after(async () => {
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const take = (
    path: string,
    baseUrl: string | null = null,
  ): ReturnType<typeof served.services.crawling.importPages> =>
    served.services.crawling.importPages({ path, baseUrl, signal });
  const file = (name: string, content: string | Uint8Array): string => {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
    return path;
  };

  test('a folder of HTML, Markdown and text below an address', async () => {
    file('docs/birds.html', BIRDS);
    file('docs/more/knots.md', '# Knots\n\nThe red knot winters on mudflats in large flocks.');
    file('docs/more/gulls & terns #2.txt', 'Gulls follow the plough and terns dive for fish.');
    file('docs/picture.png', 'no page');
    const { pages, failed } = await take(join(folder, 'docs'), 'https://birds.example.org/wiki');
    assert.deepEqual([pages, failed], [3, 0]);
    assert.equal(
      (await served.services.index.get('https://birds.example.org/wiki/birds.html'))?.title,
      'Birds',
    );
    assert.ok(
      await served.services.index.get('https://birds.example.org/wiki/more/gulls%20%26%20terns%20%232.txt'),
    );
  });

  test('JSONL of pages; a bad line is reported with its number and the others are imported', async () => {
    const lines = [
      JSON.stringify({
        url: 'https://a.example.org/',
        html: BIRDS,
        title: 'Told title',
        publishedDate: '2023-04-05T00:00:00Z',
      }),
      '{"url": ',
      JSON.stringify({ url: 'no address', text: 'x' }),
      JSON.stringify({
        url: 'https://b.example.org/',
        markdown: '# Avocet\n\nThe avocet sweeps its bill through shallow water.',
      }),
    ];
    const { pages, failed, problems } = await take(file('pages.jsonl', lines.join('\n')));
    assert.deepEqual([pages, failed], [2, 2]);
    assert.match(problems.join('\n'), /pages\.jsonl:2: is not JSON\n.*pages\.jsonl:3: has no "url"/);
    const page = await served.services.index.get('https://a.example.org/');
    assert.deepEqual([page?.title, page?.publishedDay], ['Told title', '2023-04-05']);
  });

  test('addresses that are neither http nor https are refused, in rows of every format', async () => {
    const text = 'The sanderling runs along the edge of the waves all day long.';
    const addresses = ['javascript:alert(1)', 'data:text/html,<p>x', 'file:///etc/passwd', 'ftp://e.org/x'];
    const rows = [...addresses, 'https://kept.example.org/'].map((url) => JSON.stringify({ url, text }));
    const lines = await take(file('addresses.jsonl', rows.join('\n')));
    const columns = [
      { name: 'url', data: [...addresses, 'https://kept.example.org/2'], type: 'STRING' as const },
      { name: 'markdown', data: addresses.concat('').map(() => text), type: 'STRING' as const },
    ];
    const table = await take(
      file('addresses.parquet', new Uint8Array(parquetWriteBuffer({ columnData: columns }))),
    );
    for (const { pages, copies, failed } of [lines, table])
      assert.deepEqual([pages + copies, failed], [1, addresses.length]);
    assert.deepEqual(
      lines.problems,
      addresses.map((url) => `${url}: has an address that is neither http nor https`),
    );
    for (const url of addresses) assert.equal(await served.services.index.get(url), null);
  });

  for (const name of ['x.parquet', 'x.zim', 'x.warc', 'x.warc.gz', 'pages-articles.xml'])
    test(`a damaged ${name} is named in words, without a stack`, async () => {
      const path = file(`damaged/${name}`, Buffer.from('no file of this kind '.repeat(50)));
      await assert.rejects(take(path), (error: Error) => {
        const said = describeError(error);
        assert.ok(said.includes(name) && !said.includes('\n'), said);
        return error instanceof UnreadableFile;
      });
    });

  test('an empty file is said to be empty', async () => {
    for (const name of ['empty.parquet', 'empty.zim', 'empty.jsonl.gz']) {
      const { pages, problems } = await take(file(name, ''));
      assert.deepEqual([pages, problems.length], [0, 1]);
      assert.match(problems[0] ?? '', /is empty$/);
    }
  });

  test('the pages before a damaged place are in the index', async () => {
    const lines = Array.from({ length: 300 }, (_, number) =>
      JSON.stringify({ url: `https://cut.example.org/${number}`, text: `Bird ${number}: ${randomUUID()}.` }),
    );
    const whole = gzipSync(lines.join('\n'));
    await assert.rejects(take(file('cut.jsonl.gz', whole.subarray(0, whole.length / 2))), UnreadableFile);
    assert.ok((await served.services.index.get('https://cut.example.org/0')) !== null);
  });

  test('WARC, plain and compressed by record', async () => {
    const [one, two] = ['https://w.example.org/1', 'https://w.example.org/2'];
    assert.equal((await take(file('one.warc', warcRecord(one, BIRDS)))).pages, 1);
    const records = [
      gzipSync(warcRecord(one, BIRDS)),
      gzipSync(warcRecord(two, BIRDS.replace('waves', 'tide'))),
    ];
    assert.equal((await take(file('two.warc.gz', Buffer.concat(records)))).pages, 2);
    assert.equal((await served.services.index.get(two))?.fetchedAt, Date.parse('2024-05-06T07:08:09Z'));
  });

  test('pages that may not be shared are left out and reported', async () => {
    const at = (path: string): string => `https://p.example.org${path}`;
    const noindex = BIRDS.replace('<main>', '<META NAME="Robots" CONTENT="NOINDEX"><main>');
    const records = [
      warcRecord(at('/private'), BIRDS, 'Cache-Control: private'),
      warcRecord(at('/twice'), BIRDS, 'X-Robots-Tag: noindex\r\nX-Robots-Tag: otherbot: nofollow'),
      // The second line is for every bot, not for the one that the first names.
      warcRecord(at('/apart'), BIRDS, 'X-Robots-Tag: otherbot: nofollow\r\nX-Robots-Tag: noindex'),
      warcRecord(at('/tagged'), BIRDS, 'X-Robots-Tag: noindex'),
      warcRecord(at('/meta'), noindex),
      warcRecord(at('/open'), BIRDS),
      warcRecord(at('/doc?token=1'), BIRDS),
    ];
    const { pages, problems } = await take(file('private.warc', records.join('')));
    assert.deepEqual([pages, problems.length], [1, 6]);
    assert.deepEqual(problems.map((problem) => /\((\w+)\)$/.exec(problem)?.[1]).toSorted(), [
      ...Array.from({ length: 4 }, () => 'noindex'),
      'private',
      'secret_in_address',
    ]);
    for (const path of ['/private', '/twice', '/apart', '/tagged', '/meta', '/doc?token=1'])
      assert.equal(await served.services.index.get(at(path)), null);
  });

  test('a page that names another as its canonical one keeps its own address', async () => {
    const url = 'https://c.example.org/victim';
    const evil = BIRDS.replace('<main>', `<link rel="canonical" href="${url}"><main>Evil words here.`);
    await take(file('victim.warc', warcRecord(url, BIRDS)));
    await take(file('evil.warc', warcRecord('https://c.example.org/user/evil', evil)));
    assert.doesNotMatch((await served.services.index.get(url))?.markdown ?? '', /Evil/);
    assert.match(
      (await served.services.index.get('https://c.example.org/user/evil'))?.markdown ?? '',
      /Evil/,
    );
  });

  test('what was imported is found over HTTP, its text served although its host is not there', async () => {
    const { json } = await served.post('/v1/search', { query: 'avocet bill', contents: { text: true } });
    assert.equal(json.results[0].url, 'https://b.example.org/');
    assert.match(json.results[0].text, /sweeps its bill/);
  });

  test('a file of another kind is a problem, a path that is not there rejects', async () => {
    assert.deepEqual((await take(file('table.xls', 'x'))).failed, 1);
    await assert.rejects(take(join(folder, 'nothing')), { code: 'ENOENT' });
  });
});
