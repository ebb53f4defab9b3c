import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { zstdCompressSync } from 'node:zlib';
import { type FileMetaData, parquetMetadata } from 'hyparquet';
import { ByteWriter, parquetWriteBuffer } from 'hyparquet-writer';
import { deltaBinaryPack } from 'hyparquet-writer/src/delta.js';
import { writeMetadata } from 'hyparquet-writer/src/metadata.js';
import { serializeTCompactProtocol } from 'hyparquet-writer/src/thrift.js';
import { findFileFormat } from '../../src/crawl/import/formats/formats.ts';
import { asHtml, warcRecord } from '../fixtures/corpora/made-pages.ts';
import { bytesOf, countOrMessage, recordsOf, saidOf } from '../fixtures/corpora/records.ts';
import { zimOf } from '../fixtures/corpora/zim.ts';
import { made, table, withChecksum, zim } from './made-files.ts';

/** The message with which reading ends; it names the file. */
async function messageOf(name: string, bytes: Uint8Array): Promise<string> {
  const message = String(await countOrMessage(bytesOf(bytes, name)));
  assert.ok(message.includes(name), message);
  return message;
}

describe('a ZIM file', () => {
  test('that claims four billion entries, or clusters, is refused before anything is allocated', async () => {
    for (const at of [24, 28]) {
      const file = zim();
      file.writeUInt32LE(0xffffffff, at);
      assert.match(await messageOf('x.zim', withChecksum(file)), /shorter than its header says/);
    }
  });

  test('whose pointers lead out of it is damaged', async () => {
    const file = zim();
    file.writeBigUInt64LE(2n ** 62n, Number(file.readBigUInt64LE(32)));
    assert.match(await messageOf('x.zim', withChecksum(file)), /a pointer leads out of the file/);
  });

  test('with a cluster that unpacks without bound names the cluster', async () => {
    const file = zimOf([{ path: 'bomb', content: '\0'.repeat(300 << 20) }]);
    assert.ok(file.length < 100_000, `${file.length} bytes`);
    assert.match(await messageOf('x.zim', file), /cluster 0 of x\.zim unpacks to more than 256 MB/);
  });
});

/** A table of one group of rows whose columns begin with a page that claims what it does not hold. */
function tableClaiming(claim: { unpacked: number; values: number }): Uint8Array {
  const metadata = parquetMetadata(table('UNCOMPRESSED').slice().buffer as ArrayBuffer);
  const header = new ByteWriter();
  const page = { field_1: claim.values, field_2: 0, field_3: 3, field_4: 3 };
  serializeTCompactProtocol(header, { field_1: 0, field_2: claim.unpacked, field_3: 100, field_5: page });
  return tableOfOnePage(metadata, { header, body: new Uint8Array(100) });
}

/** A table of so many texts, each the same megabyte, which the file says once: DELTA_BYTE_ARRAY keeps what a text shares with the one before. */
function tableOfSharedBeginnings(texts: number): Uint8Array {
  const length = 1_048_576;
  const metadata = parquetMetadata(
    parquetWriteBuffer({
      codec: 'UNCOMPRESSED',
      rowGroupSize: texts,
      columnData: ['url', 'markdown'].map((name) => ({
        name,
        type: 'STRING' as const,
        nullable: false,
        data: Array.from({ length: texts }, () => 'a'),
      })),
    }),
  );
  const body = new ByteWriter();
  deltaBinaryPack(
    body,
    Int32Array.from({ length: texts }, (_, at) => (at === 0 ? 0 : length)),
    'INT32',
  );
  deltaBinaryPack(
    body,
    Int32Array.from({ length: texts }, (_, at) => (at === 0 ? length : 0)),
    'INT32',
  );
  body.appendBytes(new Uint8Array(length).fill(0x61));
  const bytes = body.getBytes();
  const header = new ByteWriter();
  const page = { field_1: texts, field_2: 7, field_3: 3, field_4: 3 };
  serializeTCompactProtocol(header, {
    field_1: 0,
    field_2: bytes.length,
    field_3: bytes.length,
    field_5: page,
  });
  return tableOfOnePage(metadata, { header, body: bytes });
}

/** A table whose columns all are the same page. */
function tableOfOnePage(
  metadata: FileMetaData,
  { header, body }: { header: ByteWriter; body: Uint8Array },
): Uint8Array {
  const writer = new ByteWriter();
  writer.appendUint32(0x31524150);
  writer.appendBytes(header.getBytes());
  writer.appendBytes(body);
  const place = { data_page_offset: 4n, dictionary_page_offset: undefined };
  const size = { total_compressed_size: BigInt(writer.offset - 4) };
  for (const { meta_data: chunk } of metadata.row_groups.flatMap(({ columns }) => columns))
    Object.assign(chunk ?? {}, place, size);
  writeMetadata(writer, metadata);
  writer.appendUint32(0x31524150);
  return new Uint8Array(writer.getBuffer());
}

describe('a table', () => {
  test('whose texts share a long beginning takes no more memory than a slice may have', async () => {
    const file = tableOfSharedBeginnings(6_000);
    assert.ok(file.length < 2 << 20, `${file.length} bytes`);
    assert.match(await messageOf('x.parquet', file), /needs more than 1024 MB to decode/);
  });

  test('whose page claims to unpack to a gigabyte is refused', async () => {
    const file = tableClaiming({ unpacked: 2 ** 30, values: 10 });
    assert.match(await messageOf('x.parquet', file), /a page of a column unpacks to more than 256 MB/);
  });

  test('whose page claims a billion values is refused', async () => {
    const file = tableClaiming({ unpacked: 100, values: 1e9 });
    assert.match(await messageOf('x.parquet', file), /too many values in one group of rows/);
  });

  test('whose metadata claims to be larger than memory is refused', async () => {
    const file = Buffer.from(table('SNAPPY'));
    file.writeUInt32LE(0xfffffff0, file.length - 8);
    await messageOf('x.parquet', file);
  });
});

setFlagsFromString('--expose-gc');
const collect: typeof gc = runInNewContext('gc');

describe('an archive', () => {
  test('with an endless head is refused', async () => {
    const head = `WARC/1.0\r\n${'X-Header: again and again\r\n'.repeat(10_000)}`;
    assert.match(await messageOf('x.warc', Buffer.from(head)), /head is too long/);
  });

  test('with a line without end takes no more memory than a line may have', async () => {
    const file = Buffer.concat([Buffer.from('WARC/1.0\r\nX: '), Buffer.alloc(256 << 20, 0x61)]);
    const source = { ...bytesOf('', 'x.warc'), size: file.length };
    let most = 0;
    const before = process.memoryUsage().arrayBuffers;
    await countOrMessage({
      ...source,
      async read(start, end) {
        // What was dropped and not collected yet is none of what it takes.
        collect?.();
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        return Buffer.from(file.subarray(start, end));
      },
    });
    assert.ok(most < 128 << 20, `${most >> 20} MB`);
  });

  test('with a record that does not state its length is refused', async () => {
    for (const length of ['', 'Content-Length: many\r\n', 'Content-Length: -5\r\n'])
      assert.match(
        await messageOf(
          'x.warc',
          Buffer.from(`WARC/1.0\r\nWARC-Type: response\r\n${length}X-Header: none\r\n\r\nwords`),
        ),
        /does not state its length/,
      );
  });
});

describe('a record that is made to harm costs itself, and not those around it', () => {
  const record = (page: (typeof made)[number], type: string): string =>
    warcRecord(page.url, asHtml(page)).replace('WARC-Type: response', `WARC-Type: ${type}`);

  test('in an archive: a type that is the name of something else', async () => {
    const types = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'response'];
    const records = made.slice(0, types.length).map((page, at) => record(page, types[at] ?? ''));
    assert.equal(await countOrMessage(bytesOf(records.join(''), 'x.warc')), 1);
  });

  test('in a table: a date that no calendar has', async () => {
    const dates = ['0', '1700000000000000000', '9223372036854775807', '-1', '1700000000'].map(BigInt);
    const columnData = [
      { name: 'url', data: dates.map((_, at) => `https://a.example.org/${at}`), type: 'STRING' as const },
      { name: 'markdown', data: dates.map(() => 'words'), type: 'STRING' as const },
      { name: 'published', data: dates, type: 'INT64' as const },
      { name: 'fetched_at', data: dates, type: 'INT64' as const },
    ];
    const source = bytesOf(new Uint8Array(parquetWriteBuffer({ columnData })), 'x.parquet');
    const format = findFileFormat('x.parquet');
    assert.ok(format !== null);
    const read = (await recordsOf(format, source)).map(({ page }) => [page?.publishedDay, page?.fetchedAt]);
    const none = [undefined, null];
    assert.deepEqual(read, [none, none, none, none, ['2023-11-14', 1_700_000_000_000]]);
  });

  test('in a dump of questions: an answer without a number', async () => {
    const answer = (more: string): string => `<row PostTypeId="2" ${more} Body="Words" />`;
    const rows = [
      answer('Id="2" Score="1"'),
      answer('ParentId="1" Score="1"'),
      answer('Id="3" ParentId="1" Score="1e999"'),
      answer('Id="4.5" ParentId="1" Score="1"'),
      answer('Id="99999999999999999999" ParentId="1" Score="1"'),
      answer('Id="5" ParentId="1" Score="-2"'),
      '<row Id="1" PostTypeId="1" Title="A question" Body="?" CreationDate="2024-05-06T07:08:09.000" />',
    ];
    const name = '/x/f.example.org/Posts.xml';
    const format = findFileFormat(name);
    assert.ok(format !== null);
    const source = bytesOf(`<posts>\n${rows.map((row) => `  ${row}\n`).join('')}</posts>`, name);
    const [page, ...more] = (await recordsOf(format, source)).map(saidOf);
    assert.deepEqual(more, []);
    assert.equal(String(page?.text).split('Answer, score').length, 2);
  });
});

describe('a packed file that unpacks to a thousand times its size', () => {
  for (const [form, megabytes] of [
    ['members', 8],
    ['one stream', 64],
  ] as const)
    test(`as ${form}, is read up to a gigabyte`, async () => {
      const member = zstdCompressSync(Buffer.alloc(megabytes << 20));
      const file = Buffer.concat(Array.from({ length: 3_000 / megabytes }, () => member));
      const since = process.cpuUsage();
      assert.match(await messageOf('x.jsonl.zst', file), /unpacks to more than 1000 times its size/);
      const { user, system } = process.cpuUsage(since);
      assert.ok((user + system) / 1_000 < 20_000, `${(user + system) / 1_000} CPU ms`);
    });
});
