import { crc32 } from 'node:zlib';
import { NO_ADDRESS, siteOf } from './pages.ts';

/** Sets of which only half is fitted; the other half measures what new pages can expect. */
const HALVED = new Set(['older_articles', 'cleaneval_final']);

/** The site of a page; its id where the set names no address. */
export function siteOrId({ id, url }: { id: string; url: string }): string {
  return url === NO_ADDRESS ? id : siteOf(url);
}

/**
 * Whether a page may be used for fitting. Of halved sets those whose site has an even CRC-32 (of its UTF-8 bytes) may; the others
 * never are, in no training and for no constant.
 */
export function isFitted(set: string, page: { id: string; url: string }): boolean {
  return !HALVED.has(set) || crc32(siteOrId(page)) % 2 === 0;
}

/** The part of a set that the beginning of an id names. */
export const partOf = (id: string): string => id.split(/[-_]/)[0] ?? '';
