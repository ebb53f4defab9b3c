/**
 * One walk over a parsed page that gathers the raw material for its metadata: meta elements, links, JSON-LD, headings, times, and
 * the surroundings of the title. The other files of this folder interpret it. Nothing here decides which value is right.
 */
import { readTextStart } from '../markdown/tags.ts';
import { isElement, NO_ATTRIBUTES, type Tree, type TreeElement } from '../table-shape.ts';
import { type JsonLd, parseJsonLd } from './json-ld.ts';

/** A short text that contains a digit, and its element. */
type NumberedText = { text: string; element: TreeElement };

/** Raw material for all metadata of a page, from one walk over its tree. Facts that few pages need are computed on first use. */
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
  scripts: TreeElement[];
  anchors: TreeElement[];
  headings: TreeElement[];
  times: TreeElement[];
  /** The heading that is the page's title, or null. */
  title: TreeElement | null;
  /** The elements that contain the title, itself included. */
  titleFrames: Set<TreeElement>;
  /** Elements whose class, id, rel or itemprop hints at an author or a date. */
  hinted(): TreeElement[];
  /** Short texts that contain digits. */
  numbered(): NumberedText[];
  /** Short texts with digits after the title's heading. */
  numberedBehindTitle(): NumberedText[];
  /** The surroundings of the title. */
  besideTitle(): BesideTitle;
};

/** The elements near the title, and their texts with digits in page order: before it, in it, and after it. */
type BesideTitle = {
  elements: Set<TreeElement>;
  before: NumberedText[];
  own: NumberedText[];
  behind: NumberedText[];
};

/** `time` and the elements that well-known sites use instead. */
const TIME_TAGS = ['time', 'relative-time', 'time-ago', 'local-time', 'faceplate-timeago'];
const HEADINGS = ['h1', 'h2', 'h3'];
const HINT =
  /author|byline|by-line|writer|date|publish|posted|timestamp|created|dateline|fecha|datum|veroeffentlich|time|meta-info|entry-meta|post-?meta/i;
const HINTED_MAX = 400;
const TIMES_MAX = 100;
const NUMBERED_MAX = 2_000;
const NUMBERED_CHARS_MAX = 120;
/** Numbers of elements before and after the title that count as near it. */
const BEFORE_TITLE_MAX = 25;
const AFTER_TITLE_MAX = 60;

/** Collects the facts in one walk over the tree, without recursion. */
export function collectPageFacts({ root }: Tree): PageFacts {
  /** The elements in page order, without the contents of SVG drawings. */
  const elements: TreeElement[] = [];
  const facts: PageFacts = {
    meta: new Map(),
    linkTags: [],
    base: null,
    htmlLang: null,
    titleTag: null,
    jsonLd: [],
    scripts: [],
    anchors: [],
    headings: [],
    times: [],
    title: null,
    titleFrames: new Set(),
    hinted: memoize(() => collectHintedElements(elements)),
    numbered: memoize(() => collectNumberedTexts(elements)),
    numberedBehindTitle: () => collectNumberedTexts(elements.slice(findTitleIndex() + 1)),
    besideTitle: memoize(() => collectBesideTitle(elements, findTitleIndex())),
  };
  const findTitleIndex = (): number => (facts.title === null ? -1 : elements.indexOf(facts.title));
  const waiting: TreeElement[] = [root];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    elements.push(element);
    const kind = KINDS.get(element.tag);
    if (kind !== undefined) recordFact(element, kind, facts);
    if (element.tag === 'svg') continue;
    const { children } = element;
    for (let at = children.length - 1; at >= 0; at -= 1) {
      const child = children[at];
      if (child !== undefined && isElement(child)) waiting.push(child);
    }
  }
  facts.title = findTitleHeading(facts);
  for (let frame = facts.title; frame !== null; frame = frame.parent) facts.titleFrames.add(frame);
  return facts;
}

/** Finds the heading that the declared title repeats, else the first h1. */
function findTitleHeading({ headings, titleTag, meta }: PageFacts): TreeElement | null {
  const declared = [meta.get('og:title')?.[0], titleTag].map((title) => toLetterKey(title ?? ''));
  const title = headings.slice(0, HEADINGS_MAX).find((heading) => {
    const text = toLetterKey(readTextStart(heading, TITLE_CHARS_MAX));
    return (
      text.length >= TITLE_CHARS_MIN &&
      declared.some((title) => title.startsWith(text) || title.endsWith(text))
    );
  });
  return (
    title ??
    headings.find(
      (heading) => heading.tag === 'h1' && toLetterKey(readTextStart(heading, TITLE_CHARS_MAX)) !== '',
    ) ??
    null
  );
}
const HEADINGS_MAX = 50;
const TITLE_CHARS_MIN = 8;
const TITLE_CHARS_MAX = 300;

const toLetterKey = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Kinds of elements that are recognised by tag alone. */
const KINDS = new Map<
  string,
  'meta' | 'anchor' | 'link' | 'base' | 'html' | 'title' | 'script' | 'heading' | 'time'
>([
  ['meta', 'meta'],
  ['a', 'anchor'],
  ['link', 'link'],
  ['base', 'base'],
  ['html', 'html'],
  ['title', 'title'],
  ['script', 'script'],
  ...HEADINGS.map((tag) => [tag, 'heading'] as const),
  ...TIME_TAGS.map((tag) => [tag, 'time'] as const),
]);

function recordFact(element: TreeElement, kind: string, facts: PageFacts): void {
  const { attributes } = element;
  if (kind === 'meta') recordMeta(element, facts);
  else if (kind === 'anchor') facts.anchors.push(element);
  else if (kind === 'link') recordLink(element, facts);
  else if (kind === 'base') facts.base ??= attributes.href ?? null;
  else if (kind === 'html') facts.htmlLang ??= attributes.lang ?? attributes['xml:lang'] ?? null;
  else if (kind === 'title') facts.titleTag ??= readOwnText(element);
  else if (kind === 'script') {
    facts.scripts.push(element);
    facts.jsonLd.push(...parseJsonLd(element));
  } else if (kind === 'heading') facts.headings.push(element);
  else if (facts.times.length < TIMES_MAX) facts.times.push(element);
}

function recordLink({ attributes: { rel, href, type = '' } }: TreeElement, { linkTags }: PageFacts): void {
  if (rel !== undefined && href !== undefined) linkTags.push({ rel: rel.toLowerCase(), href, type });
}

/** Computes a value on first use and remembers it. */
function memoize<Value>(work: () => Value): () => Value {
  let known: { value: Value } | null = null;
  return () => {
    known ??= { value: work() };
    return known.value;
  };
}

function collectBesideTitle(elements: TreeElement[], title: number): BesideTitle {
  if (title === -1) return { elements: new Set(), before: [], own: [], behind: [] };
  const from = Math.max(0, title - BEFORE_TITLE_MAX);
  const to = title + AFTER_TITLE_MAX + 1;
  return {
    elements: new Set(elements.slice(from, to)),
    before: collectNumberedTexts(elements.slice(from, title)),
    own: collectNumberedTexts(elements.slice(title, title + 1)),
    behind: collectNumberedTexts(elements.slice(title + 1, to)),
  };
}

function collectNumberedTexts(elements: TreeElement[]): NumberedText[] {
  const found: NumberedText[] = [];
  for (const element of elements) {
    const { tag, children } = element;
    if (tag === 'script' || tag === 'style' || tag === 'svg') continue;
    if (found.length >= NUMBERED_MAX) break;
    for (const child of children) {
      if (isElement(child) || child.text.length > NUMBERED_CHARS_MAX || !/\p{Nd}/u.test(child.text)) continue;
      found.push({ text: child.text, element });
    }
  }
  return found;
}

function recordMeta({ attributes }: TreeElement, { meta }: PageFacts): void {
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

function collectHintedElements(elements: TreeElement[]): TreeElement[] {
  const found: TreeElement[] = [];
  for (const element of elements) {
    if (element.attributes === NO_ATTRIBUTES) continue;
    if (found.length >= HINTED_MAX) break;
    if (element.tag === 'html' || element.tag === 'body' || element.tag === 'link') continue;
    const { class: classes, id, rel, itemprop } = element.attributes;
    const isHinted =
      (classes !== undefined && HINT.test(classes)) ||
      (id !== undefined && HINT.test(id)) ||
      (rel !== undefined && HINT.test(rel)) ||
      (itemprop !== undefined && HINT.test(itemprop));
    if (isHinted) found.push(element);
  }
  return found;
}

const readOwnText = ({ children }: TreeElement): string =>
  children.map((child) => (isElement(child) ? '' : child.text)).join('');
