/**
 * The HTML parser. It builds the light tree of `tree.ts` by the tree construction of the HTML standard, so that broken markup is
 * read as browsers read it, within bounds on nodes and depth. It makes no DOM: comments are dropped and no script runs.
 */
import { TREE_DEPTH_MAX, TREE_NODES_MAX, type Tree, type TreeElement, type TreeNode } from '../table-shape.ts';
import { buildTree } from './build-tree.ts';
import { createFragmentBuilder, createPageBuilder } from './builder.ts';

/** Maximum missing elements that a tag opens around itself, such as a table's row and body. */
const IMPLIED_MAX = 4;

const BOUNDS = { nodesMax: TREE_NODES_MAX, depthMax: TREE_DEPTH_MAX - IMPLIED_MAX };

/** Parses decoded HTML as browsers do, including the texts of scripts (JSON-LD is read from them) and styles. */
export function parseTree(html: string): Tree {
  const root = createRoot();
  const builder = createPageBuilder(root, BOUNDS);
  buildTree(html, builder);
  return { root, truncated: builder.truncated };
}

/** Parses a piece of HTML as within the body of a page. */
export function parseFragment(html: string): TreeNode[] {
  const root = createRoot();
  buildTree(html, createFragmentBuilder(createPageBuilder(root, BOUNDS), root));
  return root.children;
}

const createRoot = (): TreeElement => ({
  tag: '#root',
  attributes: {},
  children: [],
  parent: null,
  kept: true,
});
