import { parseFragment } from '../parse/parse-tree.ts';
import type { TreeElement, TreeNode } from '../tree.ts';

/** An element of a tree that is made from data; its children get it as their parent. */
export function makeElement(
  tag: string,
  children: TreeNode[],
  attributes: Record<string, string> = {},
): TreeElement {
  const element: TreeElement = { tag, attributes, children, parent: null, kept: true };
  for (const child of children) child.parent = element;
  return element;
}

/** A text node; `makeElement` sets its parent. */
export function makeText(text: string): TreeNode {
  return { text, parent: DETACHED, kept: true };
}
const DETACHED: TreeElement = { tag: '#none', attributes: {}, children: [], parent: null, kept: true };

/** The nodes of a piece of HTML. */
export function nodesOfHtml(html: string): TreeNode[] {
  return parseFragment(html);
}

/** Data with names, such as an object of JSON. */
export type Named = Record<string, unknown>;

export function isNamed(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const textIn = (value: Named, name: string): string | null => {
  const text = value[name];
  return typeof text === 'string' && text !== '' ? text : null;
};
