import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { bytesOf, recordsOf, resumesEverywhere, saidOf } from '../../../../test/fixtures/corpora/records.ts';
import { zimOf } from '../../../../test/fixtures/corpora/zim.ts';
import { readRepositoryAddress } from '../collections/open-collection.ts';
import { findFileFormat } from './formats.ts';
import type { FileFormat } from './json-lines.ts';

const formatOf = (name: string): FileFormat => {
  const format = findFileFormat(name);
  assert.ok(format !== null, name);
  return format;
};
const folder = mkdtempSync(join(tmpdir(), 'import-formats-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('the name of a file tells its format', () => {
  const names: Record<string, string> = {
    'a/b.parquet': 'Parquet',
    'wikipedia_en_all.zim': 'ZIM',
    'CC-MAIN-2024.warc.gz': 'WARC',
    'CC-MAIN-2024.warc.wet.gz': 'WARC',
    'crawl.warc.zst': 'WARC',
    'pages.jsonl.zst': 'JSONL',
    'unix.stackexchange.com/Posts.xml': 'Stack Exchange',
    'enwiki-20240501-pages-articles.xml': 'MediaWiki',
    'llms-full.txt': 'llms-full.txt',
    'notes.txt': 'pages',
    'guide.rst': 'pages',
  };
  for (const [name, format] of Object.entries(names)) assert.equal(findFileFormat(name)?.name, format, name);
  assert.equal(findFileFormat('sitemap.xml'), null);
});

describe('Parquet', () => {
  const PARQUET = formatOf('x.parquet');
  type Columns = Parameters<typeof parquetWriteBuffer>[0]['columnData'];
  const table = (columnData: Columns, rowGroupSize = 2) =>
    bytesOf(new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize })), 'x.parquet');

  test('usual columns are known, and any row is a place to resume from', async () => {
    const source = table([
      {
        name: 'url',
        data: ['https://a.example.org/1', 'no address', 'https://a.example.org/3'],
        type: 'STRING',
      },
      { name: 'crawl_date', data: ['2024-05-06', '', '20240507'], type: 'STRING' },
      { name: 'markdown', data: ['# One', 'x', 'Three'], type: 'STRING' },
    ]);
    const [first, second, third] = (await recordsOf(PARQUET, source)).map(saidOf);
    assert.deepEqual(first, {
      url: 'https://a.example.org/1',
      fetchedAt: Date.parse('2024-05-06'),
      text: '# One',
    });
    assert.deepEqual(second, { problem: 'has no address' });
    assert.equal(third?.fetchedAt, Date.parse('2024-05-07'));
    assert.ok(await resumesEverywhere(PARQUET, source));
  });

  test('columns by --map, several for one text; Wikipedia’s nested sections become headings', async () => {
    const sections = JSON.stringify([
      { type: 'section', name: 'History', has_parts: [{ type: 'paragraph', value: 'It began early.' }] },
    ]);
    const source = table([
      { name: 'link', data: ['https://w.example.org/A'], type: 'STRING' },
      { name: 'name', data: ['A'], type: 'STRING' },
      { name: 'abstract', data: ['A letter.'], type: 'STRING' },
      { name: 'sections', data: [sections], type: 'STRING' },
    ]);
    const columns = { url: ['link'], text: ['abstract', 'sections'] };
    const [page] = (await recordsOf(PARQUET, source, { columns })).map(saidOf);
    assert.equal(page?.text, 'A letter.\n\n### History\n\nIt began early.');
    assert.equal(page?.title, 'A');
  });

  test('a table without a column for the address says which columns there are', async () => {
    const source = table([{ name: 'words', data: ['x'], type: 'STRING' }]);
    await assert.rejects(recordsOf(PARQUET, source), /name them, such as --map .* The columns are words/);
    await assert.rejects(
      recordsOf(PARQUET, source, { columns: { url: ['link'] } }),
      /there is no column link/,
    );
  });
});

describe('ZIM', () => {
  const ZIM = formatOf('x.zim');
  const html = (text: string): string => `<title>${text}</title><p>${text} and more words.</p>`;
  const entries = [
    { path: 'Ant', title: 'The ant', content: html('Ants') },
    { path: 'Bee/Queen bee', content: html('Bees') },
    { path: 'Wasp', redirect: 'Ant' },
    { path: 'style.css', content: 'p {}', mime: 'text/css' },
    { path: 'Cat', content: html('Cats') },
  ];
  const metadata = {
    Title: 'Animals',
    Creator: 'Zoo',
    License: 'CC-BY-4.0',
    Language: 'eng',
    Date: '2024-05-06',
    Source: 'zoo.example.org',
  };

  for (const options of [{}, { isExtended: true }, { isPlain: true, entriesPerCluster: 1 }]) {
    test(`pages by clusters, without redirects and other files: ${JSON.stringify(options)}`, async () => {
      const source = bytesOf(zimOf(entries, { metadata, entriesPerCluster: 2, ...options }), 'zoo.zim');
      const pages = (await recordsOf(ZIM, source)).map(saidOf);
      assert.deepEqual(
        pages.map(({ url, title }) => [url, title]),
        [
          ['https://zoo.example.org/Ant', 'The ant'],
          ['https://zoo.example.org/Bee/Queen%20bee', undefined],
          ['https://zoo.example.org/Cat', undefined],
        ],
      );
      assert.deepEqual(
        [pages[0]?.language, pages[0]?.fetchedAt, pages[0]?.text],
        ['eng', Date.parse('2024-05-06'), html('Ants')],
      );
      assert.deepEqual(await ZIM.originOf?.(source), { source: 'Animals, Zoo', licence: 'CC-BY-4.0' });
      assert.ok(await resumesEverywhere(ZIM, source));
    });
  }

  test('addresses: of Wikipedia, of a crawl, below a base address', async () => {
    const urlsOf = async (path: string, site: string, baseUrl?: string): Promise<unknown[]> => {
      const source = bytesOf(
        zimOf([{ path, content: html('x') }], { metadata: { Source: site } }),
        '/data/x.zim',
      );
      const records = await recordsOf(ZIM, source, baseUrl === undefined ? {} : { baseUrl });
      return records.map(({ page }) => page?.url);
    };
    assert.deepEqual(await urlsOf('Ant', 'en.wikipedia.org'), ['https://en.wikipedia.org/wiki/Ant']);
    assert.deepEqual(await urlsOf('docs.example.org/a/b.html', ''), ['https://docs.example.org/a/b.html']);
    assert.deepEqual(await urlsOf('Ant', 'x.example.org', 'https://b.example.org/c/'), [
      'https://b.example.org/c/Ant',
    ]);
    assert.deepEqual(await urlsOf('Ant', ''), ['file:///data/x.zim/Ant']);
  });

  test('a damaged file and one of another kind are named', async () => {
    const damaged = zimOf(entries, { metadata });
    damaged[damaged.length - 100] = (damaged[damaged.length - 100] ?? 0) ^ 1;
    await assert.rejects(
      recordsOf(ZIM, bytesOf(damaged, 'bad.zim')),
      /bad\.zim is damaged: its checksum is wrong/,
    );
    await assert.rejects(recordsOf(ZIM, bytesOf('x'.repeat(100), 'no.zim')), /no\.zim is not a ZIM file/);
  });
});

describe('WET and WAT', () => {
  const record = (type: string, contentType: string, content: string, more = ''): string =>
    `WARC/1.0\r\nWARC-Type: ${type}\r\nWARC-Target-URI: https://a.example.org/\r\nWARC-Date: 2024-05-06T00:00:00Z\r\nContent-Type: ${contentType}\r\n${more}Content-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}\r\n\r\n`;
  const WET = formatOf('x.warc.wet.gz');

  test('the text of a page, its first line as its title, and its language', async () => {
    const text = record(
      'conversion',
      'text/plain',
      'A title\nSome words.',
      'WARC-Identified-Content-Language: deu,eng\r\n',
    );
    const source = bytesOf(
      zstdCompressSync(`${record('warcinfo', 'application/warc-fields', 'x: y')}${text}${text}`),
    );
    const [page] = (await recordsOf(WET, source)).map(saidOf);
    assert.deepEqual([page?.title, page?.text, page?.language], ['A title', 'A title\nSome words.', 'deu']);
    assert.ok(await resumesEverywhere(WET, source));
  });

  test('of metadata the title and the description', async () => {
    const head = { Title: 'Birds', Metas: [{ name: 'description', content: 'All about birds.' }] };
    const http = { 'Response-Message': { Status: '200' }, 'HTML-Metadata': { Head: head } };
    const wat = JSON.stringify({ Envelope: { 'Payload-Metadata': { 'HTTP-Response-Metadata': http } } });
    const [page] = (await recordsOf(WET, bytesOf(record('metadata', 'application/json', wat)))).map(saidOf);
    assert.deepEqual([page?.title, page?.text], ['Birds', 'All about birds.']);
  });

  test('a chunked and compressed response is read as its body', async () => {
    const body = zstdCompressSync('<p>Waders</p>');
    const chunked = Buffer.concat([
      Buffer.from(`${body.length.toString(16)}\r\n`),
      body,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
    const head =
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\nContent-Encoding: zstd\r\n\r\n';
    const http = Buffer.concat([Buffer.from(head), chunked]);
    const warc = `WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: <https://a.example.org/>\r\nContent-Length: ${http.length}\r\n\r\n`;
    const [page] = (
      await recordsOf(formatOf('x.warc'), bytesOf(Buffer.concat([Buffer.from(warc), http])))
    ).map(saidOf);
    assert.deepEqual([page?.url, page?.text], ['https://a.example.org/', '<p>Waders</p>']);
  });
});

test('MediaWiki: articles as Markdown, without redirects and other namespaces', async () => {
  const page = (title: string, ns: number, text: string, more = ''): string =>
    `<page><title>${title}</title><ns>${ns}</ns><id>1</id>${more}<revision><timestamp>2024-05-06T07:08:09Z</timestamp><text xml:space="preserve">${text}</text></revision></page>\n`;
  const article = `{{Infobox|name={{nested}}}}'''Ants''' are [[Insect|insects]] in [[colony|colonies]].&lt;ref name="a"&gt;Book {{x}}&lt;/ref&gt;
== Life ==
[[File:Ant.jpg|thumb|An [[ant]]]]
* ''Workers'' &amp;amp; queens
{| class="x"
| cell
|}
[[Category:Insects]]`;
  const xml = `<mediawiki xml:lang="en"><siteinfo><sitename>Wikipedia</sitename><base>https://en.wikipedia.org/wiki/Main_Page</base></siteinfo>\n${page('Queen ant', 0, article)}${page('Talk:Ant', 1, 'x')}${page('Ants', 0, 'x', '<redirect title="Ant" />')}${page('Bee', 0, 'Bees fly.')}</mediawiki>`;
  const MEDIAWIKI = formatOf('enwiki-pages-articles.xml');
  const source = bytesOf(xml, 'enwiki-pages-articles.xml');
  const [ant, bee, ...rest] = (await recordsOf(MEDIAWIKI, source)).map(saidOf);
  assert.deepEqual(ant, {
    url: 'https://en.wikipedia.org/wiki/Queen_ant',
    title: 'Queen ant',
    fetchedAt: Date.parse('2024-05-06T07:08:09Z'),
    language: 'en',
    text: '**Ants** are insects in colonies.\n## Life\n\n- *Workers* & queens',
  });
  assert.deepEqual([bee?.text, rest], ['Bees fly.', []]);
  assert.ok(await resumesEverywhere(MEDIAWIKI, source));
  assert.deepEqual(await MEDIAWIKI.originOf?.(source), { source: 'Wikipedia', licence: 'CC BY-SA 4.0' });
});

test('Stack Exchange: a question with its answers is one page, the accepted one first', async () => {
  const rows = [
    '<row Id="1" PostTypeId="1" AcceptedAnswerId="4" CreationDate="2020-01-02T03:04:05" Title="How to &lt;list&gt; files?" Body="&lt;p&gt;I want names.&lt;/p&gt;" />',
    '<row Id="2" PostTypeId="1" CreationDate="2020-01-03T00:00:00" Title="Another" Body="&lt;p&gt;Other.&lt;/p&gt;" />',
    '<row Id="3" PostTypeId="2" ParentId="1" Score="9" Body="&lt;p&gt;Use find.&lt;/p&gt;" />',
    '<row Id="4" PostTypeId="2" ParentId="1" Score="5" Body="&lt;p&gt;Use ls.&lt;/p&gt;" />',
  ];
  const STACK = formatOf('unix.stackexchange.com/Posts.xml');
  const source = bytesOf(
    `<?xml version="1.0"?>\n<posts>\n${rows.map((row) => `  ${row}\n`).join('')}</posts>`,
    '/x/unix.stackexchange.com/Posts.xml',
  );
  const [first, second, ...rest] = (await recordsOf(STACK, source)).map(saidOf);
  assert.deepEqual(
    [first?.url, first?.title, first?.publishedDay],
    ['https://unix.stackexchange.com/questions/1', 'How to <list> files?', '2020-01-02'],
  );
  assert.match(
    String(first?.text),
    /I want names[\s\S]*Accepted answer, score 5[\s\S]*Use ls[\s\S]*Answer, score 9[\s\S]*Use find/,
  );
  assert.deepEqual([second?.url, rest], ['https://unix.stackexchange.com/questions/2', []]);
  assert.ok(await resumesEverywhere(STACK, source));
});

test('llms-full.txt: a page for each section that names its address', async () => {
  const text =
    '# Site\n\nAn overview.\n\n# Install\nSource: https://d.example.org/install\n\nRun it.\n\n## Steps\n\n1. One\n\n---\n\n# Use\n\nSource: /use\n\nCall it.\n';
  const LLMS = formatOf('llms-full.txt');
  const source = bytesOf(text, 'llms-full.txt');
  const pages = (await recordsOf(LLMS, source, { baseUrl: 'https://d.example.org/' })).map(saidOf);
  assert.deepEqual(
    pages.map(({ url, text: page }) => [url, page]),
    [
      ['https://d.example.org/install', '# Install\n\nRun it.\n\n## Steps\n\n1. One\n'],
      ['https://d.example.org/use', '# Use\n\n\nCall it.'],
    ],
  );
  assert.ok(await resumesEverywhere(LLMS, source, { baseUrl: 'https://d.example.org/' }));
  const [, unnamed] = (await recordsOf(LLMS, source)).map(saidOf);
  assert.match(String(unnamed?.problem), /name the site with --base-url/);
});

test('the clone of a repository: its files have their addresses there', async () => {
  const cases: [remote: string, address: string | null][] = [
    ['https://github.com/owner/docs.git', 'https://github.com/owner/docs/blob/main'],
    ['git@github.com:owner/docs.git', 'https://github.com/owner/docs/blob/main'],
    ['ssh://git@gitlab.com/group/sub/docs', 'https://gitlab.com/group/sub/docs/-/blob/main'],
    ['https://git.example.org/docs.git', null],
  ];
  for (const [remote, address] of cases) {
    const clone = mkdtempSync(join(folder, 'clone-'));
    mkdirSync(join(clone, '.git'));
    writeFileSync(
      join(clone, '.git/config'),
      `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${remote}\n\tfetch = x\n`,
    );
    writeFileSync(join(clone, '.git/HEAD'), 'ref: refs/heads/main\n');
    assert.equal(await readRepositoryAddress(clone), address, remote);
  }
  assert.equal(await readRepositoryAddress(folder), null);
});
