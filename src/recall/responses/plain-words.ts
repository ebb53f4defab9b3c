import { decodeHTMLStrict } from 'entities/decode';

/** Characters read of one field; the rest is never shown. */
const FIELD_CHARS_MAX = 20_000;
const TAG = /<!--[^<>]{0,1000}-->|<\/?[a-z][^<>]{0,1000}>/gi;
const BLOCK_TAG = /<(?:\/?(?:p|div|li|br|title|sec|jats:(?:p|title|sec)))\b[^<>]{0,1000}>/gi;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const UNSEEN = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\ufeff]/g;

/** HTML -> plain text: without tags, entities decoded, white space collapsed, at most `charsMax` characters. */
export function stripHtml(html: string, charsMax: number): string {
  const bare = html.slice(0, FIELD_CHARS_MAX).replace(BLOCK_TAG, ' ').replace(TAG, '');
  return cleanText(decodeHTMLStrict(bare), charsMax);
}

/** Raw text -> one line of visible characters, at most `charsMax`, cut between words if possible. */
export function cleanText(text: string, charsMax: number): string {
  const line = text.slice(0, FIELD_CHARS_MAX).toWellFormed().replace(UNSEEN, '').replace(/\s+/g, ' ').trim();
  if (line.length <= charsMax) return line;
  const room = line.slice(0, charsMax - 1).replace(/[\ud800-\udbff]$/, '');
  const space = room.lastIndexOf(' ');
  return `${(space > charsMax / 2 ? room.slice(0, space) : room).trimEnd()}…`;
}
