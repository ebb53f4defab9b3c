import { createHash } from 'node:crypto';
import { CHARS_PER_TOKEN } from '../../contract/limits.ts';

/** Tokens of an answer (characters by four) where the call does not say, and the bounds of what it may say. */
export const ANSWER_TOKENS_DEFAULT = 4_000;
export const ANSWER_TOKENS_MAX = 20_000;
export const ANSWER_TOKENS_MIN = 500;

/** Where an answer was cut: how far it was told, and which text it is of. */
export type Cursor = { offset: number; digest: string };

/** Names a text; nobody who has not read it can know it. */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

export function writeCursor({ offset, digest }: Cursor): string {
  return `${offset}.${digest}`;
}

/** Null for what was never a cursor of ours. */
export function readCursor(text: string): Cursor | null {
  const [, offset, digest] = /^\s*(\d{1,9})\.([\w-]{22})\s*$/.exec(text) ?? [];
  return offset === undefined || digest === undefined ? null : { offset: Number(offset), digest };
}

/**
 * As much of a text from an offset on as fits into a budget of tokens, and where the rest begins (null: nowhere). The room of
 * `footerChars` is left free when something is left. Parts that follow each other make the whole text, each character once.
 */
export function partOfText(
  text: string,
  { offset, tokensMax, footerChars }: { offset: number; tokensMax: number; footerChars: number },
): { part: string; next: number | null } {
  const room = tokensMax * CHARS_PER_TOKEN;
  if (text.length - offset <= room) return { part: text.slice(offset), next: null };
  const end = cutBefore(text, { from: offset, to: offset + Math.max(room - footerChars, 2) });
  return { part: text.slice(offset, end), next: end };
}

const BOUNDARIES = ['\n\n', '\n', '. ', ' '];

/** The last good place to cut in the second half of a range: between paragraphs, lines, sentences, words, characters. */
function cutBefore(text: string, { from, to }: { from: number; to: number }): number {
  const half = from + Math.floor((to - from) / 2);
  for (const boundary of BOUNDARIES) {
    const found = text.lastIndexOf(boundary, to - boundary.length);
    if (found >= half) return found + boundary.length;
  }
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(to - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(to));
  return splitsPair ? to - 1 : to;
}
