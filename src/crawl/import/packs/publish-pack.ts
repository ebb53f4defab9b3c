import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IndexedPage, LocalIndex, PageSelector } from '../../../index/local-index-types.ts';
import type { Clock } from '../../../platform/clock.ts';
import {
  computeSha256,
  InvalidPack,
  isPublicUrl,
  nameShard,
  PACK_FILE,
  type PackManifest,
  type PackShard,
  REMOVALS_MAX,
  readPackKey,
  signManifest,
  verifyManifest,
} from './open-pack.ts';

const PAGES_AT_ONCE = 50;
/** A shard is written when it has so many pages or characters; a page has at most 5 MB. */
const SHARD_PAGES = 10_000;
const SHARD_CHARS = 24_000_000;
/** Older shards are kept until fewer than this share of their rows is still valid; then all pages are written anew. */
const LIVE_SHARE_MIN = 0.5;

const ROBOTS =
  'Pages that forbid indexing or storing by robots.txt, a robots tag or a header are not in the pack.';

type PublishRequest = {
  folder: string;
  /** The signing key, in PEM. */
  key: string;
  /** Absent: as before. A new pack needs a name and a licence; its title is its name unless there is one. */
  name?: string | undefined;
  title?: string | undefined;
  licence?: string | undefined;
  /** The pages to publish; null: all. */
  selectors: readonly PageSelector[] | null;
};

/** `pages`: pages in the pack; `changed`: those that this version brings. */
type PublishSummary = {
  manifest: PackManifest;
  pages: number;
  changed: number;
  removed: number;
  withheld: number;
};

type PublishDeps = { index: Pick<LocalIndex, 'pages'>; clock: Clock };

/**
 * Writes the next version of a pack: a shard of the new and changed pages, and the removal of those that the index no longer holds. Pages
 * of private networks and of libraries are withheld. When nothing has changed, nothing is written. Throws `InvalidPack` when the folder
 * holds a pack of another key, or one that is damaged.
 */
export async function publishPack(request: PublishRequest, deps: PublishDeps): Promise<PublishSummary> {
  const { folder } = request;
  const { privateKey, publicKey } = readPackKey(request.key);
  await mkdir(folder, { recursive: true });
  const before = await readOwnManifest(folder, publicKey);
  const described = describePack(request, before);
  const held = before === null ? new Map<string, string>() : await readHashes(folder, before);
  const version = (before?.version ?? 0) + 1;
  const gone = new Set(held.keys());
  const present = new Set<string>();
  const counts = { withheld: 0, changed: 0 };
  const shards: PackShard[] = [];
  let batch = createBatch();
  const isRewritten = isMostlyStale(before, held.size);
  const flush = async (): Promise<void> => {
    if (batch.pages.length > 0) shards.push(await writeShard(folder, batch.pages, { version, described }));
    batch = createBatch();
  };
  for await (const page of iteratePages(deps.index, request.selectors)) {
    if (present.has(page.url)) continue;
    if (page.library !== undefined || !isPublicUrl(page.url)) {
      counts.withheld += 1;
      continue;
    }
    present.add(page.url);
    gone.delete(page.url);
    const isChanged = held.get(page.url) !== hashPage(page);
    if (isChanged) counts.changed += 1;
    else if (!isRewritten) continue;
    batch.pages.push(page);
    batch.chars += page.markdown.length;
    if (batch.pages.length >= SHARD_PAGES || batch.chars >= SHARD_CHARS) await flush();
  }
  await flush();
  const summary = { pages: present.size, ...counts, removed: gone.size };
  if (before !== null && counts.changed + gone.size === 0 && !isRewritten && isDescribedAs(before, described))
    return { manifest: before, ...summary };
  const removals = [
    ...(before?.removals ?? []).filter(({ url }) => !present.has(url)),
    ...[...gone].sort().map((url) => ({ url, version })),
  ];
  if (removals.length > REMOVALS_MAX)
    throw new InvalidPack(
      `more than ${REMOVALS_MAX} pages are removed from the pack; publish a new one, in another folder`,
    );
  const manifest: PackManifest = {
    format: 'sanderling-pack/1',
    ...described,
    robots: ROBOTS,
    key: publicKey,
    version,
    published: new Date(deps.clock.now()).toISOString(),
    shards: [...(isRewritten ? [] : (before?.shards ?? [])), ...shards],
    removals,
  };
  await writeWhole(join(folder, PACK_FILE), signManifest(manifest, privateKey));
  await dropUnlistedShards(folder, manifest);
  return { manifest, ...summary };
}

const createBatch = (): { pages: IndexedPage[]; chars: number } => ({ pages: [], chars: 0 });

async function readOwnManifest(folder: string, publicKey: string): Promise<PackManifest | null> {
  const path = join(folder, PACK_FILE);
  return existsSync(path) ? verifyManifest(await readFile(path), publicKey) : null;
}

type PackDescription = Pick<PackManifest, 'name' | 'title' | 'licence'>;

function describePack(request: PublishRequest, before: PackManifest | null): PackDescription {
  const { name = before?.name, licence = before?.licence } = request;
  if (name === undefined) throw new InvalidPack('a new pack needs a name, such as --name debian-docs');
  if (licence === undefined)
    throw new InvalidPack('a new pack needs the licence of its pages, such as --licence "CC BY-SA 4.0"');
  if (before !== null && name !== before.name)
    throw new InvalidPack(`the folder holds the pack ${before.name}; publish ${name} in another folder`);
  return { name, title: request.title ?? before?.title ?? name, licence };
}

const isDescribedAs = (before: PackManifest, { title, licence }: PackDescription): boolean =>
  before.title === title && before.licence === licence;

const isMostlyStale = (before: PackManifest | null, live: number): boolean =>
  before !== null && live < LIVE_SHARE_MIN * before.shards.reduce((sum, { pages }) => sum + pages, 0);

/** Reads the hash of each page in the published pack, from its newest row. */
async function readHashes(folder: string, { shards, removals }: PackManifest): Promise<Map<string, string>> {
  const { asyncBufferFromFile, parquetReadObjects } = await import('hyparquet');
  const hashes = new Map<string, string>();
  for (const shard of shards) {
    const file = await asyncBufferFromFile(join(folder, nameShard(shard))).catch((cause: Error) => {
      throw new InvalidPack(`${nameShard(shard)} is missing from the folder`, { cause });
    });
    const rows = await parquetReadObjects({ file, columns: ['url', 'hash'] });
    for (const { url, hash } of rows as { url: string; hash: string }[]) hashes.set(url, hash);
  }
  for (const { url } of removals) hashes.delete(url);
  return hashes;
}

async function* iteratePages(
  index: Pick<LocalIndex, 'pages'>,
  selectors: readonly PageSelector[] | null,
): AsyncGenerator<IndexedPage> {
  for (const selector of selectors ?? [null]) {
    let after: string | null = null;
    do {
      const pages: IndexedPage[] = await index.pages({ selector, after, limit: PAGES_AT_ONCE });
      yield* pages;
      after = pages.at(-1)?.url ?? null;
    } while (after !== null);
  }
}

/** Hashes what subscribers would see change; the time of fetching alone is no change. */
const hashPage = ({
  url,
  title,
  markdown,
  publishedDay,
  language,
  site,
  author,
  origin,
}: IndexedPage): string =>
  computeSha256(
    JSON.stringify([
      url,
      title,
      markdown,
      publishedDay,
      language,
      site,
      author,
      origin?.source,
      origin?.licence,
    ]),
  ).slice(0, 32);

async function writeShard(
  folder: string,
  pages: readonly IndexedPage[],
  { version, described }: { version: number; described: PackDescription },
): Promise<PackShard> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const buildColumn = (name: string, read: (page: IndexedPage) => string | null) => ({
    name,
    type: 'STRING' as const,
    data: pages.map(read),
  });
  const bytes = new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        buildColumn('url', ({ url }) => url),
        buildColumn('title', ({ title }) => title),
        buildColumn('markdown', ({ markdown }) => markdown),
        buildColumn('published', ({ publishedDay }) => publishedDay),
        buildColumn('fetched_at', ({ fetchedAt }) => new Date(fetchedAt).toISOString()),
        buildColumn('language', ({ language }) => language),
        buildColumn('site', ({ site }) => site),
        buildColumn('author', ({ author }) => author),
        buildColumn('source', ({ origin }) => origin?.source ?? null),
        buildColumn('licence', ({ origin }) => origin?.licence ?? described.licence),
        buildColumn('hash', hashPage),
      ],
    }),
  );
  const shard = { sha256: computeSha256(bytes), bytes: bytes.length, pages: pages.length, version };
  await writeWhole(join(folder, nameShard(shard)), bytes);
  return shard;
}

/** Writes a file that readers see as a whole or not at all. */
async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${path}.part`, content);
  await rename(`${path}.part`, path);
}

async function dropUnlistedShards(folder: string, { shards }: PackManifest): Promise<void> {
  const listed = new Set(shards.map(nameShard));
  for (const name of await readdir(folder))
    if (/^pages-[0-9a-f]{64}\.parquet(?:\.part)?$/.test(name) && !listed.has(name))
      await rm(join(folder, name));
}
