import { isElement, type Tree, type TreeElement } from '../tree.ts';
import { type JsonLd, jsonLdIn } from './json-ld.ts';

/** What one walk over the tree finds for all of the metadata. */
export type PageFacts = {
  /** Contents of `meta` by lower-case name, property, itemprop or http-equiv, in page order. */
  meta: Map<string, string[]>;
  /** `link` elements with a rel. */
  linkTags: { rel: string; href: string; type: string }[];
  /** The href of `base`, or null. */
  base: string | null;
  htmlLang: string | null;
  titleTag: string | null;
  jsonLd: JsonLd[];
  anchors: TreeElement[];
  headings: TreeElement[];
  times: TreeElement[];
  /** Elements whose class, id, rel or itemprop hints at an author or a date. */
  hinted: TreeElement[];
  /** Short texts with digits in them, each with the number of its element in page order. */
  numbered: { text: string; element: TreeElement; place: number }[];
  /** The number of the first h1 in page order, or null. */
  titlePlace: number | null;
};

const HINT =
  /author|byline|by-line|writer|date|publish|posted|timestamp|created|dateline|fecha|datum|veroeffentlich|time|meta-info|entry-meta|post-?meta/i;
const HINTED_MAX = 400;
const TIMES_MAX = 100;
const NUMBERED_MAX = 2_000;
const NUMBERED_CHARS_MAX = 120;

/** Walks the whole tree once, without recursion. */
export function pageFacts({ root }: Tree): PageFacts {
  const facts: PageFacts = {
    meta: new Map(),
    linkTags: [],
    base: null,
    htmlLang: null,
    titleTag: null,
    jsonLd: [],
    anchors: [],
    headings: [],
    times: [],
    hinted: [],
    numbered: [],
    titlePlace: null,
  };
  const waiting: TreeElement[] = [root];
  let place = 0;
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    note(element, facts);
    place += 1;
    if (element.tag === 'h1') facts.titlePlace ??= place;
    if (element.tag === 'svg') continue;
    if (element.tag !== 'script' && element.tag !== 'style') noteNumbers(element, place, facts);
    for (let at = element.children.length - 1; at >= 0; at -= 1) {
      const child = element.children[at];
      if (child !== undefined && isElement(child)) waiting.push(child);
    }
  }
  return facts;
}

function note(element: TreeElement, facts: PageFacts): void {
  const { tag, attributes } = element;
  if (tag === 'meta') noteMeta(element, facts);
  else if (tag === 'a') facts.anchors.push(element);
  else if (tag === 'link' && attributes.rel !== undefined && attributes.href !== undefined) {
    facts.linkTags.push({
      rel: attributes.rel.toLowerCase(),
      href: attributes.href,
      type: attributes.type ?? '',
    });
  } else if (tag === 'base') facts.base ??= attributes.href ?? null;
  else if (tag === 'html') facts.htmlLang ??= attributes.lang ?? attributes['xml:lang'] ?? null;
  else if (tag === 'title') facts.titleTag ??= directText(element);
  else if (tag === 'script') facts.jsonLd.push(...jsonLdIn(element));
  else if (/^h[1-3]$/.test(tag)) facts.headings.push(element);
  else if (tag === 'time' && facts.times.length < TIMES_MAX) facts.times.push(element);
  noteHint(element, facts);
}

function noteNumbers(element: TreeElement, place: number, { numbered }: PageFacts): void {
  if (numbered.length >= NUMBERED_MAX) return;
  for (const child of element.children) {
    if (isElement(child) || child.text.length > NUMBERED_CHARS_MAX || !/\d/.test(child.text)) continue;
    numbered.push({ text: child.text, element, place });
  }
}

function noteMeta({ attributes }: TreeElement, { meta }: PageFacts): void {
  const { content } = attributes;
  if (content === undefined || content.trim() === '') return;
  for (const key of [attributes.property, attributes.name, attributes.itemprop, attributes['http-equiv']]) {
    if (key === undefined) continue;
    const name = key.trim().toLowerCase();
    const contents = meta.get(name);
    if (contents === undefined) meta.set(name, [content.trim()]);
    else contents.push(content.trim());
  }
}

function noteHint(element: TreeElement, { hinted }: PageFacts): void {
  const { class: classes, id, rel, itemprop } = element.attributes;
  if (classes === undefined && id === undefined && rel === undefined && itemprop === undefined) return;
  if (
    hinted.length >= HINTED_MAX ||
    element.tag === 'html' ||
    element.tag === 'body' ||
    element.tag === 'link'
  )
    return;
  if (HINT.test(`${classes ?? ''} ${id ?? ''} ${rel ?? ''} ${itemprop ?? ''}`)) hinted.push(element);
}

const directText = ({ children }: TreeElement): string =>
  children.map((child) => (isElement(child) ? '' : child.text)).join('');
