import { Failure } from '../../contract/errors.ts';
import { URL_CHARS_MAX } from '../../contract/limits.ts';
import { addressPolicy } from '../../platform/net/address.ts';
import { judgeUrl } from '../../platform/net/network.ts';
import type { SourceItem } from '../source.ts';

/** Results taken from one answer, and entries looked at to find them. */
export const ITEMS_MAX = 100;
export const ENTRIES_MAX = 1_000;
export const TITLE_CHARS_MAX = 300;
export const SNIPPET_CHARS_MAX = 500;

/** A source names public pages only; whoever may open more is settled where pages are opened. */
const PUBLIC = addressPolicy({ allowPrivate: [], ownAddresses: () => [] });

/**
 * Entries of an answer -> results: each address once, http(s), public by its text, without credentials; the rest is
 * dropped. `read` gives null for an entry that is no result. Null when there are entries and none has an address and a
 * title: then the answer is not what it should be.
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
    const url = publicUrl(item.url);
    if (url !== null && !found.has(url)) found.set(url, { ...item, url });
    if (found.size >= ITEMS_MAX) break;
  }
  return readable === 0 && entries.length > 0 ? null : [...found.values()];
}

function publicUrl(text: string): string | null {
  if (text.length > URL_CHARS_MAX) return null;
  try {
    return judgeUrl(text.trim(), PUBLIC).href;
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
