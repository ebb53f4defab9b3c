import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Article } from '../../src/pages/article.ts';
import { buildPlainArticle } from '../../src/pages/formats/plain-article.ts';
import { openVersionStore, type VersionStore } from '../../src/platform/store/versions/open-version-store.ts';
import { createRecords, type Records } from '../../src/versions/records.ts';
import { createVersions, type PageVersion, type Versions } from '../../src/versions/versions.ts';
import { describeOnStores } from '../fixtures/postgres.ts';

const HOUR = 3_600_000;
const PLENTY_BYTES = 1_000_000_000;

/** A page of many paragraphs, so that a version which shares nearly all of them takes little space. */
const textOf = (word: string): string =>
  Array.from(
    { length: 60 },
    (_, at) => `Paragraph ${at} of ${(at * 7_919) % 1_009} says ${at === 30 ? word : 'so'}.`,
  ).join('\n\n');
const articleOf = (url: string, markdown: string): Article =>
  buildPlainArticle(url, { kind: 'markdown', title: 'A page', markdown, rawChars: markdown.length });

await describeOnStores('versions of pages', (databaseUrl) => {
  let store: VersionStore;
  let versions: Versions;
  let folder: string;
  let pages = 0;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sanderling-versions-'));
    store = await openVersionStore({ dataDir: folder, databaseUrl });
    versions = createVersions({ store, bytesMax: PLENTY_BYTES });
  });
  after(async () => {
    await versions.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The address of a page that no other test uses. */
  const newUrl = (): string => {
    pages += 1;
    return `https://example.org/page-${pages}`;
  };
  const visit = async (url: string, markdown: string, at: number, owner?: string): Promise<PageVersion> => {
    const given = owner === undefined ? {} : { owner };
    return (await versions.record({ url, article: articleOf(url, markdown), at, ...given })).version;
  };
  const readAll = async (url: string, by: Versions = versions): Promise<(string | null)[]> =>
    Promise.all((await by.list(url, { limit: 100 })).map((version) => by.readText(version)));

  test('another text is another version; the same text is seen again', async () => {
    const url = newUrl();
    const first = await versions.record({ url, article: articleOf(url, 'One.'), at: HOUR });
    assert.deepEqual([first.isNew, first.previous], [true, null]);
    const again = await versions.record({ url, article: articleOf(url, 'One.'), at: 2 * HOUR });
    assert.deepEqual([again.isNew, again.version.visits, again.version.lastSeenAt], [false, 2, 2 * HOUR]);
    const next = await versions.record({ url, article: articleOf(url, 'Two.'), at: 3 * HOUR });
    assert.deepEqual([next.isNew, next.version.number, next.previous?.id], [true, 2, first.version.id]);
    assert.deepEqual(
      (await versions.list(url, { limit: 9 })).map(({ number, firstSeenAt, visits }) => [
        number,
        firstSeenAt,
        visits,
      ]),
      [
        [2, 3 * HOUR, 1],
        [1, HOUR, 2],
      ],
    );
  });

  test('spellings of an address are one page; a visit that is repeated or late counts once', async () => {
    const url = newUrl();
    await visit(url, 'One.', 2 * HOUR);
    const { version } = await versions.record({
      url: `${url}/?utm_source=x`,
      article: articleOf(url, 'One.'),
      at: 2 * HOUR,
    });
    assert.equal(version.visits, 1);
    await visit(url, 'Older text.', HOUR);
    assert.deepEqual(await readAll(url), ['One.']);
  });

  test('the version in force at an instant', async () => {
    const url = newUrl();
    await visit(url, 'One.', HOUR);
    await visit(url, 'Two.', 3 * HOUR);
    const readAt = async (at: number): Promise<string | null> => {
      const found = await versions.findAt(url, at, {});
      return found && versions.readText(found);
    };
    assert.deepEqual(await Promise.all([0, HOUR, 2 * HOUR, 3 * HOUR, 9 * HOUR].map(readAt)), [
      'One.',
      'One.',
      'One.',
      'Two.',
      'Two.',
    ]);
    assert.equal(await versions.findAt(newUrl(), HOUR, {}), null);
  });

  test('many versions that share most of their text are read back, in the space of few', async () => {
    const url = newUrl();
    const before = await versions.count();
    const texts = Array.from({ length: 40 }, (_, at) => textOf(`word${at}`));
    for (const [at, text] of texts.entries()) await visit(url, text, (at + 1) * HOUR);
    assert.deepEqual(await readAll(url), texts.toReversed());
    const added = (await versions.count()).bytes - before.bytes;
    const alone = (await versions.count()).versions - before.versions;
    assert.equal(alone, 40);
    const whole = texts.reduce((sum, text) => sum + text.length, 0);
    assert.ok(added * 30 < whole, `${added} bytes for ${whole} characters`);
  });

  test('a page that is gone, and back', async () => {
    const url = newUrl();
    await versions.recordGone({ url, at: HOUR });
    assert.deepEqual(await versions.list(url, { limit: 9 }), []);
    await visit(url, 'One.', 2 * HOUR);
    await versions.recordGone({ url, at: 3 * HOUR });
    await versions.recordGone({ url, at: 4 * HOUR });
    await visit(url, 'One.', 5 * HOUR);
    assert.deepEqual(
      (await versions.list(url, { limit: 9 })).map(({ status, title }) => [status, title]),
      [
        ['present', 'A page'],
        ['gone', 'A page'],
        ['present', 'A page'],
      ],
    );
  });

  test('versions of an owner are seen by nobody else', async () => {
    const url = newUrl();
    const own = await visit(url, 'Mine.', HOUR, 'key one');
    assert.deepEqual(await versions.list(url, { limit: 9 }), []);
    assert.deepEqual(await versions.list(url, { limit: 9, owner: 'key two' }), []);
    assert.equal((await versions.list(url, { limit: 9, owner: 'key one' })).length, 1);
    assert.equal(await versions.find(own.id, { owner: 'key two' }), null);
    assert.equal((await versions.find(own.id, { owner: 'key one' }))?.id, own.id);
    assert.equal(await versions.findByHash(url, own.contentHash, {}), null);
    assert.equal(await versions.findAt(url, HOUR, { owner: 'key two' }), null);
  });

  test('texts of visits that all found something new, for what changes at each of them', async () => {
    const url = newUrl();
    await visit(url, 'Zero.', HOUR);
    await visit(url, 'Zero.', 2 * HOUR);
    for (const [at, text] of ['One.', 'Two.', 'Three.'].entries()) await visit(url, text, (at + 3) * HOUR);
    const [newest] = await versions.list(url, { limit: 1 });
    assert.ok(newest);
    assert.deepEqual(await versions.readEarlierVisits(newest), ['One.', 'Two.']);
    await visit(url, 'Three.', 9 * HOUR);
    const [unchanged] = await versions.list(url, { limit: 1 });
    assert.deepEqual(unchanged && (await versions.readEarlierVisits(unchanged)), []);
  });

  test('what each owner saw last, under each tag', async () => {
    const name = { url: newUrl(), owner: 'key one', tag: '' };
    assert.equal(await versions.findMark(name), null);
    const mark = { versionId: 1, contentHash: 'sha256:a', seenAt: HOUR };
    await versions.setMark(name, mark);
    await versions.setMark(name, { ...mark, seenAt: 2 * HOUR });
    assert.deepEqual(await versions.findMark(name), { ...mark, seenAt: 2 * HOUR });
    assert.equal(await versions.findMark({ ...name, tag: 'daily' }), null);
    assert.equal(await versions.findMark({ ...name, owner: 'key two' }), null);
  });

  test('forgetting a page, by any of its addresses, removes its versions of all owners', async () => {
    const [url, other] = [newUrl(), newUrl()];
    const readFrom = 'https://moved.example/here';
    await versions.record({ url, article: articleOf(readFrom, 'One.'), at: HOUR });
    await versions.record({ url, article: articleOf(readFrom, 'Mine.'), at: HOUR, owner: 'key one' });
    await versions.setMark({ url, owner: 'key one', tag: '' }, { versionId: 1, contentHash: '', seenAt: 1 });
    await visit(other, 'Stays.', HOUR);
    assert.equal(await versions.forget((address) => address === readFrom), 2);
    assert.deepEqual(await versions.list(url, { limit: 9, owner: 'key one' }), []);
    assert.equal(await versions.findMark({ url, owner: 'key one', tag: '' }), null);
    assert.deepEqual(await readAll(other), ['Stays.']);
  });

  test('beyond the bound the least cited and oldest leave, and the rest is still read', async () => {
    const url = newUrl();
    const texts = Array.from({ length: 40 }, (_, at) => textOf(`word${at}`));
    await versions.forget(() => true);
    const article = articleOf(url, texts[0] ?? '');
    const { version: cited } = await versions.record({ url, article, at: HOUR, isCited: true });
    const small = createVersions({ store, bytesMax: (await versions.count()).bytes * 3 });
    for (const [at, text] of texts.entries()) {
      if (at === 0) continue;
      await small.record({ url, article: articleOf(url, text), at: (at + 1) * HOUR });
    }
    const left = await small.list(url, { limit: 100 });
    assert.ok(left.length < 40 && left.length > 2, String(left.length));
    assert.equal(left.at(-1)?.id, cited.id);
    const kept = left.map(({ number }) => texts[number - 1]);
    assert.deepEqual(await readAll(url, small), kept);
    assert.equal(left[0]?.number, 40);
  });

  test('a record leaves as a whole, after the versions that no record needs', async () => {
    await versions.forget(() => true);
    const clock = { now: () => 5 * HOUR };
    const openRecords = (bytesMax: number) => createRecords({ store, versions, bytesMax, clock });
    const url = newUrl();
    const article = articleOf(url, textOf('recorded'));
    const made = { operation: 'contents', request: { urls: [url] }, answer: { results: [{ url }] } };
    const keep = (records: Records, owner = 'key one') =>
      records.keep({ owner, ...made, reads: [{ url, article, at: HOUR }] });
    const all = openRecords(PLENTY_BYTES);
    const first = await keep(all);
    const found = await all.find(first);
    assert.deepEqual([found?.title, found?.pages.length, found?.forgotten], [url, 1, 0]);
    assert.equal(await all.find({ owner: 'key two', id: first.id }), null);
    const page = found?.pages[0];
    assert.ok(page !== undefined);
    const readKept = async (name: typeof first): Promise<string | null> => {
      const version = await all.findPage(name, page);
      return version && versions.readText(version);
    };
    assert.equal(await readKept(first), article.markdown);
    assert.deepEqual(await versions.list(url, { limit: 9, owner: 'key one' }), []);
    for (const at of [1, 2, 3]) await visit(newUrl(), `${textOf(`other ${at}`)}${'x'.repeat(at)}`, at * HOUR);
    const held = await versions.count();
    await keep(openRecords(Math.floor(held.bytes * 0.75)), 'key two');
    assert.equal(await readKept(first), article.markdown);
    assert.equal((await versions.count()).versions, 2, 'only the texts of the two records are left');
    const small = openRecords(1);
    await keep(small, 'key three');
    assert.deepEqual(await all.list(null, 9), []);
    assert.equal((await versions.count()).versions, 0);
  });

  test('a record forgets a page, and deleting it deletes its texts', async () => {
    const records = createRecords({ store, versions, bytesMax: PLENTY_BYTES, clock: { now: () => HOUR } });
    const [kept, gone] = [newUrl(), newUrl()];
    const reads = [kept, gone].map((url) => ({ url, article: articleOf(url, `Text of ${url}.`), at: HOUR }));
    const name = await records.keep({
      owner: 'key one',
      operation: 'answer',
      request: { query: 'what' },
      answer: { answer: `As ${gone} says.`, citations: [{ url: kept }, { url: gone }], requestId: 'req_1' },
      reads,
    });
    const isMeant = (address: string): boolean => address === gone;
    assert.equal(await records.forget(isMeant), 1);
    assert.equal(await versions.forget(isMeant), 1);
    assert.equal(await records.forget(isMeant), 0);
    const left = await records.find(name);
    assert.deepEqual([left?.forgotten, left?.answer], [1, { citations: [{ url: kept }] }]);
    assert.deepEqual(
      left?.pages.map(({ url }) => url),
      [kept],
    );
    assert.equal(await records.remove(name), true);
    assert.equal(await records.remove(name), false);
    assert.equal((await versions.count()).versions, 0);
  });

  test('of processes that see a change at once, one adds the version', async () => {
    const url = newUrl();
    await visit(url, textOf('one'), HOUR);
    const others = Array.from({ length: 6 }, () => createVersions({ store, bytesMax: PLENTY_BYTES }));
    const seen = await Promise.all(
      others.map((by) => by.record({ url, article: articleOf(url, textOf('two')), at: 2 * HOUR })),
    );
    assert.equal(seen.filter(({ isNew }) => isNew).length, 1);
    assert.deepEqual(await readAll(url), [textOf('two'), textOf('one')]);
  });

  test('a text that is damaged is missing, not wrong', async () => {
    const url = newUrl();
    const version = await visit(url, textOf('one'), HOUR);
    const body = await store.db
      .selectFrom('page_version')
      .select('body')
      .where('id', '=', version.id)
      .executeTakeFirstOrThrow();
    const flipped = Uint8Array.from(body.body);
    flipped[flipped.length - 9] = (flipped[flipped.length - 9] ?? 0) ^ 1;
    await store.db
      .updateTable('page_version')
      .set({ body: Buffer.from(flipped) })
      .where('id', '=', version.id)
      .execute();
    assert.equal(await versions.readText(version), null);
  });
});
