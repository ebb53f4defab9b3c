import { collapse } from '../markdown/inline/escape-text.ts';
import { resolveImageSource } from '../markdown/inline/image.ts';
import type { UrlResolver } from '../metadata/addresses.ts';
import { isElement, type TreeElement } from '../tree.ts';
import type { PageImage, PageLink } from './extras-types.ts';
import { readFullText } from './selector.ts';

const LISTED_MAX = 2_000;
const TEXT_CHARS_MAX = 300;

/** Collects elements in page order: all, or only the kept ones. */
export function collectElements(root: TreeElement, scope: 'selection' | 'page'): TreeElement[] {
  const found: TreeElement[] = [];
  const waiting: TreeElement[] = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    if (scope === 'selection' && !element.kept) continue;
    found.push(element);
    for (let at = element.children.length - 1; at >= 0; at -= 1) {
      const child = element.children[at];
      if (child !== undefined && isElement(child)) waiting.push(child);
    }
  }
  return found;
}

/** Lists the web addresses that elements link to, each once, with the first link text found for it. */
export function listLinks(elements: readonly TreeElement[], resolve: UrlResolver): PageLink[] {
  const found = new Map<string, string>();
  for (const element of elements) {
    const { href } = element.attributes;
    if (element.tag !== 'a' || href === undefined) continue;
    const url = resolve(href);
    if (url === null || !url.startsWith('http')) continue;
    if (!found.get(url) && (found.has(url) || found.size < LISTED_MAX))
      found.set(url, shortenText(readFullText(element)));
  }
  return [...found].map(([url, text]) => ({ url, text }));
}

/** Lists the pictures among elements, each once, with its alternative text. */
export function listImages(elements: readonly TreeElement[], resolve: UrlResolver): PageImage[] {
  const found = new Map<string, string>();
  for (const element of elements) {
    if (found.size >= LISTED_MAX) break;
    const url = element.tag === 'img' ? resolveImageSource(element, { resolve }) : null;
    if (url !== null && !found.get(url)) found.set(url, shortenText(element.attributes.alt ?? ''));
  }
  return [...found].map(([url, alt]) => ({ url, alt }));
}

const shortenText = (text: string): string => collapse(text).trim().slice(0, TEXT_CHARS_MAX);
