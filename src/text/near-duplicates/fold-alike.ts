import type { Fused } from '../../recall/fusion/fuse.ts';
import { wordsOf } from '../words/words.ts';
import { type Likeness, likenessOf, nearlyAlike } from './near-alike.ts';

/** One text at two addresses is one result: of pages, best first, the better stays and gains the sources of the other. */
export function foldAlike(pages: readonly Fused[]): Fused[] {
  const kept: { page: Fused; likeness: Likeness }[] = [];
  for (const page of pages) {
    const likeness = likenessOf(wordsOf(page.title, null), wordsOf(page.snippet, null));
    const twin = kept.find((one) => nearlyAlike(one.likeness, likeness));
    if (twin === undefined) kept.push({ page: { ...page }, likeness });
    else twin.page.sources = [...new Set([...twin.page.sources, ...page.sources])].sort();
  }
  return kept.map(({ page }) => page);
}
