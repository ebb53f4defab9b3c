import type { DatabaseSync } from 'node:sqlite';
import { URL_CHARS_MAX } from '../contract/limits.ts';
import type { Article } from '../pages/article.ts';
import { hasSecret } from '../pages/privacy/secret-in-address.ts';
import type { PageMetadata } from './local-index-types.ts';

/*
 * page_metadata  metadata that a page declares, beyond the columns of `page`; no row if it declares none. Pages that an
 *                earlier version wrote have no row until they are written again.
 *
 * The table is additional to the layout of index-schema.ts, as page_life is.
 */
export const METADATA_SCHEMA = `
create table if not exists page_metadata (
  page_id integer primary key references page (id) on delete cascade,
  modified_day text,
  canonical_url text,
  image text,
  favicon text
) strict;
`;

/** Adds the columns of `page_metadata` to a query of `page`. */
export const JOIN_METADATA = 'left join page_metadata on page_metadata.page_id = page.id';

/** Returns whether the file has the table; files of earlier versions lack it. */
export function hasMetadata(database: DatabaseSync): boolean {
  return database.prepare("select 1 from sqlite_schema where name = 'page_metadata'").get() !== undefined;
}

/**
 * Pure: extracts the metadata that an article declares, for the index, which files it under `url`; null if there is none. Leaves out
 * addresses that are not http(s), are too long, or contain a secret.
 */
export function extractMetadata(
  {
    modified,
    canonicalUrl,
    image,
    favicon,
  }: Pick<Article, 'modified' | 'canonicalUrl' | 'image' | 'favicon'>,
  url: string,
): PageMetadata | null {
  const declared = {
    modifiedDay: modified?.day ?? null,
    canonicalUrl: canonicalUrl === url ? null : toPublicAddress(canonicalUrl),
    image: toPublicAddress(image),
    favicon: toPublicAddress(favicon),
  };
  return Object.values(declared).some((value) => value !== null) ? declared : null;
}

/** Reads the metadata from a row with the columns of `page_metadata`; null if there is none. */
export function readMetadata(row: Record<string, unknown>): PageMetadata | null {
  const readText = (name: string): string | null => (typeof row[name] === 'string' ? row[name] : null);
  const declared = {
    modifiedDay: readText('modified_day'),
    canonicalUrl: readText('canonical_url'),
    image: readText('image'),
    favicon: readText('favicon'),
  };
  return Object.values(declared).some((value) => value !== null) ? declared : null;
}

/** Writes the rows of `page_metadata`; the returned function returns the number of characters written. */
export function createMetadataWriter(
  database: DatabaseSync,
): (id: number | bigint, declared: PageMetadata | undefined) => number {
  const insert = database.prepare('insert or replace into page_metadata values (?, ?, ?, ?, ?)');
  return (id, declared) => {
    if (declared === undefined) return 0;
    const values = [declared.modifiedDay, declared.canonicalUrl, declared.image, declared.favicon];
    insert.run(id, ...values);
    return values.reduce((chars, value) => chars + (value?.length ?? 0), 0);
  };
}

function toPublicAddress(address: string | null | undefined): string | null {
  if (address === null || address === undefined || address.length > URL_CHARS_MAX) return null;
  const protocol = URL.parse(address)?.protocol;
  return (protocol === 'http:' || protocol === 'https:') && !hasSecret(address) ? address : null;
}
