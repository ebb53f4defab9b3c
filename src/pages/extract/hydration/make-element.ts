import { parseFragment } from '../parse/parse-tree.ts';
import type { TreeElement, TreeNode } from '../tree.ts';

/** Makes a tree element from data and sets it as the parent of its children. */
export function makeElement(
  tag: string,
  children: TreeNode[],
  attributes: Record<string, string> = {},
): TreeElement {
  const element: TreeElement = { tag, attributes, children, parent: null, kept: true };
  for (const child of children) child.parent = element;
  return element;
}

/** Makes a text node; `makeElement` sets its parent. */
export function makeText(text: string): TreeNode {
  return { text, parent: DETACHED, kept: true };
}
const DETACHED: TreeElement = { tag: '#none', attributes: {}, children: [], parent: null, kept: true };

/** Parses a piece of HTML into nodes. */
export function parseNodes(html: string): TreeNode[] {
  return parseFragment(html);
}

/** Data with named values, such as a JSON object. */
export type DataObject = Record<string, unknown>;

export function isDataObject(value: unknown): value is DataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const readString = (value: DataObject, name: string): string | null => {
  const text = value[name];
  return typeof text === 'string' && text !== '' ? text : null;
};
