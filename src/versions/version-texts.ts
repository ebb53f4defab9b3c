import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { PageVersionTable, VersionQueries } from '../platform/store/versions/open-version-store.ts';

/**
 * The texts of versions. The newest text of a page is compressed alone, an earlier one against the text that followed it, so that what
 * is read most costs least and the oldest version can go without touching another. Every few versions one is compressed alone, which
 * bounds how many must be read for one text.
 */
const WHOLE_EVERY = 16;
const CHAIN_MAX = 4 * WHOLE_EVERY;
const CHECKED = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

type StoredText = Pick<PageVersionTable, 'base_id' | 'body'> & { id: number };

/** Compresses a text, against another that it shares most of if there is one. */
export function packText(text: string, base: string | null = null): Buffer {
  const dictionary = base === null || base === '' ? {} : { dictionary: Buffer.from(base) };
  return zstdCompressSync(Buffer.from(text), { ...CHECKED, ...dictionary });
}

/** Whether a version keeps its whole text when another follows it. */
export const keepsWhole = (number: number): boolean => number % WHOLE_EVERY === 0;

/** Reads the text of a version. Returns null if the version, or one that its text is compressed against, is missing or damaged. */
export async function readVersionText(db: VersionQueries, id: number): Promise<string | null> {
  const chain: StoredText[] = [];
  for (let next: number | null = id; next !== null; ) {
    if (chain.length === CHAIN_MAX) return null;
    const row: StoredText | undefined = await db
      .selectFrom('page_version')
      .select(['id', 'base_id', 'body'])
      .where('id', '=', next)
      .executeTakeFirst();
    if (row === undefined) return null;
    chain.push(row);
    next = row.base_id;
  }
  let text: string | null = null;
  for (const row of chain.reverse()) {
    const dictionary: { dictionary?: Buffer } =
      text === null || text === '' ? {} : { dictionary: Buffer.from(text) };
    try {
      text = zstdDecompressSync(row.body, dictionary).toString();
    } catch {
      // A damaged text is missing; the versions that do not need it are not.
      return null;
    }
  }
  return text;
}
