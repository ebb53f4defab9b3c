import { createHash } from 'node:crypto';

/** Identifies the text of a page: equal Markdown has an equal hash (`sha256:` and 64 hex digits). */
export function computeContentHash(markdown: string): string {
  return `sha256:${createHash('sha256').update(markdown).digest('hex')}`;
}
