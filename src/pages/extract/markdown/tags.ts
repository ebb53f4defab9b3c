import { isElement, NO_ATTRIBUTES, type TreeElement, type TreeNode, type TreeText } from '../table-shape.ts';

/** Elements that begin a block of their own. */
export const BLOCK_TAGS: ReadonlySet<string> = new Set(
  (
    '#root html body address article aside blockquote caption center col colgroup dd details dialog dir div dl dt ' +
    'fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup ' +
    'listing option p plaintext pre search section summary table tbody td tfoot th thead tr ul xmp'
  ).split(' '),
);

/** Elements whose contents are never the page's text. */
const SILENT_TAGS: ReadonlySet<string> = new Set(
  (
    'head script style template svg canvas applet select datalist textarea progress meter map ' +
    'noframes noembed frame frameset param source track colgroup rp title link meta'
  ).split(' '),
);

/** Classes of controls next to the text: copy buttons, heading links, edit links. */
const CONTROL_CLASS =
  /(?:^|\s)(?:mw-editsection|copybtn|copy-button|btn-copy|copy-code\S*|clipboard-copy|headerlink|header-anchor|anchorjs-link|hash-link|permalink-anchor|zeroclipboard\S*|gist-meta)(?=\s|$)/i;
const HIDDEN_STYLE = /(?:^|;)\s*display\s*:\s*none/i;

/** Returns whether an element is left out with its contents. */
export function isSilent(element: TreeElement): boolean {
  const { tag, attributes } = element;
  if (SILENT_TAGS.has(tag)) return true;
  if (tag === 'button') return !isDisclosure(element);
  if (attributes === NO_ATTRIBUTES) return false;
  if (attributes.hidden !== undefined && attributes.hidden !== 'until-found') return true;
  if (attributes.style !== undefined && HIDDEN_STYLE.test(attributes.style)) return true;
  if (attributes['aria-hidden'] === 'true' && (tag === 'span' || tag === 'i' || tag === 'a')) return true;
  return attributes.class !== undefined && CONTROL_CLASS.test(attributes.class);
}

/** Returns whether a button opens the text below it and so carries that text's heading; other buttons are controls. */
function isDisclosure(button: TreeElement): boolean {
  const { attributes, parent } = button;
  if (attributes['aria-expanded'] !== undefined && attributes['aria-haspopup'] === undefined) return true;
  if (parent === null) return false;
  return /^(?:h[1-6]|dt|summary)$/.test(parent.tag) || (isQuestion(button) && hasAnswer(button, parent));
}

const QUESTION_NAME = /accordion|faq|question|collaps|disclosure/i;
const QUESTION_CHARS_MAX = 300;
/** Maximum nodes beside a question, against hostile pages. */
const SIBLINGS_MAX = 400;

/** Returns whether a button's name or its text says that it opens an answer. */
function isQuestion(button: TreeElement): boolean {
  return hasClass(button, QUESTION_NAME) || /[?？]\s*$/.test(readTextStart(button, QUESTION_CHARS_MAX));
}

/** Returns whether a block that is written follows the button, or the box that holds nothing else. */
function hasAnswer(button: TreeElement, parent: TreeElement): boolean {
  const box = parent.children.filter(isElement).length === 1 ? parent : button;
  const nodes = box.parent?.children ?? [];
  if (nodes.length > SIBLINGS_MAX) return false;
  const siblings = nodes.filter(isElement);
  const next = siblings[siblings.indexOf(box) + 1];
  return next?.kept === true && /^(?:div|section|p|ul|ol|dd)$/.test(next.tag);
}

/** Filters the kept elements among nodes. */
export function filterKeptElements(nodes: TreeNode[]): TreeElement[] {
  return nodes.filter(isElement).filter((node) => node.kept);
}

/** Returns whether an element's class attribute matches. */
export function hasClass(element: TreeElement, pattern: RegExp): boolean {
  const classes = element.attributes.class;
  return classes !== undefined && pattern.test(classes);
}

/** Returns whether a node is written: kept nodes, and white space, which separates words whatever its wrapper. */
export function isShown(node: TreeNode): boolean {
  return node.kept || isBlank(node);
}

function isBlank(node: TreeNode): boolean {
  if (!isElement(node)) return node.text.trim() === '';
  const [only, other] = node.children;
  return (
    other === undefined &&
    only !== undefined &&
    !isElement(only) &&
    !BLOCK_TAGS.has(node.tag) &&
    isBlank(only)
  );
}

/** Reads all texts below a node, unchanged and in order; `keptOnly` leaves out nodes that are not written. */
export function readTextBelow(node: TreeElement | TreeText, keptOnly: boolean): string {
  if (!isElement(node)) return !keptOnly || isShown(node) ? node.text : '';
  if (node.tag === 'script' || node.tag === 'style' || (keptOnly && !isShown(node))) return '';
  const parts: string[] = [];
  for (const child of node.children) parts.push(readTextBelow(child, keptOnly));
  return parts.join('');
}

/** Reads the first `chars` characters of the texts below an element, separated by spaces; later texts are not visited. */
export function readTextStart(element: TreeElement, chars: number): string {
  const parts: string[] = [];
  let left = chars;
  const visit = (node: TreeElement): void => {
    for (const child of node.children) {
      if (left <= 0) return;
      if (isElement(child)) {
        if (child.tag !== 'script' && child.tag !== 'style') visit(child);
      } else {
        parts.push(child.text.slice(0, left));
        left -= child.text.length;
      }
    }
  };
  visit(element);
  return parts.join(' ');
}

/** Finds the first descendant that fits, in page order. */
export function findBelow(element: TreeElement, fits: (element: TreeElement) => boolean): TreeElement | null {
  for (const child of element.children) {
    if (!isElement(child)) continue;
    const found = fits(child) ? child : findBelow(child, fits);
    if (found !== null) return found;
  }
  return null;
}
