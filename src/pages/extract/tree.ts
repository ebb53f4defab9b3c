/**
 * The light tree that a page is parsed into, once. Everything in extract/ works on it; there is no second DOM.
 * Choosing the main content sets `kept`, and the Markdown writer obeys it: a text is written when it is kept,
 * an element is entered when it is kept (an element is kept when anything in it is).
 */
export type TreeElement = {
  tag: string;
  attributes: Record<string, string>;
  children: TreeNode[];
  parent: TreeElement | null;
  kept: boolean;
};
/** Shared by all elements without attributes, so that one comparison answers most questions about them. */
export const NO_ATTRIBUTES: Record<string, string> = Object.freeze({});

export type TreeText = { text: string; parent: TreeElement; kept: boolean };
export type TreeNode = TreeElement | TreeText;

export type Tree = {
  root: TreeElement;
  /** True when the page exceeded the bound on nodes or levels. */
  truncated: boolean;
};

/** Bounds against hostile pages. Deeper levels are flattened into their parent; further nodes are dropped. */
export const TREE_NODES_MAX = 200_000;
export const TREE_DEPTH_MAX = 256;

export function isElement(node: TreeNode): node is TreeElement {
  return 'tag' in node;
}
