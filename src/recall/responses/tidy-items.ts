import { Failure } from '../../contract/errors.ts';
import { URL_CHARS_MAX } from '../../contract/limits.ts';
import { createAddressPolicy } from '../../platform/net/address.ts';
import { judgeUrl } from '../../platform/net/network.ts';
import type { SourceItem } from '../source.ts';

/** Results taken from one answer, and entries read to find them. */
export const ITEMS_MAX = 100;
export const ENTRIES_MAX = 1_000;
export const TITLE_CHARS_MAX = 300;
export const SNIPPET_CHARS_MAX = 500;

/** Only public addresses are taken from a source; which pages may be opened is decided when they are opened. */
const PUBLIC = createAddressPolicy({ allowPrivate: [], ownAddresses: () => [] });

/**
 * Entries of an answer -> results: each address once, http(s), textually public, without credentials; others are dropped.
 * `read` returns null for an entry that is not a result. Null if no entry has an address and a title: the answer then has an
 * unexpected shape.
 */
export function tidyItems<Entry>(
  entries: readonly Entry[],
  read: (entry: Entry) => SourceItem | null,
): SourceItem[] | null {
  const found = new Map<string, SourceItem>();
  let readable = 0;
  for (const entry of entries.slice(0, ENTRIES_MAX)) {
    const item = read(entry);
    if (item === null || item.url === '' || item.title === '') continue;
    readable += 1;
    const url = parsePublicUrl(item.url);
    if (url !== null && !found.has(url)) found.set(url, { ...item, url });
    if (found.size >= ITEMS_MAX) break;
  }
  return readable === 0 && entries.length > 0 ? null : [...found.values()];
}

function parsePublicUrl(text: string): string | null {
  if (text.length > URL_CHARS_MAX) return null;
  try {
    return judgeUrl(text.trim(), PUBLIC).href;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
