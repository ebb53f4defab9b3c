import { Parser } from 'htmlparser2';

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

/**
 * The parser searches and shifts its list of open elements at every tag, so that a page of a million tags never closed
 * would take minutes. It is fed in pieces, and stops once this many levels too deep are open.
 */
const FLATTENED_MAX = 1_000;
const PIECE_CHARS = 4_096;

export function isElement(node: TreeNode): node is TreeElement {
  return 'tag' in node;
}

/** Parses HTML (decoded text) into the tree, script and style texts included (JSON-LD is read from them). */
export function parseTree(html: string): Tree {
  const root: TreeElement = { tag: '#root', attributes: {}, children: [], parent: null, kept: true };
  let current = root;
  let nodes = 0;
  let depth = 0;
  let flattened = 0;
  let truncated = false;
  const parser = new Parser(
    {
      onopentag(tag, attributes) {
        if (depth >= TREE_DEPTH_MAX || nodes >= TREE_NODES_MAX) {
          flattened += 1;
          truncated = true;
          return;
        }
        const element: TreeElement = { tag, attributes, children: [], parent: current, kept: true };
        current.children.push(element);
        current = element;
        nodes += 1;
        depth += 1;
      },
      ontext(text) {
        const last = current.children.at(-1);
        if (last !== undefined && !isElement(last)) last.text += text;
        else if (nodes < TREE_NODES_MAX) {
          current.children.push({ text, parent: current, kept: true });
          nodes += 1;
        } else truncated = true;
      },
      onclosetag() {
        if (flattened > 0) {
          flattened -= 1;
          return;
        }
        current = current.parent ?? root;
        depth -= 1;
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  for (let at = 0; at < html.length && flattened <= FLATTENED_MAX; at += PIECE_CHARS) {
    parser.write(html.slice(at, at + PIECE_CHARS));
  }
  parser.end();
  return { root, truncated };
}
