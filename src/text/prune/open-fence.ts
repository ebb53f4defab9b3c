import { markdownBlocks } from '../chunk/markdown-blocks.ts';

/** Closes the code fence that a text leaves open, if any. */
export function closeFence(markdown: string): string {
  const closing = openFence(markdown);
  return closing === null ? markdown : `${markdown.trimEnd()}\n${closing}`;
}

/** Returns the line that closes the code fence left open at the end of a text, or null. */
export function openFence(markdown: string): string | null {
  if (!markdown.includes('```') && !markdown.includes('~~~')) return null;
  const last = markdownBlocks(markdown).at(-1);
  return last?.fence?.isClosed === false ? last.fence.closing : null;
}
