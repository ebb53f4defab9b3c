import { compile, type Options, selectAll } from 'css-select';
import { isElement, type TreeElement, type TreeNode } from '../tree.ts';

/** A CSS selector that is known to be valid; plain text, so that it crosses to a thread. */
export type Selector = string & { readonly selector: unique symbol };

export const SELECTOR_CHARS_MAX = 500;
/** Elements that one selector may find; the rest is left out. */
const FOUND_MAX = 10_000;

/** A text as a selector, or what is wrong with it. */
export function readSelector(text: string): Selector | { problem: string } {
  if (text.trim() === '') return { problem: 'is empty' };
  if (text.length > SELECTOR_CHARS_MAX) return { problem: `has over ${SELECTOR_CHARS_MAX} characters` };
  try {
    compile(text, OPTIONS);
  } catch (error) {
    if (error instanceof Error) return { problem: 'is not a valid CSS selector' };
    throw error;
  }
  // The only place that makes one: the text has just been compiled.
  return text as Selector;
}

/** The elements below `root` that match, in page order. */
export function elementsMatching(root: TreeElement, selector: Selector): TreeElement[] {
  return selectAll(selector, root.children, { ...OPTIONS, context: root }).slice(0, FOUND_MAX);
}

/** Lets the selector engine walk our tree. */
const ADAPTER: NonNullable<Options<TreeNode, TreeElement>['adapter']> = {
  isTag: isElement,
  getAttributeValue: ({ attributes }, name) =>
    Object.hasOwn(attributes, name) ? attributes[name] : undefined,
  hasAttrib: ({ attributes }, name) => Object.hasOwn(attributes, name),
  getChildren: (node) => (isElement(node) ? node.children : []),
  getName: ({ tag }) => tag,
  // The root stands for the document, which no selector matches.
  getParent: ({ parent }) => (parent === null || parent.parent === null ? null : parent),
  getSiblings: (node) => node.parent?.children ?? [node],
  getText: textWithin,
  removeSubsets: withoutNested,
};

const OPTIONS: Options<TreeNode, TreeElement> = { adapter: ADAPTER };

/** The text of a node and everything in it, as written. */
export function textWithin(node: TreeNode): string {
  if (!isElement(node)) return node.text;
  let text = '';
  const waiting: TreeNode[] = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (isElement(next)) for (let at = next.children.length - 1; at >= 0; at -= 1) push(next.children[at]);
    else text += next.text;
  }
  return text;

  function push(child: TreeNode | undefined): void {
    if (child !== undefined) waiting.push(child);
  }
}

function withoutNested(nodes: TreeNode[]): TreeNode[] {
  const all = new Set(nodes);
  return [...all].filter((node) => {
    for (let above = node.parent; above !== null; above = above.parent) if (all.has(above)) return false;
    return true;
  });
}
