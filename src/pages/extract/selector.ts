import { compile, type Options, selectAll } from 'css-select';
import { isElement, type TreeElement, type TreeNode } from './table-shape.ts';

export const SELECTOR_CHARS_MAX = 500;
/** Maximum elements that one selector finds; further ones are left out. */
const FOUND_MAX = 10_000;
/** Adapts our tree to the selector engine. */
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
  getText: readFullText,
  removeSubsets: removeNested,
};
const OPTIONS: Options<TreeNode, TreeElement> = { adapter: ADAPTER };

/** A validated CSS selector; plain text, so that it can be sent to a thread. */
export type Selector = string & { readonly selector: unique symbol };

/** Validates a selector; returns the reason if it is invalid. */
export function validateSelector(text: string): Selector | { problem: string } {
  if (text.trim() === '') return { problem: 'is empty' };
  if (text.length > SELECTOR_CHARS_MAX) return { problem: `has over ${SELECTOR_CHARS_MAX} characters` };
  try {
    compile(text, OPTIONS);
  } catch (error) {
    if (error instanceof Error) return { problem: 'is not a valid CSS selector' };
    throw error;
  }
  // The only place that creates a `Selector`: the text has just been compiled.
  return text as Selector;
}

/** Finds the elements below `root` that match, in page order. */
export function findMatchingElements(root: TreeElement, selector: Selector): TreeElement[] {
  return selectAll(selector, root.children, { ...OPTIONS, context: root }).slice(0, FOUND_MAX);
}

/** Reads all text in a node, as written. */
export function readFullText(node: TreeNode): string {
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

function removeNested(nodes: TreeNode[]): TreeNode[] {
  const all = new Set(nodes);
  return [...all].filter((node) => {
    for (let above = node.parent; above !== null; above = above.parent) if (all.has(above)) return false;
    return true;
  });
}
