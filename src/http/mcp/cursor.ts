import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { CHARS_PER_TOKEN } from '../../contract/limits.ts';

/** The place where an answer was cut: the offset of the rest, and the digest of the whole text. */
export type Cursor = { offset: number; digest: string };

/** Computes an identifier of a text that cannot be guessed without knowing the text. */
export function computeDigest(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

export function writeCursor({ offset, digest }: Cursor): string {
  return `${offset}.${digest}`;
}

/** Returns null for anything that is not a cursor. */
export function readCursor(text: string): Cursor | null {
  const [, offset, digest] = /^\s*(\d{1,9})\.([\w-]{22})\s*$/.exec(text) ?? [];
  return offset === undefined || digest === undefined ? null : { offset: Number(offset), digest };
}

/**
 * Returns the part of a text from `offset` that fits a token budget, and the offset of the rest (null if nothing is left). If
 * something is left, the part leaves `footerChars` of the budget free. Successive parts join to the whole text.
 */
export function cutPart(
  text: string,
  { offset, tokensMax, footerChars }: { offset: number; tokensMax: number; footerChars: number },
): { part: string; next: number | null } {
  assert(0 <= offset && offset <= text.length, 'a part begins within its text');
  const room = tokensMax * CHARS_PER_TOKEN;
  if (text.length - offset <= room) return { part: text.slice(offset), next: null };
  const end = findCut(text, { from: offset, to: offset + Math.max(room - footerChars, 2) });
  assert(offset < end && end <= offset + room, 'a part is not empty and fits its budget');
  return { part: text.slice(offset, end), next: end };
}

const BOUNDARIES = ['\n\n', '\n', '. ', ' '];

/** Finds the last good place to cut in the second half of a range: between paragraphs, else lines, sentences, words or characters. */
function findCut(text: string, { from, to }: { from: number; to: number }): number {
  const half = from + Math.floor((to - from) / 2);
  for (const boundary of BOUNDARIES) {
    const found = text.lastIndexOf(boundary, to - boundary.length);
    if (found >= half) return found + boundary.length;
  }
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(to - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(to));
  return splitsPair ? to - 1 : to;
}
