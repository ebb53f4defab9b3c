import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { bytesOf } from '../../../../test/fixtures/corpora/records.ts';
import type { ByteSource } from './byte-reader.ts';
import { openByteReader } from './byte-reader.ts';

const LINES = Array.from({ length: 60 }, (_, number) => `line ${number} ${'é'.repeat(number)}`);
const lines = (from: number, to: number): string =>
  LINES.slice(from, to)
    .map((line) => `${line}\n`)
    .join('');

async function readLines(source: ByteSource, from: readonly [number, number] = [0, 0]) {
  const reader = await openByteReader(source, from);
  const read: { text: string; after: readonly [number, number] }[] = [];
  for (let line = await reader.readLine(1_000); line !== null; line = await reader.readLine(1_000))
    read.push({ text: line.text, after: reader.place() });
  return read;
}

describe('lines of a file, from any place', () => {
  const members = [lines(0, 20), lines(20, 21), '', lines(21, 60)];
  const files: [name: string, bytes: Uint8Array][] = [
    ['plain', Buffer.from(members.join(''))],
    ['one gzip member', gzipSync(members.join(''))],
    [
      'several gzip members, one with a name',
      Buffer.concat([named(gzipSync(members[0] ?? '')), ...members.slice(1).map((one) => gzipSync(one))]),
    ],
    [
      'several zstd frames and a skippable one',
      Buffer.concat([skippable('table'), ...members.map((one) => zstdCompressSync(one))]),
    ],
  ];
  for (const [name, bytes] of files) {
    test(name, async () => {
      const source = bytesOf(bytes);
      const all = await readLines(source);
      assert.deepEqual(
        all.map(({ text }) => text),
        LINES,
      );
      for (const [at, { after }] of all.entries())
        assert.deepEqual(
          (await readLines(source, after)).map(({ text }) => text),
          LINES.slice(at + 1),
          `behind line ${at}`,
        );
    });
  }

  test('a member too large for memory is read as a stream, and resumed within', async () => {
    const large = Buffer.from(`${'x'.repeat(999)}\n`.repeat(20_000));
    for (const packed of [gzipSync(large, { level: 1 }), zstdCompressSync(large)]) {
      const all = await readLines(bytesOf(packed));
      assert.equal(all.length, 20_000);
      const rest = await readLines(bytesOf(packed), all[15_000]?.after);
      assert.equal(rest.length, 4_999);
    }
  });
});

describe('what cannot be read is named', () => {
  const broken: [name: string, bytes: Uint8Array, message: RegExp][] = [
    ['bzip2', Buffer.from('BZh91AY'), /compressed with bzip2; unpack it first \(bzip2 -d\)/],
    ['7-Zip', Buffer.from('377abcaf271c0004', 'hex'), /7-Zip; unpack it first \(7z x\)/],
    ['a wrong checksum', withByte(gzipSync('words'), -6), /damaged: the checksum of a gzip member is wrong/],
    ['a cut stream', gzipSync('words '.repeat(100)).subarray(0, 20), /damaged: unexpected end of file/],
  ];
  for (const [name, bytes, message] of broken)
    test(name, () => assert.rejects(readLines(bytesOf(bytes)), message));
});

test('a line that is too long is cut, and the next one read', async () => {
  const reader = await openByteReader(bytesOf(`${'x'.repeat(3_000_000)}\nnext\n`), [0, 0]);
  const long = await reader.readLine(100);
  assert.deepEqual([long?.text.length, long?.isCut], [100, true]);
  assert.deepEqual(await reader.readLine(100), { text: 'next', isCut: false });
  assert.equal(await reader.readLine(100), null);
});

/** With the name of a file in its head. */
function named(member: Uint8Array): Uint8Array {
  const head = Buffer.from(member.subarray(0, 10));
  head[3] = 8;
  return Buffer.concat([head, Buffer.from('file.txt\0'), member.subarray(10)]);
}

function skippable(content: string): Uint8Array {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x184d2a50, 0);
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, Buffer.from(content)]);
}

function withByte(bytes: Uint8Array, at: number): Uint8Array {
  const changed = Buffer.from(bytes);
  const place = changed.length + at;
  changed[place] = (changed[place] ?? 0) ^ 0xff;
  return changed;
}
