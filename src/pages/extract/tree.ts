/**
 * The light tree that a page is parsed into once. Everything in extract/ works on it; there is no second DOM.
 * `kept` is what the choice of main content writes and the Markdown writer obeys: a text is written when it is kept,
 * an element is entered when it is kept (an element is kept when anything in it is).
 */
export type TreeElement = {
  tag: string;
  attributes: Record<string, string>;
  children: TreeNode[];
  parent: TreeElement | null;
  kept: boolean;
};
/** The attributes of every element that was written without any, so that most questions about them need no look-up. */
export const NO_ATTRIBUTES: Record<string, string> = Object.freeze({});

export type TreeText = { text: string; parent: TreeElement; kept: boolean };
export type TreeNode = TreeElement | TreeText;

export type Tree = {
  root: TreeElement;
  /** True when the page had more nodes or levels than the bounds; the rest was left out. */
  truncated: boolean;
};

/** Bounds against hostile pages. A level beyond the bound is flattened into its parent, a node beyond it dropped. */
export const TREE_NODES_MAX = 200_000;
export const TREE_DEPTH_MAX = 256;

export function isElement(node: TreeNode): node is TreeElement {
  return 'tag' in node;
}
