import { type ContentsWanted, type PageParts, type PageText, pageParts } from './page-parts.ts';

export type PruneTask = { page: PageText; wanted: ContentsWanted; query: string | null };

/** What a pruning thread does: the wanted parts of one page. */
export function pruneTask({ page, wanted, query }: PruneTask): PageParts {
  return pageParts(page, wanted, query);
}
