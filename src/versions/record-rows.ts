import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { releasePages } from '../platform/store/remove-rows.ts';
import type { VersionQueries, VersionStore } from '../platform/store/versions/open-version-store.ts';
import { toSamePageKey } from '../text/urls/url-spelling.ts';

/** A page that was read for a record. Its text is a version that belongs to the record. */
export type RecordedPage = {
  /** The address that was asked for, the one that the page was read at, and the one that it declares. */
  url: string;
  readFrom: string;
  declared: string;
  title: string;
  /** Milliseconds since the epoch. */
  readAt: number;
  contentHash: string;
  chars: number;
};

/** What a record says besides the texts of its pages. */
export type RecordBody = {
  request: Record<string, unknown>;
  answer: Record<string, unknown>;
  pages: RecordedPage[];
};

/** Names one record of one owner. */
export type RecordName = { owner: string; id: string };

/** The owner of the texts of a record, which no caller is. */
export const toTextOwner = ({ owner, id }: RecordName): string => `record ${id} of ${owner}`;

export function packBody(body: RecordBody): Buffer {
  return zstdCompressSync(JSON.stringify(body));
}

export function unpackBody(body: Uint8Array): RecordBody {
  return JSON.parse(zstdDecompressSync(body).toString());
}

/** Deletes a record with its texts. Resolves to false if there is none. */
export async function removeRecord(store: VersionStore, name: RecordName): Promise<boolean> {
  const isRemoved = await store.transaction(async (tx) => {
    const row = await selectRecord(tx, name).select('body').executeTakeFirst();
    if (row === undefined) return false;
    const keys = unpackBody(row.body).pages.map(({ url }) => toSamePageKey(url));
    if (keys.length > 0)
      await tx
        .deleteFrom('page_version')
        .where('page_key', 'in', keys)
        .where('owner', '=', toTextOwner(name))
        .execute();
    await tx
      .deleteFrom('research_record')
      .where('owner', '=', name.owner)
      .where('id', '=', name.id)
      .execute();
    return true;
  });
  if (isRemoved && store.dialect === 'sqlite') await releasePages(store.db);
  return isRemoved;
}

/** Deletes the oldest record of all owners. Resolves to false if there is none. */
export async function removeOldestRecord(store: VersionStore): Promise<boolean> {
  const oldest = await store.db
    .selectFrom('research_record')
    .select(['owner', 'id'])
    .orderBy('made_at')
    .limit(1)
    .executeTakeFirst();
  return oldest !== undefined && removeRecord(store, oldest);
}

export function selectRecord(db: VersionQueries, { owner, id }: RecordName) {
  return db.selectFrom('research_record').where('owner', '=', owner).where('id', '=', id);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
