import { resolveImageSource } from '../markdown/inline/image.ts';
import { isShown } from '../markdown/tags.ts';
import type { UrlResolver } from '../metadata/addresses.ts';
import { isElement, type TreeElement, type TreeNode } from '../tree.ts';

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

/** Writes the kept nodes of a tree as a fragment of inert HTML. Recursion is bounded by the parser's depth limit. */
export function writeHtml(root: TreeElement, resolve: UrlResolver): string {
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

/** Resolves an address; a fragment of the same page stays as written. */
const resolveAddress = (value: string, resolve: UrlResolver): string | null =>
  value.startsWith('#') ? value : resolve(value);

const renderAttribute = (name: string, value: string | null): string =>
  value === null ? '' : ` ${name}="${escapeHtml(value)}"`;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes a text for an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (letter) => ESCAPES[letter] ?? letter);
}
