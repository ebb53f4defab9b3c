import { findOpenFence } from './open-fence.ts';

/** Distance back from the limit within which a line or word boundary is searched for. */
const BORDER_CHARS = 200;

/**
 * Truncates Markdown to at most `charsMax` characters (null: no limit), at the end of a line or word, and closes an open code
 * fence.
 */
export function cutMarkdown(markdown: string, charsMax: number | null): string {
  if (charsMax === null || markdown.length <= charsMax) return markdown;
  const cut = cutText(markdown, charsMax);
  const fence = findOpenFence(cut);
  if (fence === null) return cut;
  const closing = `\n${fence}`;
  if (charsMax <= closing.length) return '';
  const shorter = cutText(markdown, charsMax - closing.length);
  return findOpenFence(shorter) === null ? shorter : `${shorter}${closing}`;
}

function cutText(text: string, charsMax: number): string {
  const head = text.slice(0, charsMax);
  const border = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '));
  if (border >= charsMax - BORDER_CHARS && border > 0) return head.slice(0, border).trimEnd();
  const last = head.charCodeAt(head.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? head.slice(0, -1) : head;
}
