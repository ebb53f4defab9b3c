import { ownString } from './own-string.ts';

/** Beyond it what is remembered is forgotten, so that a thread's memory stays bounded. */
const SEEN_MAX = 20_000;
/** Longer texts are seldom the same. */
const TEXT_CHARS_MAX = 200;

/**
 * Remembers what was read in a text. The same classes come hundreds of times on a page and on every page of a site, so that
 * patterns run once for each.
 */
export function remember<Read>(read: (text: string) => Read): (text: string) => Read {
  const seen = new Map<string, Read>();
  return (text) => {
    const known = seen.get(text);
    if (known !== undefined) return known;
    const found = read(text);
    if (text.length > TEXT_CHARS_MAX) return found;
    if (seen.size >= SEEN_MAX) seen.clear();
    seen.set(ownString(text), found);
    return found;
  };
}
