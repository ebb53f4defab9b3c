import type { DatabaseSync } from 'node:sqlite';
import { URL_CHARS_MAX } from '../contract/limits.ts';
import type { Article } from '../pages/article.ts';
import { hasSecret } from '../pages/sharing/secret-in-address.ts';
import type { PageMetadata } from './local-index-types.ts';

/*
 * page_metadata  what a page declares of itself beside the columns of `page`; no row if it declares nothing. Pages that an
 *                earlier version wrote have none until they are written again.
 *
 * Beside the layout of index-schema.ts, as page_life is.
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

/** Whether the file has the table; that of an earlier version has not. */
export function hasMetadata(database: DatabaseSync): boolean {
  return database.prepare("select 1 from sqlite_schema where name = 'page_metadata'").get() !== undefined;
}

/**
 * Pure: what an article declares of itself, for the index, which files it under `url`; null if nothing. Addresses that are not http(s),
 * too long, or hold a secret are left out.
 */
export function metadataDeclared(
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
    canonicalUrl: canonicalUrl === url ? null : sharedAddress(canonicalUrl),
    image: sharedAddress(image),
    favicon: sharedAddress(favicon),
  };
  return Object.values(declared).some((value) => value !== null) ? declared : null;
}

/** What a row with the columns of `page_metadata` says; null if nothing. */
export function metadataOf(row: Record<string, unknown>): PageMetadata | null {
  const text = (name: string): string | null => (typeof row[name] === 'string' ? row[name] : null);
  const declared = {
    modifiedDay: text('modified_day'),
    canonicalUrl: text('canonical_url'),
    image: text('image'),
    favicon: text('favicon'),
  };
  return Object.values(declared).some((value) => value !== null) ? declared : null;
}

/** Writes the rows of `page_metadata`; the returned function says how many characters it wrote. */
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

function sharedAddress(address: string | null | undefined): string | null {
  if (address === null || address === undefined || address.length > URL_CHARS_MAX) return null;
  const protocol = URL.parse(address)?.protocol;
  return (protocol === 'http:' || protocol === 'https:') && !hasSecret(address) ? address : null;
}
