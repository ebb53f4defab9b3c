import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import {
  brotliCompressSync,
  deflateRawSync,
  deflateSync,
  gzipSync,
  constants as zlib,
  zstdCompressSync,
} from 'node:zlib';
import fc from 'fast-check';
import { createFetchFailure, Failure, type FetchReason } from '../../contract/errors.ts';
import { PAGE_BYTES_MAX } from '../../contract/limits.ts';
import { toFetchFailure } from './exchange.ts';
import { readBody } from './follow-redirects.ts';

const CODINGS: Record<string, (body: Uint8Array) => Uint8Array> = {
  '': (body) => body,
  identity: (body) => body,
  gzip: (body) => gzipSync(body),
  'x-gzip': (body) => gzipSync(body),
  ' GZIP ': (body) => gzipSync(body),
  'identity, gzip': (body) => gzipSync(body),
  deflate: (body) => deflateSync(body),
  'deflate ': (body) => deflateRawSync(body),
  br: (body) => brotliCompressSync(body, { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (body) => zstdCompressSync(body),
};

const page = Buffer.from('<p>Wörter</p>'.repeat(1_000));

async function read(
  coding: string,
  wire: Uint8Array | Readable,
  options: { bytesMax?: number; length?: number; signal?: AbortSignal } = {},
): Promise<Buffer> {
  const headers: Record<string, string> = { 'content-encoding': coding };
  if (options.length !== undefined) headers['content-length'] = String(options.length);
  const body = wire instanceof Readable ? wire : Readable.from(pieces(wire, 16_384));
  const { bytesMax = PAGE_BYTES_MAX, signal = new AbortController().signal } = options;
  const whole = await readBody({ headers, body }, { bytesMax, signal });
  assert.equal(whole.byteLength, whole.buffer.byteLength, 'memory shared with others');
  assert.ok(body.destroyed);
  return Buffer.from(whole);
}

function* pieces(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function failsWith(reason: FetchReason): (error: unknown) => boolean {
  return (error) => error instanceof Failure && error.fetch?.reason === reason;
}

describe('every offered coding is decoded', () => {
  for (const [coding, encode] of Object.entries(CODINGS)) {
    test(`"${coding}"`, async () => assert.deepEqual(await read(coding, encode(page)), page));

    test(`"${coding}" byte by byte`, async () => {
      const body = Readable.from(pieces(encode(page.subarray(0, 100)), 1));
      assert.deepEqual(await read(coding, body), page.subarray(0, 100));
    });

    test(`"${coding}" without any bytes is empty`, async () => {
      assert.equal((await read(coding, new Uint8Array(0))).length, 0);
    });

    test(`"${coding}" at exactly the limit passes, one byte more does not`, async () => {
      const exact = Buffer.alloc(PAGE_BYTES_MAX, 'a page of words ');
      assert.equal((await read(coding, encode(exact))).length, PAGE_BYTES_MAX);
      const over = encode(Buffer.concat([exact, Buffer.from('!')]));
      await assert.rejects(read(coding, over), failsWith('too_large'));
    });
  }

  test('deflate is recognised with and without its header, for any content', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.integer({ min: 0, max: 9 }),
        async (body, level) => {
          assert.deepEqual(await read('deflate', deflateSync(body, { level })), Buffer.from(body));
          assert.deepEqual(await read('deflate', deflateRawSync(body, { level })), Buffer.from(body));
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('raw deflate that begins like a zlib header is recognised by its second byte', async () => {
  // A stored block whose padding has a bit set, then an empty last one (RFC 1951, 3.2.4).
  const stored = Buffer.from([0x08, 2, 0, 0xfd, 0xff, 0x68, 0x69, 0x01, 0, 0, 0xff, 0xff]);
  assert.equal(String(await read('deflate', stored)), 'hi');
});

describe("a body that cannot be decoded fails with 'protocol'", () => {
  const broken: Record<string, [coding: string, wire: Uint8Array]> = {
    'twice gzip': ['gzip, gzip', gzipSync(gzipSync(page))],
    'gzip and br': ['gzip, br', brotliCompressSync(gzipSync(page))],
    'a coding that was not offered': ['compress', page],
    nonsense: ['¯', page],
    'no gzip in it': ['gzip', page],
    'no brotli in it': ['br', Buffer.from([0xff, 0xff, 0xff, 0xff])],
    'no zstd in it': ['zstd', page],
    'cut gzip': ['gzip', gzipSync(page).subarray(0, -9)],
    'gzip of one byte': ['gzip', gzipSync(page).subarray(0, 1)],
    'cut deflate': ['deflate', deflateSync(page).subarray(0, 20)],
    'cut brotli': ['br', brotliCompressSync(page).subarray(0, 20)],
    'cut zstd': ['zstd', zstdCompressSync(page).subarray(0, 20)],
    'gzip with a wrong checksum': ['gzip', withByteChanged(gzipSync(page), -6)],
  };
  for (const [what, [coding, wire]] of Object.entries(broken))
    test(what, () => assert.rejects(read(coding, wire), isProtocolTrouble));

  test('a zstd frame that wants a window of 128 MB', async () => {
    const params = { [zlib.ZSTD_c_windowLog]: 27, [zlib.ZSTD_c_checksumFlag]: 1 };
    const huge = zstdCompressSync(Buffer.alloc(64 * 2 ** 20), { params });
    await assert.rejects(read('zstd', huge, { bytesMax: 2 ** 30 }), isProtocolTrouble);
  });
});

describe('sizes', () => {
  test('a bomb is refused as soon as it passes the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(300 * 2 ** 20));
    assert.ok(bomb.length < 400_000);
    const before = process.memoryUsage().arrayBuffers;
    await assert.rejects(read('gzip', bomb), failsWith('too_large'));
    assert.ok(process.memoryUsage().arrayBuffers - before < 60 * 2 ** 20);
  });

  test('the bytes on the wire are counted too', async () => {
    const incompressible = gzipSync(Buffer.alloc(1_000, 'ab'), { level: 0 });
    await assert.rejects(read('gzip', incompressible, { bytesMax: 1_000 }), failsWith('too_large'));
  });

  test('a declared length over the limit fails before a byte is read', async () => {
    const unread = new Readable({ read: () => assert.fail('read') });
    await assert.rejects(read('', unread, { length: PAGE_BYTES_MAX + 1 }), failsWith('too_large'));
    assert.ok(unread.destroyed);
    assert.equal((await read('', page, { length: PAGE_BYTES_MAX })).length, page.length);
  });

  test('an endless body is abandoned at the limit', async () => {
    let given = 0;
    const endless = new Readable({
      read() {
        given += 65_536;
        this.push(Buffer.alloc(65_536));
      },
    });
    await assert.rejects(read('', endless), failsWith('too_large'));
    assert.ok(given < PAGE_BYTES_MAX + 4 * 65_536);
  });
});

for (const coding of ['', 'gzip'])
  test(`an abort ends reading "${coding}" with the signal's reason`, async () => {
    const controller = new AbortController();
    const reason = createFetchFailure('timeout', 'late');
    const stuck = new Readable({ read: () => {} });
    stuck.push(gzipSync(page).subarray(0, 30));
    controller.signal.addEventListener('abort', () => stuck.destroy(reason));
    const reading = read(coding, stuck, { signal: controller.signal });
    setImmediate(() => controller.abort(reason));
    await assert.rejects(reading, reason);
  });

/** Errors of zlib become 'protocol' where the fetch ends (exchange.ts). */
function isProtocolTrouble(error: unknown): boolean {
  return toFetchFailure(error).fetch?.reason === 'protocol';
}

function withByteChanged(bytes: Uint8Array, at: number): Uint8Array {
  const changed = new Uint8Array(bytes);
  changed.set([(changed.at(at) ?? 0) ^ 0xff], bytes.length + at);
  return changed;
}
