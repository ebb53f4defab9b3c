import { createHash } from 'node:crypto';

/** Names the text of a page: equal Markdown, equal hash (`sha256:` and 64 hex digits). */
export function contentHash(markdown: string): string {
  return `sha256:${createHash('sha256').update(markdown).digest('hex')}`;
}
