import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { IndexedPage, LocalIndex } from '../../../index/local-index-types.ts';
import type { Forget } from '../../../index/upkeep/forget.ts';
import type { GuardedFetch } from '../../../platform/net/fetch-types.ts';
import type { Store } from '../../../platform/store/open-store.ts';
import { waitForTimer } from '../../visit/visit-all.ts';
import { createMemorySource, requestWithRetries } from '../bytes/remote-bytes.ts';
import type { Collection } from '../collections/read-collection.ts';
import type { FileFormat } from '../formats/json-lines.ts';
import { PARQUET } from '../formats/parquet/parquet.ts';
import { createImportPages, type ImportProgress, type ImportSummary } from '../import-pages.ts';
import {
  computeSha256,
  InvalidPack,
  isPublicUrl,
  nameShard,
  PACK_BYTES_MAX,
  PACK_FILE,
  type PackManifest,
  type PackShard,
  verifyManifest,
  verifyShard,
} from './open-pack.ts';

/** A pack that this server follows. `sha256`: the hash of the manifest of the version that it holds; null: it holds none yet. */
export type Subscription = {
  name: string;
  title: string;
  licence: string;
  /** The URL of the pack's folder, or its path. */
  address: string;
  /** The publisher's public key; a pack signed by another is refused. */
  key: string;
  version: number;
  sha256: string | null;
};

type UpdateRequest = {
  subscription: Subscription;
  signal: AbortSignal;
  onProgress?: ((progress: ImportProgress) => void) | undefined;
};

/** `kept`: pages that the index holds in a newer state, or as documentation of a library. */
type UpdateSummary = ImportSummary & { subscription: Subscription; removed: number; kept: number };

/** Subscriptions to open packs. All calls throw `InvalidPack` when a pack does not hold what it promises. */
export type Packs = {
  list(): Promise<Subscription[]>;
  /** Reads and checks the manifest, and stores the subscription; its pages come with the first update. */
  subscribe(request: { address: string; key: string | null; signal: AbortSignal }): Promise<Subscription>;
  /** Imports what is new since the held version and forgets what was removed. An interrupted update resumes. */
  update(request: UpdateRequest): Promise<UpdateSummary>;
  /** Ends a subscription; its pages stay. Resolves to false if there was none. */
  unsubscribe(name: string): Promise<boolean>;
};

type PacksDeps = Omit<Parameters<typeof createImportPages>[0], 'index' | 'openCollection'> & {
  index: Pick<LocalIndex, 'get' | 'put'>;
  forget: Forget;
  fetch: GuardedFetch;
};

export function createPacks(deps: PacksDeps): Packs {
  const { store } = deps;
  return {
    list: () => listSubscriptions(store),
    async subscribe({ address, key, signal }) {
      const folder = address.replace(/\/(?:pack\.json)?$/, '');
      const { manifest } = await readManifest(deps, { address: folder, key, signal });
      const { name, title, licence } = manifest;
      const held = (await listSubscriptions(store)).find((one) => one.name === name);
      if (held !== undefined && (held.address !== folder || held.key !== manifest.key))
        throw new InvalidPack(
          `a pack ${name} is already followed from ${held.address}; end that subscription first (sanderling packs unsubscribe ${name})`,
        );
      const subscription = {
        name,
        title,
        licence,
        address: folder,
        key: manifest.key,
        version: 0,
        sha256: null,
      };
      return held ?? (await saveSubscription(deps, subscription));
    },
    async update({ subscription, signal, onProgress }) {
      const { manifest, sha256 } = await readManifest(deps, { ...subscription, signal });
      checkSuccession(subscription, manifest, sha256);
      const summary = await importShards(deps, { subscription, manifest, signal, onProgress });
      if (summary.ended !== 'complete') return { ...summary, subscription, removed: 0 };
      const removed = await forgetRemoved(deps, subscription, manifest);
      const { title, licence, version } = manifest;
      const updated = { ...subscription, title, licence, version, sha256 };
      return { ...summary, removed, subscription: await saveSubscription(deps, updated) };
    },
    async unsubscribe(name) {
      const { numDeletedRows } = await store
        .deleteFrom('import_state')
        .where('id', '=', toRowId(name))
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

/** Subscriptions are kept beside the progress of imports. */
const ROW_PREFIX = 'pack:';
const toRowId = (name: string): string => `${ROW_PREFIX}${name}`;

async function listSubscriptions(store: Store): Promise<Subscription[]> {
  const rows = await store
    .selectFrom('import_state')
    .select('state')
    .where('id', 'like', `${ROW_PREFIX}%`)
    .orderBy('id')
    .execute();
  // Written by `saveSubscription`.
  return rows.map(({ state }) => JSON.parse(state) as Subscription);
}

async function saveSubscription(
  { store, clock }: PacksDeps,
  subscription: Subscription,
): Promise<Subscription> {
  const values = { state: JSON.stringify(subscription), updated_at: clock.now() };
  await store
    .insertInto('import_state')
    .values({ id: toRowId(subscription.name), ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
  return subscription;
}

type ReadDeps = Pick<PacksDeps, 'fetch' | 'pause'>;
type ReadFrom = { address: string; signal: AbortSignal };

async function readManifest(
  deps: ReadDeps,
  { key, ...from }: ReadFrom & { key: string | null },
): Promise<{ manifest: PackManifest; sha256: string }> {
  const bytes = await readPackFile(deps, { ...from, name: PACK_FILE, bytesMax: PACK_BYTES_MAX });
  return { manifest: verifyManifest(bytes, key), sha256: computeSha256(bytes) };
}

/** Reads a file of a pack, from the web or from a folder. */
async function readPackFile(
  { fetch, pause = waitForTimer }: ReadDeps,
  { address, name, bytesMax, signal }: ReadFrom & { name: string; bytesMax: number },
): Promise<Uint8Array<ArrayBuffer>> {
  if (/^https?:\/\//i.test(address)) {
    const { body } = await requestWithRetries(
      { url: `${address}/${name}`, bytesMax },
      { fetch, pause, signal },
    );
    return body;
  }
  const path = join(address, name);
  const { size } = await stat(path).catch((cause: Error) => {
    throw new InvalidPack(`there is no ${path}`, { cause });
  });
  if (size > bytesMax) throw new InvalidPack(`${path} has ${size} bytes, more than ${bytesMax}`);
  return new Uint8Array(await readFile(path));
}

/** Checks that a manifest continues the held version, so that nobody can serve an older one again. */
function checkSuccession(held: Subscription, { name, version }: PackManifest, sha256: string): void {
  if (name !== held.name)
    throw new InvalidPack(`${held.address} now holds the pack ${name} instead of ${held.name}`);
  if (version < held.version)
    throw new InvalidPack(
      `version ${version} of ${name} is older than version ${held.version}, which is held`,
    );
  if (version === held.version && sha256 !== held.sha256)
    throw new InvalidPack(`${name} has another version ${version} than the one that is held`);
}

type ImportRun = UpdateRequest & { manifest: PackManifest };

async function importShards(
  deps: PacksDeps,
  { subscription, manifest, signal, onProgress }: ImportRun,
): Promise<ImportSummary & { kept: number }> {
  const shards = manifest.shards.filter(({ version }) => version > subscription.version);
  const collection = createCollection(deps, { ...subscription, shards, signal });
  let kept = 0;
  const index = {
    async put(pages: IndexedPage[]): Promise<void> {
      const accepted: IndexedPage[] = [];
      for (const page of pages)
        if (isReplaceable(await deps.index.get(page.url), page, subscription)) accepted.push(page);
      kept += pages.length - accepted.length;
      await deps.index.put(accepted);
    },
  };
  const importPages = createImportPages({ ...deps, index, openCollection: async () => collection });
  const path = `${ROW_PREFIX}${subscription.name}@${manifest.version}`;
  const summary = await importPages({
    path,
    baseUrl: null,
    options: { columns: COLUMNS },
    signal,
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  return { ...summary, pages: summary.pages - kept, kept };
}

/** A page of the pack replaces an older one, and any of the pack itself, but never the documentation of a library. */
const isReplaceable = (held: IndexedPage | null, page: IndexedPage, { name }: Subscription): boolean =>
  held === null ||
  (held.library === undefined && (held.fetchedAt <= page.fetchedAt || isFromPack(held, name)));

const isFromPack = ({ origin }: IndexedPage, name: string): boolean =>
  origin !== undefined &&
  (origin.source === nameSource(name) || origin.source.startsWith(`${nameSource(name)}: `));

const nameSource = (name: string): string => `pack ${name}`;

/** The columns of a shard, as `publish-pack.ts` writes them. */
const COLUMNS = {
  url: ['url'],
  title: ['title'],
  text: ['markdown'],
  date: ['published'],
  fetched: ['fetched_at'],
  language: ['language'],
  site: ['site'],
  author: ['author'],
  source: ['source'],
  licence: ['licence'],
};

function createCollection(
  deps: ReadDeps,
  { name, address, shards, signal }: Subscription & { shards: PackShard[]; signal: AbortSignal },
): Collection {
  const format = createShardFormat(name);
  return {
    name,
    bytesTotal: shards.reduce((sum, { bytes }) => sum + bytes, 0),
    origin: null,
    async *files(from) {
      const first = from === null ? 0 : shards.findIndex((shard) => nameShard(shard) === from);
      for (const shard of shards.slice(Math.max(0, first))) {
        const file = nameShard(shard);
        yield {
          name: file,
          stamp: shard.sha256,
          size: shard.bytes,
          url: file,
          format,
          async open() {
            const bytes = await readPackFile(deps, { address, name: file, bytesMax: shard.bytes, signal });
            verifyShard(bytes, shard);
            return createMemorySource(file, bytes);
          },
        };
      }
    },
  };
}

/** Reads shards as tables, and marks their pages with the pack that they come from. */
function createShardFormat(name: string): FileFormat {
  return {
    ...PARQUET,
    keepsCopies: true,
    async *read(source, context) {
      for await (const record of PARQUET.read(source, context)) {
        if (!('page' in record)) yield record;
        else if (isPublicUrl(record.page.url)) yield { ...record, page: addPackOrigin(record.page, name) };
        else {
          const { after, position, page } = record;
          yield { after, position, where: page.url, problem: 'is no address of the public network' };
        }
      }
    },
  };
}

function addPackOrigin<Page extends { origin?: IndexedPage['origin'] }>(page: Page, name: string): Page {
  const { source = '', licence = null } = page.origin ?? {};
  return {
    ...page,
    origin: { source: source === '' ? nameSource(name) : `${nameSource(name)}: ${source}`, licence },
  };
}

/** Forgets the pages that the pack has removed since the held version, unless the index has them from elsewhere. */
async function forgetRemoved(
  { index, forget }: PacksDeps,
  { name, version }: Subscription,
  { removals }: PackManifest,
): Promise<number> {
  let removed = 0;
  for (const removal of removals) {
    if (removal.version <= version) continue;
    const held = await index.get(removal.url);
    if (held === null || !isFromPack(held, name)) continue;
    removed += (await forget({ url: removal.url })).pages;
  }
  return removed;
}
