import { collapse } from '../markdown/inline/escape-text.ts';
import { imageSource } from '../markdown/inline/image.ts';
import type { Resolve } from '../metadata/addresses.ts';
import { isElement, type TreeElement } from '../tree.ts';
import type { PageImage, PageLink } from './extras-types.ts';
import { textWithin } from './selector.ts';

const LISTED_MAX = 2_000;
const TEXT_CHARS_MAX = 300;

/** Elements in page order: all, or only the kept ones. */
export function listedElements(root: TreeElement, scope: 'selection' | 'page'): TreeElement[] {
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

/** The web addresses that elements link to, each once with the first text that a link to it has. */
export function linksIn(elements: readonly TreeElement[], resolve: Resolve): PageLink[] {
  const found = new Map<string, string>();
  for (const element of elements) {
    const { href } = element.attributes;
    if (element.tag !== 'a' || href === undefined) continue;
    const url = resolve(href);
    if (url === null || !url.startsWith('http')) continue;
    if (!found.get(url) && (found.has(url) || found.size < LISTED_MAX))
      found.set(url, shortly(textWithin(element)));
  }
  return [...found].map(([url, text]) => ({ url, text }));
}

/** The pictures among elements, each once with its alternative text. */
export function imagesIn(elements: readonly TreeElement[], resolve: Resolve): PageImage[] {
  const found = new Map<string, string>();
  for (const element of elements) {
    if (found.size >= LISTED_MAX) break;
    const url = element.tag === 'img' ? imageSource(element, { resolve }) : null;
    if (url !== null && !found.get(url)) found.set(url, shortly(element.attributes.alt ?? ''));
  }
  return [...found].map(([url, alt]) => ({ url, alt }));
}

const shortly = (text: string): string => collapse(text).trim().slice(0, TEXT_CHARS_MAX);
