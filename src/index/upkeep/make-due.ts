import type { HeldPage, LocalIndex, PageSelector } from '../local-index-types.ts';

/** Pages that are made due at once. */
const DUE_MAX = 10_000;
const SLICE = 500;

/** Makes the selected pages due for a visit, before all others; resolves to how many there are, at most DUE_MAX. */
export async function makeDue(
  index: Pick<LocalIndex, 'list' | 'postpone'>,
  selector: PageSelector,
): Promise<number> {
  let count = 0;
  let after: string | null = null;
  while (count < DUE_MAX) {
    const limit = Math.min(SLICE, DUE_MAX - count);
    const pages: HeldPage[] = await index.list({ selector, after, limit });
    const last = pages.at(-1);
    if (last === undefined) break;
    const urls = pages.map(({ url }) => url);
    await index.postpone(urls, 0);
    count += pages.length;
    after = last.url;
  }
  return count;
}
