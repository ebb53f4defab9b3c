import { imageSource } from '../markdown/inline/image.ts';
import { isShown } from '../markdown/tags.ts';
import type { Resolve } from '../metadata/addresses.ts';
import { isElement, type TreeElement, type TreeNode } from '../tree.ts';

/** Left out with their contents: code, and what only a browser shows. */
const DROPPED = new Set(
  (
    'head title script style template noscript link meta base object embed applet frame frameset noframes svg canvas ' +
    'source track'
  ).split(' '),
);
/** Written without their tags. */
const UNWRAPPED = new Set(['#root', 'html', 'body']);
const VOID = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'wbr']);
const ADDRESSES = new Set(['href', 'src', 'poster', 'cite', 'action', 'formaction', 'longdesc']);
/** Scripts, styles, and copies of addresses that are not absolute. */
const DROPPED_ATTRIBUTE = /^(?:on.*|style|srcdoc|srcset|sizes|ping|background|data-.*|jsaction|nonce)$/;
const IMAGE_ATTRIBUTES = ['alt', 'title', 'width', 'height'];
const NAME = /^[a-z][a-z0-9-]*$/;

/** Writes the kept nodes of a tree as a fragment of HTML that runs nothing. Recursion goes as deep as the parser allows. */
export function writeHtml(root: TreeElement, resolve: Resolve): string {
  const parts: string[] = [];
  writeNodes([root], { parts, resolve, inPre: false });
  return parts.join('').trim();
}

type Writing = { parts: string[]; resolve: Resolve; inPre: boolean };

function writeNodes(nodes: readonly TreeNode[], writing: Writing): void {
  for (const node of nodes) {
    if (!isShown(node)) continue;
    if (isElement(node)) writeElement(node, writing);
    else writeText(node.text, writing);
  }
}

function writeElement(element: TreeElement, writing: Writing): void {
  const { tag, children } = element;
  if (DROPPED.has(tag)) return;
  const { parts, resolve } = writing;
  if (UNWRAPPED.has(tag) || !NAME.test(tag)) {
    writeNodes(children, writing);
    return;
  }
  parts.push(`<${tag}${tag === 'img' ? imageAttributes(element, resolve) : attributesOf(element, resolve)}>`);
  if (VOID.has(tag)) return;
  writeNodes(children, tag === 'pre' ? { ...writing, inPre: true } : writing);
  parts.push(`</${tag}>`);
}

/** What was left out leaves white space behind, which is written once. */
function writeText(text: string, { parts, inPre }: Writing): void {
  if (inPre || text.trim() !== '') parts.push(escapeHtml(text));
  else if (!/\s$/.test(parts.at(-1) ?? ' ')) parts.push(text.includes('\n') ? '\n' : ' ');
}

function imageAttributes(element: TreeElement, resolve: Resolve): string {
  const src = imageSource(element, { resolve });
  const others = IMAGE_ATTRIBUTES.map((name) => attribute(name, element.attributes[name] ?? null));
  return [attribute('src', src), ...others].join('');
}

function attributesOf({ attributes }: TreeElement, resolve: Resolve): string {
  return Object.entries(attributes)
    .filter(([name]) => NAME.test(name) && !DROPPED_ATTRIBUTE.test(name))
    .map(([name, value]) => attribute(name, ADDRESSES.has(name) ? addressOf(value, resolve) : value))
    .join('');
}

/** A place on the same page stays as written. */
const addressOf = (value: string, resolve: Resolve): string | null =>
  value.startsWith('#') ? value : resolve(value);

const attribute = (name: string, value: string | null): string =>
  value === null ? '' : ` ${name}="${escapeHtml(value)}"`;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ESCAPES[letter] ?? letter);
}
