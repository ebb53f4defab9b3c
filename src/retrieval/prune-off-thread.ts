import type { PageText } from './prune/page-parts.ts';
import type { ContentsWanted, PageParts } from './search.ts';

/** The wanted parts of pages, in their order, computed off the event loop. Throws `Failure('overloaded')` when too many wait. */
export type PruneOffThread = (
  pages: PageText[],
  task: { wanted: ContentsWanted; query: string | null },
  signal: AbortSignal,
) => Promise<PageParts[]>;
