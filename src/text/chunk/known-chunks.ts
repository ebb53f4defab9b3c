import type { Chunk } from './chunk-markdown.ts';
import { chunkMarkdown } from './chunk-markdown.ts';

/** Maximum characters of the pages whose chunks a thread caches; what is read from the chunks takes about as much again. */
const CHARS_MAX = 3_000_000;
/** Longer pages are not cached: they would evict too many others. */
const PAGE_CHARS_MAX = 500_000;

/** Chunks by the page's Markdown, the most recently used page last. */
const known = new Map<string, readonly Chunk[]>();
let chars = 0;

/**
 * Returns the chunks of a page. A thread caches those of recently used pages. Everything read from chunks is cached by their list
 * (see `score-passages.ts`), so another question about a page costs the scoring alone.
 */
export function chunkPage(markdown: string): readonly Chunk[] {
  const chunks = known.get(markdown) ?? chunkMarkdown(markdown);
  if (markdown.length > PAGE_CHARS_MAX) return chunks;
  if (!known.delete(markdown)) chars += markdown.length;
  known.set(markdown, chunks);
  for (const oldest of known.keys()) {
    if (chars <= CHARS_MAX) break;
    known.delete(oldest);
    chars -= oldest.length;
  }
  return chunks;
}
