import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describeError } from '../../src/cli/failure-messages.ts';
import {
  computeSha256,
  generatePackKey,
  nameShard,
  PACK_FILE,
  type PackManifest,
  readPackKey,
  signManifest,
  verifyManifest,
} from '../../src/crawl/import/packs/open-pack.ts';
import { publishPack } from '../../src/crawl/import/packs/publish-pack.ts';
import { createPacks, type Packs } from '../../src/crawl/import/packs/update-pack.ts';
import type { IndexedPage } from '../../src/index/local-index-types.ts';
import { type RealServed, serveReal } from '../harness.ts';

const { signal } = new AbortController();
const key = generatePackKey();
const { privateKey, publicKey } = readPackKey(key);
const NAMED = { name: 'birds', title: 'Birds of the shore', licence: 'CC BY 4.0' };

const url = (name: string): string => `https://birds.example.org/${name}`;
const buildPage = (name: string, text: string, more: Partial<IndexedPage> = {}): IndexedPage => ({
  url: url(name),
  title: `About the ${name}`,
  headings: [],
  markdown: `# About the ${name}\n\n${text}`,
  publishedDay: '2026-02-03',
  language: 'en',
  site: null,
  author: null,
  rawChars: 100,
  fetchedAt: Date.parse('2026-03-01T00:00:00Z'),
  ...more,
});

const openPacks = ({ services }: RealServed): Packs =>
  createPacks({
    store: services.store,
    index: services.index,
    clock: services.clock,
    fetch: services.network.fetch,
    extract: services.pages.extract,
    forget: services.operations.forget,
    folder: resolve(services.config.dataDir, 'import-state'),
    pause: async () => {},
  });

/** Serves the files of a folder; counts the requests for each. */
async function serveFolder(folder: string): Promise<{ server: Server; base: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    asked.push(name);
    if (readdirSync(folder).includes(name)) response.end(readFileSync(join(folder, name)));
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { server, asked, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('open packs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sanderling-pack-'));
  let publisher: RealServed;
  let reader: RealServed;
  let web: Awaited<ReturnType<typeof serveFolder>>;
  before(async () => {
    publisher = await serveReal();
    reader = await serveReal({ FETCH_ALLOW_PRIVATE: '127.0.0.0/8' });
    web = await serveFolder(folder);
  });
  after(async () => {
    await publisher.close();
    await reader.close();
    web.server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const publish = (more: object = {}) =>
    publishPack({ folder, key, selectors: null, ...NAMED, ...more }, publisher.services);
  const followed = async () => {
    const [subscription] = await openPacks(reader).list();
    assert.ok(subscription !== undefined);
    return subscription;
  };
  const update = async () => openPacks(reader).update({ subscription: await followed(), signal });
  const hold = (name: string): Promise<IndexedPage | null> => reader.services.index.get(url(name));

  test('a pack is published, and a second server that follows it finds its pages', async () => {
    await publisher.services.index.put([
      buildPage('sanderling', 'It runs along the edge of the waves.'),
      buildPage('knot', 'It winters on mudflats.', { origin: { source: 'A field guide', licence: 'CC0' } }),
      buildPage('intranet', 'Wages of the wardens.', { url: 'http://10.0.0.1/wages' }),
    ]);
    const { manifest, pages, withheld } = await publish();
    assert.deepEqual([manifest.version, pages, withheld], [1, 2, 1]);

    await openPacks(reader).subscribe({ address: `${web.base}/`, key: publicKey, signal });
    const summary = await update();
    assert.deepEqual([summary.pages, summary.failed, summary.ended], [2, 0, 'complete']);
    const { json } = await reader.post('/v1/search', { query: 'which bird winters on mudflats' });
    assert.equal(json.results[0].url, url('knot'));
    const knot = await hold('knot');
    assert.deepEqual(knot?.origin, { source: 'pack birds: A field guide', licence: 'CC0' });
    assert.deepEqual(
      [knot?.publishedDay, knot?.fetchedAt],
      ['2026-02-03', Date.parse('2026-03-01T00:00:00Z')],
    );
    assert.deepEqual((await hold('sanderling'))?.origin, { source: 'pack birds', licence: 'CC BY 4.0' });
  });

  test('an update brings what is new and changed alone, and forgets what was removed', async () => {
    await publisher.services.index.put([
      buildPage('sanderling', 'It runs along the edge of the waves, and breeds in the far north.'),
      buildPage('turnstone', 'It turns stones over.'),
    ]);
    await publisher.services.index.remove([url('knot')]);
    const { manifest, changed, removed } = await publish({ licence: undefined, name: undefined });
    assert.deepEqual([manifest.version, changed, removed], [2, 2, 1]);
    assert.deepEqual(
      manifest.shards.map(({ pages, version }) => [pages, version]),
      [
        [2, 1],
        [2, 2],
      ],
    );
    web.asked.length = 0;
    const summary = await update();
    assert.deepEqual([summary.pages, summary.removed], [2, 1]);
    assert.deepEqual(web.asked, [PACK_FILE, nameShard(manifest.shards[1] ?? { sha256: '' })]);
    assert.equal(await hold('knot'), null);
    assert.match((await hold('sanderling'))?.markdown ?? '', /far north/);
  });

  test('nothing new is nothing to write and nothing to read', async () => {
    const before = readFileSync(join(folder, PACK_FILE), 'utf8');
    await publish();
    assert.equal(readFileSync(join(folder, PACK_FILE), 'utf8'), before);
    web.asked.length = 0;
    const summary = await update();
    assert.deepEqual([summary.pages, web.asked], [0, [PACK_FILE]]);
  });

  test('a page that was read since stays as it is, and is not forgotten with the pack', async () => {
    const fresh = buildPage('turnstone', 'Read by this server itself.', {
      fetchedAt: Date.parse('2026-06-01'),
    });
    await reader.services.index.put([fresh]);
    await publisher.services.index.put([buildPage('turnstone', 'It turns stones and shells over.')]);
    await publish();
    assert.equal((await update()).kept, 1);
    assert.match((await hold('turnstone'))?.markdown ?? '', /this server itself/);
    await publisher.services.index.remove([url('turnstone')]);
    await publish();
    assert.equal((await update()).removed, 0);
    assert.ok(await hold('turnstone'));
  });

  test('a pack of mostly replaced pages is written anew, and older subscribers end with the same pages', async () => {
    let { manifest } = await publish();
    for (const text of ['A first change.', 'A second change.', 'A third change.']) {
      await publisher.services.index.put([buildPage('sanderling', text)]);
      ({ manifest } = await publish());
    }
    assert.deepEqual(
      manifest.shards.map(({ pages, version }) => [pages, version]),
      [[1, manifest.version]],
    );
    assert.equal(readdirSync(folder).length, 2);
    await update();
    assert.match((await hold('sanderling'))?.markdown ?? '', /third change/);
  });

  test('a folder is followed like a URL, which a machine without a network needs', async () => {
    const other = await serveReal();
    try {
      const packs = openPacks(other);
      const subscription = await packs.subscribe({ address: folder, key: null, signal });
      assert.equal((await packs.update({ subscription, signal })).pages, 1);
      assert.equal(await packs.unsubscribe('birds'), true);
      assert.equal(await packs.unsubscribe('birds'), false);
      assert.deepEqual(await packs.list(), []);
    } finally {
      await other.close();
    }
  });

  describe('that does not hold what it promises is refused by name', () => {
    let at: string;
    let other: RealServed;
    const edit = (path: string, change: (text: string) => string): void =>
      writeFileSync(path, change(readFileSync(path, 'utf8')));
    const inManifest = (change: (text: string) => string) => (): void =>
      edit(join(at, PACK_FILE), (text) => {
        const envelope = JSON.parse(text);
        const payload = Buffer.from(envelope.payload, 'base64').toString();
        return JSON.stringify({ ...envelope, payload: Buffer.from(change(payload)).toString('base64') });
      });
    /** Signs a changed manifest with the right key, as a publisher whose own program is wrong or hostile would. */
    const signedAnew = (change: (manifest: PackManifest) => void) => (): void => {
      const manifest = verifyManifest(readFileSync(join(at, PACK_FILE)), null);
      change(manifest);
      writeFileSync(join(at, PACK_FILE), signAnything(manifest));
    };
    const signAnything = (manifest: unknown): string => {
      const payload = Buffer.from(JSON.stringify(manifest));
      const type = 'application/vnd.sanderling.pack+json';
      const message = Buffer.concat([
        Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `),
        payload,
      ]);
      const sig = sign(null, message, privateKey).toString('base64');
      return JSON.stringify({
        payloadType: type,
        payload: payload.toString('base64'),
        signatures: [{ sig }],
      });
    };
    const shardPath = (): string => join(at, readdirSync(at).find((name) => name.endsWith('.parquet')) ?? '');
    before(async () => {
      other = await serveReal();
    });
    after(() => other.close());

    const CASES: [what: string, change: () => void, message: RegExp][] = [
      [
        'a changed title',
        inManifest((text) => text.replace('shore', 'store')),
        /signature of pack\.json does not match/,
      ],
      ['a changed hash', inManifest((text) => text.replace(/[0-9a-f]{64}/, 'a'.repeat(64))), /signature/],
      [
        'a shard left out',
        inManifest((text) => text.replace(/"shards":\[[^\]]*\]/, '"shards":[]')),
        /signature/,
      ],
      [
        'a removal left out',
        inManifest((text) => text.replace(/"removals":\[[^\]]*\]/, '"removals":[]')),
        /signature/,
      ],
      ['a changed licence', inManifest((text) => text.replace('CC BY', 'CC NC')), /signature/],
      [
        'a signature of another text',
        () => edit(join(at, PACK_FILE), (text) => text.replace(/"sig":"..../, '"sig":"AAAA')),
        /signature/,
      ],
      [
        'no signature',
        () => edit(join(at, PACK_FILE), (text) => text.replace(/"signatures":\[.*?\]/, '"signatures":[]')),
        /no signed envelope: signatures/,
      ],
      [
        'another key',
        () => {
          const stranger = generateKeyPairSync('ed25519').privateKey;
          const manifest = verifyManifest(readFileSync(join(at, PACK_FILE)), null);
          const pem = stranger.export({ type: 'pkcs8', format: 'pem' }) as string;
          const own = { ...manifest, key: readPackKey(pem).publicKey };
          writeFileSync(join(at, PACK_FILE), signManifest(own, stranger));
        },
        /signed by another key/,
      ],
      ['no JSON', () => writeFileSync(join(at, PACK_FILE), 'pack'), /is not JSON/],
      ['no manifest at all', () => rmSync(join(at, PACK_FILE)), /there is no .*pack\.json/],
      [
        'an unknown format',
        signedAnew((one) => Object.assign(one, { format: 'sanderling-pack/9' })),
        /format: /,
      ],
      [
        'an unknown field',
        signedAnew((one) => Object.assign(one, { onImport: 'run' })),
        /Unrecognized key: "onImport"/,
      ],
      ['a name with a path', signedAnew((one) => Object.assign(one, { name: '../birds' })), /name: must be/],
      [
        'another name',
        signedAnew((one) => Object.assign(one, { name: 'fish' })),
        /holds the pack fish instead of birds/,
      ],
      [
        'an older version',
        signedAnew((one) => Object.assign(one, { version: 1, shards: [], removals: [] })),
        /version 1 of birds is older/,
      ],
      [
        'a second text of the same version',
        signedAnew((one) => Object.assign(one, { title: 'Fish' })),
        /another version \d+ than the one/,
      ],
      [
        'a shard of a later version',
        signedAnew((one) => Object.assign(one.shards[0] ?? {}, { version: one.version + 1 })),
        /comes after its own/,
      ],
      ['a shard twice', signedAnew((one) => one.shards.push(...one.shards)), /lists a shard twice/],
      [
        'a removal that is no web address',
        signedAnew((one) => one.removals.push({ url: 'file:///etc/passwd', version: 1 })),
        /removals\./,
      ],
      [
        'a hash that names another file',
        signedAnew((one) => Object.assign(one.shards[0] ?? {}, { sha256: '../../../../etc/passwd' })),
        /sha256: must be a SHA-256 hash/,
      ],
      ['a missing shard', () => rmSync(shardPath()), /there is no .*pages-/],
      ['a shard with a byte more', () => edit(shardPath(), (text) => `${text}x`), /bytes/],
      [
        'a shard with one byte changed',
        () => {
          const bytes = readFileSync(shardPath());
          bytes[100] = (bytes[100] ?? 0) ^ 1;
          writeFileSync(shardPath(), bytes);
        },
        /content of pages-[0-9a-f]{64}\.parquet does not match its hash/,
      ],
    ];
    for (const [what, change, message] of CASES)
      test(what, async () => {
        at = mkdtempSync(join(tmpdir(), 'sanderling-tampered-'));
        cpSync(folder, at, { recursive: true });
        try {
          const packs = openPacks(other);
          const { name } = NAMED;
          await packs.unsubscribe(name);
          const first = await packs.subscribe({ address: folder, key: publicKey, signal });
          const subscription = { ...first, address: at };
          const held = /version|removal|text of the same/.test(what)
            ? {
                ...subscription,
                version: readVersion(folder),
                sha256: computeSha256(readFileSync(join(folder, PACK_FILE))),
              }
            : subscription;
          change();
          await assert.rejects(packs.update({ subscription: held, signal }), (error) => {
            assert.match(describeError(error), message);
            assert.doesNotMatch(describeError(error), /\n/);
            return true;
          });
          assert.equal((await other.services.index.size()).pages, 0);
        } finally {
          rmSync(at, { recursive: true, force: true });
        }
      });

    test('pages of private networks in a signed shard', async () => {
      at = mkdtempSync(join(tmpdir(), 'sanderling-tampered-'));
      const urls = [
        'http://localhost/a',
        'http://169.254.169.254/meta',
        'ftp://birds.example.org/',
        url('ringed-plover'),
      ];
      const columns = [
        'url',
        'title',
        'markdown',
        'published',
        'fetched_at',
        'language',
        'site',
        'author',
        'source',
        'licence',
        'hash',
      ];
      const bytes = new Uint8Array(
        parquetWriteBuffer({
          columnData: columns.map((name) => ({
            name,
            type: 'STRING' as const,
            data: urls.map((one) =>
              name === 'url' ? one : name === 'markdown' ? 'A text about plovers.' : null,
            ),
          })),
        }),
      );
      const shard = { sha256: computeSha256(bytes), bytes: bytes.length, pages: urls.length, version: 1 };
      writeFileSync(join(at, nameShard(shard)), bytes);
      const manifest = verifyManifest(readFileSync(join(folder, PACK_FILE)), null);
      writeFileSync(
        join(at, PACK_FILE),
        signManifest({ ...manifest, name: 'plovers', version: 1, shards: [shard], removals: [] }, privateKey),
      );
      const packs = openPacks(other);
      const subscription = await packs.subscribe({ address: at, key: publicKey, signal });
      const { pages, failed } = await packs.update({ subscription, signal });
      assert.deepEqual([pages, failed], [1, 3]);
      rmSync(at, { recursive: true, force: true });
    });
  });
});

const readVersion = (folder: string): number =>
  verifyManifest(readFileSync(join(folder, PACK_FILE)), null).version;
