/**
 * The tables of libraries, of their pages, and of the projects and keys that they are for. This file compares them with the index, which
 * evicts pages of its own accord when it reaches its bound; the rows then promise what is gone.
 */
import type { LocalIndex } from '../../index/local-index-types.ts';
import type { Store } from '../../platform/store/open-store.ts';

/** Addresses that one step lists. */
const LISTED_MAX = 5_000;

type HeldParts = { store: Store; index: Pick<LocalIndex, 'list' | 'rebuilding'> };

/** Counts the pages of each library that have left the index; libraries that lack none are left out, and all during a rebuild. */
export async function countEvicted({ store, index }: HeldParts): Promise<Map<number, number>> {
  if (index.rebuilding() !== null) return new Map();
  const rows = await store
    .selectFrom('library_page')
    .innerJoin('library', 'library.id', 'library_page.library_id')
    .select(['library_id', 'page_url'])
    .where('library.state', '=', 'held')
    .execute();
  const evicted = new Map<number, number>();
  for (const [id, pages] of Map.groupBy(rows, (row) => row.library_id)) {
    const addresses = new Set(pages.map(({ page_url }) => page_url));
    const present = await listPresent(index, addresses);
    if (present.size < addresses.size) evicted.set(id, addresses.size - present.size);
  }
  return evicted;
}

/** Lists by the folders that addresses have in common, which are few: reading each page would take its text from the disk. */
async function listPresent(
  index: Pick<LocalIndex, 'list'>,
  addresses: ReadonlySet<string>,
): Promise<Set<string>> {
  const present = new Set<string>();
  const groups = Map.groupBy(addresses, (address) => address.split('/', 5).join('/'));
  for (const group of groups.values()) {
    const [first = '', last = ''] = [group.toSorted().at(0), group.toSorted().at(-1)];
    const prefix = findCommonPrefix(first, last);
    for (let after: string | null = null; ; ) {
      const listed = await index.list({ selector: { prefix }, after, limit: LISTED_MAX });
      for (const { url } of listed) if (addresses.has(url)) present.add(url);
      after = listed.at(-1)?.url ?? null;
      if (listed.length < LISTED_MAX) break;
    }
  }
  return present;
}

function findCommonPrefix(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}
