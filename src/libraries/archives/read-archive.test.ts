import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { tarOf } from '../../../test/fixtures/tar.ts';
import { zipOf } from '../../../test/fixtures/zip.ts';
import type { ArchiveFile } from './archive-limits.ts';
import { ArchiveRefused } from './archive-limits.ts';
import { readArchive } from './read-archive.ts';

const read = (bytes: Uint8Array, limits = {}): Promise<ArchiveFile[]> =>
  readArchive(bytes, { name: 'bird-1.0.tgz', keeps: () => true, limits });
const readText = async (bytes: Uint8Array): Promise<[string, string][]> =>
  (await read(bytes)).map((file) => [file.path, Buffer.from(file.bytes).toString()]);

const FILES: [string, string][] = [
  ['package/README.md', '# Bird'],
  ['package/docs/a.md', 'a'.repeat(2_000)],
];
const PLAIN = tarOf(FILES.map(([path, data]) => ({ path, data })));

describe('readArchive', () => {
  test('reads tar, tar.gz and zip alike', async () => {
    assert.deepEqual(await readText(PLAIN), FILES);
    assert.deepEqual(await readText(gzipSync(PLAIN)), FILES);
    assert.deepEqual(await readText(zipOf(Object.fromEntries(FILES))), FILES);
  });

  test('keeps only the files that are chosen, and none beyond the size of a file', async () => {
    const some = await readArchive(PLAIN, { name: 'bird', keeps: (path) => path.endsWith('README.md') });
    assert.deepEqual(
      some.map(({ path }) => path),
      ['package/README.md'],
    );
    const small = await read(PLAIN, { fileBytesMax: 1_000 });
    assert.equal(small.length, 1);
  });

  test('passes over links within the archive', async () => {
    const linked = tarOf([
      { path: 'package/a.md', data: 'x' },
      { path: 'package/docs/b.md', type: 'SymbolicLink', link: '../a.md' },
      { path: 'package/docs/c.md', type: 'Link', link: 'package/a.md' },
    ]);
    assert.deepEqual(await readText(linked), [['package/a.md', 'x']]);
  });

  const refusals: [string, () => Uint8Array, RegExp, object?][] = [
    [
      'a path that climbs',
      () => tarOf([{ path: 'a/../../etc/passwd' }]),
      /the path "a\/..\/..\/etc\/passwd" leaves/,
    ],
    [
      'a path that climbs in a zip',
      () => zipOf({ '../up.md': 'x' }),
      /the path "..\/up.md" leaves the archive/,
    ],
    ['an absolute path in a zip', () => zipOf({ '/etc/passwd': 'x' }), /the path "\/etc\/passwd" leaves/],
    ['a drive', () => zipOf({ 'C:\\up.md': 'x' }), /leaves the archive/],
    ['backslashes that climb', () => zipOf({ 'a\\..\\..\\up.md': 'x' }), /leaves the archive/],
    [
      'control characters',
      () => zipOf({ 'a\u001b[2J.md': 'x' }),
      /the name "a\\u001b\[2J.md" has control characters/,
    ],
    ['a text direction', () => zipOf({ 'a\u202edm.md': 'x' }), /has control characters/],
    [
      'a symbolic link that leaves',
      () => tarOf([{ path: 'package/a', type: 'SymbolicLink', link: '../../etc' }]),
      /the link "package\/a" points out/,
    ],
    [
      'an absolute link',
      () => tarOf([{ path: 'package/a', type: 'SymbolicLink', link: '/etc/passwd' }]),
      /points out/,
    ],
    ['a hard link that leaves', () => tarOf([{ path: 'p/a', type: 'Link', link: '../etc' }]), /points out/],
    ['a long path', () => zipOf({ [`${'a'.repeat(600)}.md`]: 'x' }), /is longer than 500 characters/],
    ['a deep path', () => zipOf({ [`${'a/'.repeat(60)}b.md`]: 'x' }), /more than 40 folders deep/],
    [
      'too many files',
      () => tarOf(Array.from({ length: 12 }, (_, at) => ({ path: `f${at}` }))),
      /has more than 10 files/,
      { filesMax: 10 },
    ],
    [
      '100,000 files in a zip',
      () => {
        const bytes = Buffer.from(zipOf({ a: 'x' }));
        bytes.writeUInt16LE(60_000, bytes.length - 12);
        return bytes;
      },
      /has more than 50000 files/,
    ],
    [
      'a bomb',
      () => gzipSync(tarOf([{ path: 'a.md', data: 'x'.repeat(3 << 20) }])),
      /unpacks to more than 2 MB/,
      { unpackedBytesMax: 2 << 20 },
    ],
    [
      'a bomb in a zip',
      () => zipOf({ 'a.md': 'x'.repeat(3 << 20) }),
      /damaged|unpacks to more/,
      { unpackedBytesMax: 2 << 20 },
    ],
    ['an archive that is packed twice', () => gzipSync(gzipSync(PLAIN)), /packed twice/],
    [
      'an archive beyond its size',
      () => Buffer.alloc(3 << 20),
      /is larger than 2 MB/,
      { packedBytesMax: 2 << 20 },
    ],
    ['a damaged archive', () => gzipSync(PLAIN).subarray(0, 60), /is damaged/],
    ['a damaged zip', () => zipOf({ 'a.md': 'x' }).subarray(0, 40), /is damaged/],
    ['files that together are too large to keep', () => PLAIN, /more than 0 MB/, { keptBytesMax: 100 }],
  ];
  for (const [name, make, message, limits] of refusals) {
    test(`refuses ${name}, and says so`, async () => {
      await assert.rejects(read(make(), limits), (error) => {
        assert.ok(error instanceof ArchiveRefused);
        assert.match(error.message, message);
        assert.match(error.message, /^bird-1\.0\.tgz /);
        return true;
      });
    });
  }
});
