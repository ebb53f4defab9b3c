import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import {
  createOpenCollection,
  type OpenCollection,
} from '../../src/crawl/import/collections/open-collection.ts';
import type {
  CollectedRecord,
  Collection,
  SourcePlace,
} from '../../src/crawl/import/collections/read-collection.ts';
import { readCollection } from '../../src/crawl/import/collections/read-collection.ts';
import { createGuardedFetch } from '../../src/platform/net/guarded-fetch.ts';
import { warcRecord } from '../fixtures/corpora/made-pages.ts';

const { signal } = new AbortController();
type Asked = { path: string; query: URLSearchParams; range: string | null };

/** A web of files with ranges, and a Common Crawl as its own answers. */
describe('imports from the web', () => {
  const files = new Map<string, Uint8Array>();
  const asked: Asked[] = [];
  const paused: number[] = [];
  /** Answers that come before the real ones. */
  const busy: { status: number; headers: Record<string, string> }[] = [];
  /** Answers that servers should not give, before the real ones. */
  const odd: ((response: ServerResponse, bytes: Uint8Array, range: [from: number, to: number]) => void)[] =
    [];
  let etag = '"1"';
  const network = createGuardedFetch({ allowPrivate: ['127.0.0.0/8'] });
  const server = createServer((request, response) => answer(request, response));
  let base: string;
  let open: OpenCollection;
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    open = createOpenCollection({
      fetch: network.fetch,
      places: { crawls: `${base}/collinfo.json`, archives: `${base}/archives/` },
      async pause(ms) {
        paused.push(ms);
      },
    });
  });
  after(async () => {
    await network.close();
    await new Promise((resolve) => server.close(resolve));
  });

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '', base);
    const range = request.headers.range ?? null;
    asked.push({ path, query, range });
    const first = busy.shift();
    if (first !== undefined) {
      response.writeHead(first.status, first.headers).end();
      return;
    }
    const bytes = path === '/index' ? indexPage(query) : files.get(path);
    if (bytes === undefined) {
      response.writeHead(404).end('{"message": "No Captures found"}');
      return;
    }
    const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    const oddly = odd.shift();
    if (oddly !== undefined) {
      oddly(response, bytes, [Number(from), Number(to)]);
      return;
    }
    if (range === null) response.writeHead(200).end(bytes);
    else
      response
        .writeHead(206, { 'content-range': `bytes ${from}-${to}/${bytes.length}`, etag })
        .end(bytes.subarray(Number(from), Number(to) + 1));
  }

  /** As the CDX server answers: one capture a line. */
  function indexPage(query: URLSearchParams): Uint8Array | undefined {
    if (query.get('url') !== 'docs.example.org') return undefined;
    assert.deepEqual([query.get('matchType'), query.get('output')], ['domain', 'json']);
    if (query.get('showNumPages') === 'true') return Buffer.from('{"pages": 2, "pageSize": 1, "blocks": 2}');
    assert.equal(query.get('filter'), '=status:200');
    const page = Number(query.get('page'));
    const lines = captures.slice(page * 2, page * 2 + 2).map((capture) => JSON.stringify(capture));
    return Buffer.from(lines.map((line) => `${line}\n`).join(''));
  }

  const captures: Record<string, string>[] = [];
  const read = async (
    collection: Collection,
    from: SourcePlace | null = null,
  ): Promise<CollectedRecord[]> => {
    const records: CollectedRecord[] = [];
    const options = { from, baseUrl: null, columns: null, scratch: tmpdir(), signal };
    for await (const record of readCollection(collection, options)) records.push(record);
    return records;
  };
  const urlsOf = (records: CollectedRecord[]): string[] =>
    records.map((record) => ('page' in record ? record.page.url : record.problem));

  test('of a table only the needed columns travel; an interrupted one is resumed', async () => {
    const urls = Array.from({ length: 40 }, (_, at) => `https://t.example.org/${at}`);
    const noise = Array.from(
      { length: 40 },
      (_, at) => Buffer.alloc(20_000, at).toString('base64') + Math.sin(at),
    );
    const bytes = new Uint8Array(
      parquetWriteBuffer({
        rowGroupSize: 10,
        codec: 'UNCOMPRESSED',
        columnData: [
          { name: 'url', data: urls, type: 'STRING' },
          { name: 'noise', data: noise, type: 'STRING' },
          { name: 'text', data: urls.map((url) => `Words about ${url}`), type: 'STRING' },
        ],
      }),
    );
    files.set('/table.parquet', bytes);
    asked.length = 0;
    const collection = await open(`${base}/table.parquet`, null, signal);
    assert.equal(collection.bytesTotal, bytes.length);
    const records = await read(collection);
    assert.deepEqual(urlsOf(records), urls);
    const travelled = asked.reduce((sum, { range }) => {
      const [from = 0, to = 0] = (range?.match(/\d+/g) ?? []).map(Number);
      return sum + to - from + 1;
    }, 0);
    assert.ok(travelled < bytes.length / 2, `${travelled} of ${bytes.length} bytes`);
    assert.deepEqual(urlsOf(await read(collection, records[24]?.after ?? null)), urls.slice(25));
  });

  test('an address for many files; one that is gone is named and the others are read', async () => {
    for (const number of ['08', '10'])
      files.set(
        `/part-${number}.jsonl`,
        Buffer.from(`{"url": "https://p.example.org/${number}", "text": "Words"}\n`),
      );
    const records = await read(await open(`${base}/part-{08..10}.jsonl`, null, signal));
    assert.deepEqual(urlsOf(records), [
      'https://p.example.org/08',
      `${base}/part-09.jsonl answered 404`,
      'https://p.example.org/10',
    ]);
    await assert.rejects(open(`${base}/gone.parquet`, null, signal), /gone\.parquet answered 404/);
  });

  test('a server that is busy is asked again, when it says', async () => {
    files.set('/one.jsonl', Buffer.from('{"url": "https://o.example.org/", "text": "Words"}\n'));
    busy.push({ status: 503, headers: { 'retry-after': '7' } }, { status: 429, headers: {} });
    paused.length = 0;
    const records = await read(await open(`${base}/one.jsonl`, null, signal));
    assert.deepEqual(urlsOf(records), ['https://o.example.org/']);
    assert.deepEqual(paused, [7_000, 2_000]);
  });

  describe('servers that do not behave', () => {
    const urls = Array.from({ length: 30 }, (_, at) => `https://v.example.org/${at}`);
    const lines = (of: string[]): Buffer =>
      Buffer.from(of.map((url) => `{"url": "${url}", "text": "Words of ${url}"}\n`).join(''));
    const served = (name: string): string => {
      files.set(`/${name}`, lines(urls));
      return `${base}/${name}`;
    };
    const usual = (response: ServerResponse, bytes: Uint8Array, [from, to]: [number, number]): Uint8Array => {
      response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${bytes.length}`, etag });
      return bytes.subarray(from, to + 1);
    };
    const rightly: (typeof odd)[number] = (response, bytes, range) =>
      void response.end(usual(response, bytes, range));

    // The first answers: how large the file is, and then, where a test says so, how it begins.
    const sizes = [rightly, rightly];

    test('one that breaks off is asked again', async () => {
      const url = served('broken.jsonl');
      const breaksOff: (typeof odd)[number] = (response, bytes, range) => {
        response.setHeader('content-length', range[1] - range[0] + 1);
        response.write(usual(response, bytes, range).subarray(0, 100), () => response.destroy());
      };
      odd.push(...sizes, rightly, breaksOff, breaksOff);
      paused.length = 0;
      assert.deepEqual(urlsOf(await read(await open(url, null, signal))), urls);
      assert.deepEqual(paused, [1_000, 2_000]);
    });

    test('one that answers in many small pieces is read', async () => {
      const url = served('slow.jsonl');
      odd.push(...sizes, async (response, bytes, range) => {
        const body = usual(response, bytes, range);
        for (let at = 0; at < body.length; at += 100) {
          response.write(body.subarray(at, at + 100));
          await new Promise(setImmediate);
        }
        response.end();
      });
      assert.deepEqual(urlsOf(await read(await open(url, null, signal))), urls);
    });

    test('one without ranges is read as a whole, up to 64 MB; one that gives up ranges on the way is named', async () => {
      const url = served('whole.jsonl');
      const asWhole: (typeof odd)[number] = (response, bytes) => void response.end(bytes);
      odd.push(asWhole);
      assert.deepEqual(urlsOf(await read(await open(url, null, signal))), urls);
      files.set('/large.jsonl', new Uint8Array((64 << 20) + 1));
      odd.push(asWhole);
      await assert.rejects(open(`${base}/large.jsonl`, null, signal), /gives no ranges .* download it first/);
      const bytes = new Uint8Array(3 << 20).fill(0x20);
      bytes.set(lines(urls));
      files.set('/later.jsonl', bytes);
      const collection = await open(`${base}/later.jsonl`, null, signal);
      odd.push(rightly, asWhole);
      await assert.rejects(read(collection), /later\.jsonl answered with more than the range/);
    });

    test('a file that changes while it is read ends the import, which then begins again', async () => {
      const url = served('changing.jsonl');
      const collection = await open(url, null, signal);
      const records = await read(collection);
      odd.push(rightly, (response, _bytes, range) => {
        etag = '"2"';
        // As long as the version before.
        files.set('/changing.jsonl', lines(urls.toReversed()));
        rightly(response, lines(urls.toReversed()), range);
      });
      await assert.rejects(read(collection), /changing\.jsonl has changed while it was read/);
      const again = await read(await open(url, null, signal), records[20]?.after ?? null);
      assert.deepEqual(urlsOf(again), urls.toReversed());
      etag = '"1"';
    });
  });

  describe('Common Crawl by domain', () => {
    const pages = ['', 'a', 'b', 'c'].map((path) => `https://docs.example.org/${path}`);
    before(() => {
      const records = pages.map((url) =>
        gzipSync(warcRecord(url, `<title>${url}</title><p>Words of a page.</p>`)),
      );
      const crawls = ['CC-MAIN-2026-12', 'CC-MAIN-2026-08'].map((id) => ({ id, 'cdx-api': `${base}/index` }));
      files.set('/collinfo.json', Buffer.from(JSON.stringify(crawls)));
      files.set('/archives/crawl-data/x.warc.gz', Buffer.concat(records));
      let offset = 0;
      for (const [at, url] of pages.entries()) {
        const length = String(records[at]?.length);
        captures.push({
          url,
          filename: 'crawl-data/x.warc.gz',
          offset: String(offset),
          length,
          status: '200',
          mime: 'text/html',
        });
        offset += Number(length);
      }
    });

    test('its captures by ranges of the archives, one request each', async () => {
      asked.length = 0;
      paused.length = 0;
      const collection = await open('commoncrawl:docs.example.org', null, signal);
      assert.equal(collection.origin?.source, 'Common Crawl CC-MAIN-2026-12');
      assert.deepEqual(urlsOf(await read(collection)), pages);
      const ranges = asked.filter(({ path }) => path.startsWith('/archives/'));
      assert.deepEqual(
        ranges.map(({ range }) => range),
        captures.map(({ offset, length }) => `bytes=${offset}-${Number(offset) + Number(length) - 1}`),
      );
      assert.ok(paused.length >= pages.length, 'it waits between requests');
    });

    test('resumed, it asks for what is left only', async () => {
      const collection = await open('commoncrawl:docs.example.org', null, signal);
      const records = await read(collection);
      asked.length = 0;
      const resumed = await read(
        await open('commoncrawl:docs.example.org', null, signal),
        records[2]?.after ?? null,
      );
      assert.deepEqual(urlsOf(resumed), pages.slice(3));
      assert.deepEqual(
        asked.flatMap(({ query }) => query.get('page') ?? []),
        ['1'],
      );
    });

    test('a domain that it does not hold', async () => {
      const none = await open('commoncrawl:none.example.org', null, signal);
      await assert.rejects(read(none), /Common Crawl holds no page of none\.example\.org/);
    });
  });
});
