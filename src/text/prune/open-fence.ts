import { parseMarkdownBlocks } from '../chunk/markdown-blocks.ts';

/** Closes the code fence that a text leaves open, if any. */
export function closeFence(markdown: string): string {
  const closing = findOpenFence(markdown);
  return closing === null ? markdown : `${markdown.trimEnd()}\n${closing}`;
}

/** Returns the line that closes the code fence left open at the end of a text, or null. */
export function findOpenFence(markdown: string): string | null {
  if (!markdown.includes('```') && !markdown.includes('~~~')) return null;
  const last = parseMarkdownBlocks(markdown).at(-1);
  return last?.fence?.isClosed === false ? last.fence.closing : null;
}
