import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { packedTarOf, tarOf } from '../../../test/fixtures/tar.ts';
import { createFetchFailure } from '../../contract/errors.ts';
import { ArchiveRefused } from '../archives/archive-limits.ts';
import type { Release } from '../registries/registry-types.ts';
import { collectDocuments } from './collect-documents.ts';
import { isSameLine, resolveVersionedSite } from './documentation-site.ts';

const PACKAGE = 'https://npm.example.org/wader.tgz';
const TEXT = 'The wader runs along the edge of the waves all day long, and eats what they leave behind.';
const RELEASE: Release = {
  ecosystem: 'npm',
  name: 'wader',
  version: '2.1.0',
  licence: 'MIT',
  homepage: null,
  repository: null,
  repositoryFolder: null,
  documentation: null,
  archives: [{ kind: 'package', url: PACKAGE, authorization: null }],
  description: { text: TEXT, contentType: 'text/markdown' },
  isPrivate: false,
};

/** Collects where each address answers with these bytes, an error, or 404. */
function collect(release: Release, answers: Record<string, Buffer | Error>, asked: string[] = []) {
  return collectDocuments(release, {
    signal: new AbortController().signal,
    resolve: async () => ({ ...RELEASE, version: '2.9.0' }),
    makeReference: null,
    readSite: async (url) => [{ url, markdown: `# Site\n\n${TEXT}` }],
    requests: {
      isNamed: () => false,
      async get({ url }) {
        asked.push(url);
        const answer = answers[url];
        if (answer instanceof Error) throw answer;
        return answer === undefined
          ? { status: 404, headers: {}, body: Buffer.alloc(0) }
          : { status: 200, headers: {}, body: answer };
      },
    },
  });
}

describe('collectDocuments', () => {
  test('a package that is too large to download leaves the description, and is noted', async () => {
    const failure = createFetchFailure('too_large', 'the body is larger than 128 MB');
    const tooLarge = new Error('npm.example.org: the body is larger than 128 MB', { cause: failure });
    const { documents, notes } = await collect(RELEASE, { [PACKAGE]: tooLarge });
    assert.deepEqual(
      documents.map(({ url }) => url),
      ['https://unpkg.com/wader@2.1.0/README'],
    );
    assert.deepEqual(notes, ['package: npm.example.org: the body is larger than 128 MB']);
  });

  test('what is left out of a source is noted', async () => {
    const files: Record<string, string> = {};
    for (let at = 0; at <= 3_000; at += 1) files[`package/docs/page-${at}.md`] = TEXT;
    files['package/examples/large.js'] = '// a line of code\n'.repeat(3_000);
    const { documents, notes } = await collect(RELEASE, { [PACKAGE]: packedTarOf(files) });
    assert.equal(documents.length, 3_000);
    assert.ok(notes.includes('the first 3000 of 3002 documents are held'), notes.join('\n'));
    assert.ok(
      notes.some((note) => note.startsWith('1 example files are left out')),
      notes.join('\n'),
    );
  });

  test('pages of a list beyond the bound are noted', async () => {
    const documentation = 'https://wader.example.org/2.1.0/';
    const links = Array.from({ length: 401 }, (_, at) => `- [p](${documentation}p${at}.md)`).join('\n');
    const answers: Record<string, Buffer> = {
      [PACKAGE]: packedTarOf({ 'package/README.md': TEXT }),
      [`${documentation}llms.txt`]: Buffer.from(links),
      [`${documentation}p0.md`]: Buffer.from(TEXT),
    };
    const { notes } = await collect({ ...RELEASE, documentation }, answers);
    assert.ok(notes.includes('the first 400 of 401 Markdown pages are read'), notes.join('\n'));
  });

  test('a package that is refused or absent fails the library', async () => {
    const hostile = gzipSync(tarOf([{ path: '../evil.md', data: TEXT }]));
    await assert.rejects(collect(RELEASE, { [PACKAGE]: hostile }), ArchiveRefused);
    await assert.rejects(collect(RELEASE, {}), /npm\.example\.org does not have the package/);
  });

  test('a hostile archive of the repository is noted, and the package counts', async () => {
    const release = { ...RELEASE, repository: 'https://github.com/birds/wader' };
    const { documents, notes } = await collect(release, {
      [PACKAGE]: packedTarOf({ 'package/README.md': TEXT }),
      'https://codeload.github.com/birds/wader/tar.gz/refs/tags/v2.1.0': gzipSync(
        tarOf([{ path: 'wader-2.1.0/docs/a\u0007.md', data: TEXT }]),
      ),
    });
    assert.deepEqual([documents.length, documents[0]?.source], [1, 'package']);
    assert.match(notes.join(), /repository: .* has control characters/);
  });

  test('tags are tried in the order in which projects use them', async () => {
    const asked: string[] = [];
    const release = { ...RELEASE, repository: 'https://github.com/birds/wader' };
    await collect(release, { [PACKAGE]: packedTarOf({ 'package/README.md': TEXT }) }, asked);
    const tags = asked.flatMap((url) => /refs\/tags\/(.*)$/.exec(url)?.[1] ?? []);
    assert.deepEqual(tags.slice(0, 4), ['v2.1.0', '2.1.0', 'wader%402.1.0', 'wader-v2.1.0']);
  });

  test('a site is read only where its address names the version and nothing better was found', async () => {
    const files = { 'package/README.md': TEXT };
    const release = { ...RELEASE, documentation: 'https://docs.example.org/v2.1/' };
    const { documents } = await collect(release, { [PACKAGE]: packedTarOf(files) });
    assert.deepEqual(
      documents.map(({ source }) => source),
      ['package', 'site'],
    );
    const moving = { ...RELEASE, documentation: 'https://docs.example.org/' };
    assert.equal((await collect(moving, { [PACKAGE]: packedTarOf(files) })).documents.length, 1);
  });
});

test('addresses that name a version, and those of Read the Docs', () => {
  const cases: [string, string, string | null][] = [
    ['https://docs.example.org/en/5.1/', '5.1.4', 'https://docs.example.org/en/5.1/'],
    ['https://docs.example.org/v5/guide/', '5.1.4', 'https://docs.example.org/v5/guide/'],
    ['https://docs.example.org/4.2/', '5.1.4', null],
    ['https://wader.readthedocs.io/en/latest/', '5.1.4', 'https://wader.readthedocs.io/en/5.1.4/'],
    ['https://wader.readthedocs.io/', '5.1.4', 'https://wader.readthedocs.io/en/5.1.4/'],
    ['https://docs.example.org/', '5.1.4', null],
  ];
  for (const [address, version, expected] of cases)
    assert.equal(resolveVersionedSite(address, version), expected);
});

test('documentation holds within a major version, below 1 within a minor one', () => {
  assert.deepEqual(
    [
      isSameLine('2.9.0', '2.1.0'),
      isSameLine('3.0.0', '2.1.0'),
      isSameLine('0.2.1', '0.2.0'),
      isSameLine('0.3.0', '0.2.0'),
    ],
    [true, false, true, false],
  );
});
