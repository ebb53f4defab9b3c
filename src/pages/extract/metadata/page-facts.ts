import { textStart } from '../markdown/tags.ts';
import { isElement, NO_ATTRIBUTES, type Tree, type TreeElement } from '../tree.ts';
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
  /** The numbers in page order of headings and of all elements in `times`, `hinted` and `numbered`. */
  places: Map<TreeElement, number>;
  /** Elements whose class, id, rel or itemprop hints at an author or a date. */
  hinted: TreeElement[];
  /** Short texts with digits in them, each with the number of its element in page order. */
  numbered: { text: string; element: TreeElement; place: number }[];
  /** The heading that is the page's title, or null. */
  title: TreeElement | null;
  /** The elements that contain it, itself included. */
  titleFrames: Set<TreeElement>;
};

/** `time` and the elements that well-known sites write in its place. */
const TIME_TAGS: ReadonlySet<string> = new Set([
  'time',
  'relative-time',
  'time-ago',
  'local-time',
  'faceplate-timeago',
]);
const HEADINGS = new Set(['h1', 'h2', 'h3']);
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
    places: new Map(),
    hinted: [],
    numbered: [],
    title: null,
    titleFrames: new Set(),
  };
  const waiting: TreeElement[] = [root];
  let place = 0;
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    place += 1;
    note(element, facts);
    if (facts.times.at(-1) === element || facts.hinted.at(-1) === element) facts.places.set(element, place);
    if (HEADINGS.has(element.tag)) facts.places.set(element, place);
    if (element.tag === 'svg') continue;
    if (element.tag !== 'script' && element.tag !== 'style') noteNumbers(element, place, facts);
    for (let at = element.children.length - 1; at >= 0; at -= 1) {
      const child = element.children[at];
      if (child !== undefined && isElement(child)) waiting.push(child);
    }
  }
  facts.title = titleHeading(facts);
  for (let frame = facts.title; frame !== null; frame = frame.parent) facts.titleFrames.add(frame);
  return facts;
}

/** The heading that the declared title repeats, else the first h1. */
function titleHeading({ headings, titleTag, meta }: PageFacts): TreeElement | null {
  const declared = [meta.get('og:title')?.[0], titleTag].map((title) => letters(title ?? ''));
  const title = headings.slice(0, HEADINGS_MAX).find((heading) => {
    const text = letters(textStart(heading, TITLE_CHARS_MAX));
    return (
      text.length >= TITLE_CHARS_MIN &&
      declared.some((title) => title.startsWith(text) || title.endsWith(text))
    );
  });
  return (
    title ??
    headings.find((heading) => heading.tag === 'h1' && letters(textStart(heading, TITLE_CHARS_MAX)) !== '') ??
    null
  );
}
const HEADINGS_MAX = 50;
const TITLE_CHARS_MIN = 8;
const TITLE_CHARS_MAX = 300;

const letters = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

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
  else if (HEADINGS.has(tag)) facts.headings.push(element);
  else if (TIME_TAGS.has(tag) && facts.times.length < TIMES_MAX) facts.times.push(element);
  noteHint(element, facts);
}

function noteNumbers(element: TreeElement, place: number, { numbered, places }: PageFacts): void {
  if (numbered.length >= NUMBERED_MAX) return;
  for (const child of element.children) {
    if (isElement(child) || child.text.length > NUMBERED_CHARS_MAX || !/\d/.test(child.text)) continue;
    numbered.push({ text: child.text, element, place });
    places.set(element, place);
  }
}

function noteMeta({ attributes }: TreeElement, { meta }: PageFacts): void {
  const content = attributes.content ?? attributes.value;
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
  if (element.attributes === NO_ATTRIBUTES || hinted.length >= HINTED_MAX) return;
  const { class: classes, id, rel, itemprop } = element.attributes;
  if (classes === undefined && id === undefined && rel === undefined && itemprop === undefined) return;
  if (element.tag === 'html' || element.tag === 'body' || element.tag === 'link') return;
  for (const name of [classes, id, rel, itemprop]) {
    if (name === undefined || !HINT.test(name)) continue;
    hinted.push(element);
    return;
  }
}

const directText = ({ children }: TreeElement): string =>
  children.map((child) => (isElement(child) ? '' : child.text)).join('');
