/**
 * Extras: everything a caller may want of a page besides its article, such as a selected part, clean HTML, links, images,
 * attributes and mapped fields. They are built for one caller from the tree of the extraction and are never cached.
 */

import type { Article } from '../../article.ts';
import { detectVisibility } from '../content/hidden.ts';
import { listTreeElements } from '../content/page-view.ts';
import { collapse } from '../markdown/inline/escape-text.ts';
import { resolveImageSource } from '../markdown/inline/image.ts';
import { isShown } from '../markdown/tags.ts';
import { writeMarkdown } from '../markdown/write-markdown.ts';
import type { UrlResolver } from '../metadata/addresses.ts';
import { parseTree } from '../parse/build-tree.ts';
import { findMatchingElements, readFullText } from '../selector.ts';
import { isElement, type Tree, type TreeElement, type TreeNode, type TreeText } from '../table-shape.ts';
import type {
  AttributeRequest,
  ExtrasRequest,
  PageExtras,
  PageImage,
  PageLink,
  Selection,
} from './map-fields.ts';
import { mapFields } from './map-fields.ts';

/** Elements left out with their contents: code, and parts that only a browser shows. */
const DROPPED = new Set(
  (
    'head title script style template noscript link meta base object embed applet frame frameset noframes svg canvas ' +
    'source track'
  ).split(' '),
);
/** Elements whose tags are left out but whose contents are written. */
const UNWRAPPED = new Set(['#root', 'html', 'body']);
const VOID = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'wbr']);
const ADDRESSES = new Set(['href', 'src', 'poster', 'cite', 'action', 'formaction', 'longdesc']);
/** Attributes left out: scripts, styles, and further copies of addresses that are not absolute. */
const DROPPED_ATTRIBUTE = /^(?:on.*|style|srcdoc|srcset|sizes|ping|background|data-.*|jsaction|nonce)$/;
const IMAGE_ATTRIBUTES = ['alt', 'title', 'width', 'height'];
const NAME = /^[a-z][a-z0-9-]*$/;
/** Resolves an address; a fragment of the same page stays as written. */
const resolveAddress = (value: string, resolve: UrlResolver): string | null =>
  value.startsWith('#') ? value : resolve(value);
const renderAttribute = (name: string, value: string | null): string =>
  value === null ? '' : ` ${name}="${escapeHtml(value)}"`;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const LISTED_MAX = 2_000;
const TEXT_CHARS_MAX = 300;
const shortenText = (text: string): string => collapse(text).trim().slice(0, TEXT_CHARS_MAX);

/** An extracted page: its tree with the main content marked, the texts of its comments, its source and its Markdown. */
type ExtractedPage = {
  tree: Tree;
  comments: TreeText[];
  resolve: UrlResolver;
  html: string;
  markdown: string;
};

/** Builds the requested extras of a page. Marks the selection as kept in its tree. */
export function takeExtras(
  { tree, comments, resolve, html, markdown }: ExtractedPage,
  { selection, attributes, fields, ...wanted }: ExtrasRequest,
): PageExtras {
  // Selectors match on the whole page, kept or not.
  const values = attributes?.map((one) => readAttributeValues(tree, one));
  const json = fields === undefined ? {} : { fields: mapFields(tree, fields, resolve) };
  if (selection !== null) selectPart(tree, selection, comments);
  return {
    markdown: selection === null ? markdown : writeMarkdown(tree, resolve).markdown,
    ...(wanted.html ? { html: writeHtml(tree.root, resolve) } : {}),
    ...(wanted.rawHtml ? { rawHtml: html } : {}),
    ...(wanted.links ? { links: listLinks(collectElements(tree.root, wanted.links), resolve) } : {}),
    ...(wanted.images ? { images: listImages(collectElements(tree.root, wanted.images), resolve) } : {}),
    ...(values === undefined ? {} : { attributes: values }),
    ...json,
  };
}

/** Builds the extras of a page without elements, where no selector matches. The text of a document is ''. */
export function buildTextExtras(
  text: string,
  { markdown, links }: Pick<Article, 'markdown' | 'links'>,
  { selection, attributes, fields, ...wanted }: ExtrasRequest,
): PageExtras {
  return {
    markdown: selection !== null && selection.include.length > 0 ? '' : markdown,
    ...(wanted.html ? { html: `<pre>${escapeHtml(text === '' ? markdown : text)}</pre>` } : {}),
    ...(wanted.rawHtml ? { rawHtml: text } : {}),
    ...(wanted.links ? { links: links.map((url) => ({ url, text: '' })) } : {}),
    ...(wanted.images ? { images: [] } : {}),
    ...(attributes === undefined ? {} : { attributes: attributes.map(() => []) }),
    ...(fields === undefined ? {} : { fields: mapFields(parseTree(''), fields, () => null) }),
  };
}

/** The error for an empty selection. */
export const NOTHING_SELECTED = 'the part of the page that was asked for has no text';

/** Returns whether the selected part of the page has no text. */
export function isEmptySelection({ selection }: ExtrasRequest, { markdown }: PageExtras): boolean {
  return selection !== null && markdown.trim() === '';
}

function readAttributeValues({ root }: Tree, { selector, attribute }: AttributeRequest): string[] {
  const name = attribute.toLowerCase();
  return findMatchingElements(root, selector).flatMap(({ attributes }) => {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    return value === undefined ? [] : [value];
  });
}

/**
 * Marks the selected part of a tree as kept. Without includes, the main content stays marked. `commentTexts` are the texts of the
 * page's comments.
 */
function selectPart(
  tree: Tree,
  { include, exclude, whole, comments = false }: Selection,
  commentTexts: readonly TreeText[],
): void {
  const excluded = exclude.flatMap((selector) => findMatchingElements(tree.root, selector));
  const included = include.flatMap((selector) => findMatchingElements(tree.root, selector));
  if (include.length > 0 || whole) {
    clear(tree);
    for (const element of include.length > 0 ? included : [tree.root]) keepWithin(element);
  }
  if (comments) for (const text of commentTexts) keepText(text);
  for (const element of excluded) element.kept = false;
}

function clear(tree: Tree): void {
  for (const element of listTreeElements(tree)) {
    element.kept = false;
    for (const child of element.children) child.kept = false;
  }
  tree.root.kept = true;
}

function keepText(text: TreeText): void {
  text.kept = true;
  for (let up: TreeElement | null = text.parent; up !== null && !up.kept; up = up.parent) up.kept = true;
}

/** Keeps an element with everything visible in it, and its ancestors. */
function keepWithin(selected: TreeElement): void {
  for (let up: TreeElement | null = selected; up !== null && !up.kept; up = up.parent) up.kept = true;
  const waiting: TreeElement[] = [selected];
  for (let element = waiting.pop(); element !== undefined; element = waiting.pop()) {
    element.kept = true;
    for (const child of element.children) {
      if (!isElement(child)) child.kept = true;
      else if (detectVisibility(child) !== 'hidden') waiting.push(child);
    }
  }
}

/** Collects elements in page order: all, or only the kept ones. */
function collectElements(root: TreeElement, scope: 'selection' | 'page'): TreeElement[] {
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
function listLinks(elements: readonly TreeElement[], resolve: UrlResolver): PageLink[] {
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
function listImages(elements: readonly TreeElement[], resolve: UrlResolver): PageImage[] {
  const found = new Map<string, string>();
  for (const element of elements) {
    if (found.size >= LISTED_MAX) break;
    const url = element.tag === 'img' ? resolveImageSource(element, { resolve }) : null;
    if (url !== null && !found.get(url)) found.set(url, shortenText(element.attributes.alt ?? ''));
  }
  return [...found].map(([url, alt]) => ({ url, alt }));
}

/** Writes the kept nodes of a tree as a fragment of inert HTML. Recursion is bounded by the parser's depth limit. */
function writeHtml(root: TreeElement, resolve: UrlResolver): string {
  const parts: string[] = [];
  writeNodes([root], { parts, resolve, inPre: false });
  return parts.join('').trim();
}

type HtmlOutput = { parts: string[]; resolve: UrlResolver; inPre: boolean };

function writeNodes(nodes: readonly TreeNode[], writing: HtmlOutput): void {
  for (const node of nodes) {
    if (!isShown(node)) continue;
    if (isElement(node)) writeElement(node, writing);
    else writeText(node.text, writing);
  }
}

function writeElement(element: TreeElement, writing: HtmlOutput): void {
  const { tag, children } = element;
  if (DROPPED.has(tag)) return;
  const { parts, resolve } = writing;
  if (UNWRAPPED.has(tag) || !NAME.test(tag)) {
    writeNodes(children, writing);
    return;
  }
  parts.push(
    `<${tag}${tag === 'img' ? renderImageAttributes(element, resolve) : renderAttributes(element, resolve)}>`,
  );
  if (VOID.has(tag)) return;
  writeNodes(children, tag === 'pre' ? { ...writing, inPre: true } : writing);
  parts.push(`</${tag}>`);
}

/** Writes a text, collapsing the white space that omitted elements leave behind. */
function writeText(text: string, { parts, inPre }: HtmlOutput): void {
  if (inPre || text.trim() !== '') parts.push(escapeHtml(text));
  else if (!/\s$/.test(parts.at(-1) ?? ' ')) parts.push(text.includes('\n') ? '\n' : ' ');
}

function renderImageAttributes(element: TreeElement, resolve: UrlResolver): string {
  const src = resolveImageSource(element, { resolve });
  const others = IMAGE_ATTRIBUTES.map((name) => renderAttribute(name, element.attributes[name] ?? null));
  return [renderAttribute('src', src), ...others].join('');
}

function renderAttributes({ attributes }: TreeElement, resolve: UrlResolver): string {
  return Object.entries(attributes)
    .filter(([name]) => NAME.test(name) && !DROPPED_ATTRIBUTE.test(name))
    .map(([name, value]) =>
      renderAttribute(name, ADDRESSES.has(name) ? resolveAddress(value, resolve) : value),
    )
    .join('');
}

/** Escapes a text for an element or a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ESCAPES[letter] ?? letter);
}
