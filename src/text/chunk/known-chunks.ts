import type { Chunk } from './chunk.ts';
import { chunkMarkdown } from './chunk-markdown.ts';

/** Characters of the pages whose chunks a thread remembers; what is read in their chunks takes about as much again. */
const CHARS_MAX = 3_000_000;
/** A longer page would push out too many others. */
const PAGE_CHARS_MAX = 500_000;

/** By the page's Markdown, the page used last at the end. */
const known = new Map<string, readonly Chunk[]>();
let chars = 0;

/**
 * The chunks of a page. A thread remembers those of the pages that it had last: all that is read in them is kept by their list
 * (see `score-passages.ts`), so that another question about a page costs the scoring alone.
 */
export function chunksOfPage(markdown: string): readonly Chunk[] {
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
