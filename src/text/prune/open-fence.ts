import { markdownBlocks } from '../chunk/markdown-blocks.ts';

/** The text with the code fence that it leaves open closed. */
export function closeFence(markdown: string): string {
  const closing = openFence(markdown);
  return closing === null ? markdown : `${markdown.trimEnd()}\n${closing}`;
}

/** The line that closes the code fence which the text leaves open at its end, or null. */
export function openFence(markdown: string): string | null {
  if (!markdown.includes('```') && !markdown.includes('~~~')) return null;
  const last = markdownBlocks(markdown).at(-1);
  return last?.fence?.isClosed === false ? last.fence.closing : null;
}
