import { openFence } from './open-fence.ts';

/** How far back from the bound a line or word border is looked for. */
const BORDER_CHARS = 200;

/** Markdown of at most `charsMax` characters: cut at the end of a line or word, an open code fence closed. Null: whole. */
export function cutMarkdown(markdown: string, charsMax: number | null): string {
  if (charsMax === null || markdown.length <= charsMax) return markdown;
  const cut = cutText(markdown, charsMax);
  const fence = openFence(cut);
  if (fence === null) return cut;
  const closing = `\n${fence}`;
  if (charsMax <= closing.length) return '';
  const shorter = cutText(markdown, charsMax - closing.length);
  return openFence(shorter) === null ? shorter : `${shorter}${closing}`;
}

function cutText(text: string, charsMax: number): string {
  const head = text.slice(0, charsMax);
  const border = Math.max(head.lastIndexOf('\n'), head.lastIndexOf(' '));
  if (border >= charsMax - BORDER_CHARS && border > 0) return head.slice(0, border).trimEnd();
  const last = head.charCodeAt(head.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? head.slice(0, -1) : head;
}
