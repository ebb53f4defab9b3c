import { TREE_DEPTH_MAX, TREE_NODES_MAX, type Tree, type TreeElement, type TreeNode } from '../tree.ts';
import { buildTree } from './build-tree.ts';
import { createFragmentBuilder, createPageBuilder } from './builder.ts';

/** Elements that a tag opens around itself where they are missing, such as a table's row and body. */
const IMPLIED_MAX = 4;

const BOUNDS = { nodesMax: TREE_NODES_MAX, depthMax: TREE_DEPTH_MAX - IMPLIED_MAX };

/** Parses HTML (decoded text) as browsers do, script and style texts included (JSON-LD is read from them). */
export function parseTree(html: string): Tree {
  const root = createRoot();
  const builder = createPageBuilder(root, BOUNDS);
  buildTree(html, builder);
  return { root, truncated: builder.truncated };
}

/** Parses a piece of HTML as it would be read within a page's body. */
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
