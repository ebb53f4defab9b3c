import { copyString } from '../own-string.ts';

/** Slots for cached names; a page uses some hundreds. */
const SLOTS = 2_048;
/** Maximum length of a cached name. */
const NAME_CHARS_MAX = 40;

const SLASH = 47;
const GT = 62;
const EQUALS = 61;

/** Cached names of tags and attributes, so that equal names share one string: each page repeats a few names thousands of times. */
const remembered: string[] = new Array(SLOTS).fill('');

/** Finds the end of the tag name that begins at `from`: white space, `/` or `>`. */
export function findTagNameEnd(html: string, from: number): number {
  let at = from;
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code === GT || code === SLASH || isSpace(code)) break;
    at += 1;
  }
  return at;
}

/** Finds the end of an attribute name, which `=` ends too; its first character may be any. */
export function findAttributeNameEnd(html: string, from: number): number {
  let at = from + 1;
  while (at < html.length) {
    const code = html.charCodeAt(at);
    if (code === EQUALS || code === GT || code === SLASH || isSpace(code)) break;
    at += 1;
  }
  return at;
}

/** Returns whether a code is white space within tags. */
export const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13 && code !== 11);

/** Reads the name between two offsets, in lower case. */
export function readName(html: string, from: number, to: number): string {
  if (to - from > NAME_CHARS_MAX) return toLowerCaseName(html.slice(from, to));
  let hash = to - from;
  for (let at = from; at < to; at += 1) hash = (Math.imul(hash, 31) + html.charCodeAt(at)) | 0;
  const slot = (hash ^ (hash >>> 11)) & (SLOTS - 1);
  const known = remembered[slot] as string;
  if (known.length === to - from && html.startsWith(known, from)) return known;
  const name = toLowerCaseName(html.slice(from, to));
  if (html.startsWith(name, from)) remembered[slot] = copyString(name);
  return name;
}

const toLowerCaseName = (name: string): string => (/[A-Z]/.test(name) ? name.toLowerCase() : name);
