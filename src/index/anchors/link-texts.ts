import { LRUCache } from 'lru-cache';
import { toCanonicalUrl } from '../../text/urls/url-spelling.ts';

type LinkingPage = { url: string; markdown: string };

/** Maximum links read per page; the index of a manual has a few thousand. */
const LINKS_MAX = 2_000;
const TARGETS_MAX = 400;
const TEXTS_PER_TARGET = 8;
/** Matches `[text](address "title")`, but not images. */
const LINK = /(?<!!)\[([^[\]\n]{3,80})\]\(<?([^()<>\s]{1,1000})/g;
const MARKS = /[`*_\\]+/g;
/** A link text must match this: numbers, arrows and `up` name nothing. */
const WORD = /\p{L}{3}/u;
/** Link texts that describe navigation instead of naming the page. */
const STEPS =
  /^(?:next|prev(?:ious)?|home|index|top|back|here|this(?: page)?|link|more|read more|see|source|contents?)$/i;

/** Cached, because the links of a site repeat from page to page. */
const canonical = new LRUCache<string, string>({ max: 20_000 });

function findCanonicalUrl(address: string): string {
  const known = canonical.get(address);
  if (known !== undefined) return known;
  const target = toCanonicalUrl(address);
  canonical.set(address, target);
  return target;
}

/**
 * Extracts the texts of a page's links to other pages of its host, by their canonical addresses. Links between hosts do not count,
 * because then anyone could name any page.
 */
export function extractLinkTexts({ url, markdown }: LinkingPage): Map<string, string[]> {
  const own = toCanonicalUrl(url);
  const { host } = new URL(own);
  const found = new Map<string, string[]>();
  let links = 0;
  for (const [, said = '', written = ''] of markdown.matchAll(LINK)) {
    links += 1;
    if (links > LINKS_MAX) break;
    const text = said.replace(MARKS, ' ').replace(/\s+/g, ' ').trim();
    if (!WORD.test(text) || STEPS.test(text)) continue;
    const target = resolveTarget(written, own);
    if (target === null || target === own || URL.parse(target)?.host !== host) continue;
    addText(found, target, text);
  }
  return found;
}

/** Resolves a link to a canonical address; null if it is not http(s). */
function resolveTarget(written: string, base: string): string | null {
  const address = URL.parse(written, base);
  if (address === null || !/^https?:$/.test(address.protocol)) return null;
  address.hash = '';
  return findCanonicalUrl(address.href);
}

function addText(found: Map<string, string[]>, target: string, text: string): void {
  const texts = found.get(target);
  if (texts === undefined) {
    if (found.size < TARGETS_MAX) found.set(target, [text]);
  } else if (texts.length < TEXTS_PER_TARGET && !texts.includes(text)) texts.push(text);
}
