import { TREE_DEPTH_MAX, TREE_NODES_MAX, type Tree, type TreeElement } from '../tree.ts';
import { buildTree } from './build-tree.ts';
import { pageBuilder } from './builder.ts';

/** Elements that a tag opens around itself where they are missing, such as a table's row and body. */
const IMPLIED_MAX = 4;

/** Parses HTML (decoded text) as browsers do, script and style texts included (JSON-LD is read from them). */
export function parseTree(html: string): Tree {
  const root: TreeElement = { tag: '#root', attributes: {}, children: [], parent: null, kept: true };
  const builder = pageBuilder(root, { nodesMax: TREE_NODES_MAX, depthMax: TREE_DEPTH_MAX - IMPLIED_MAX });
  buildTree(html, builder);
  return { root, truncated: builder.truncated };
}
