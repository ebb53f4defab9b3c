import type { TreeElement, TreeNode, TreeText } from '../table-shape.ts';
import { isElement } from '../table-shape.ts';
import { findCurrentElement, type Namespace, type OpenElements, TABLE_CONTEXT } from './open-elements.ts';

export type Mode =
  | 'initial'
  | 'beforeHtml'
  | 'beforeHead'
  | 'inHead'
  | 'afterHead'
  | 'inBody'
  | 'inTable'
  | 'inCaption'
  | 'inColumnGroup'
  | 'inTableBody'
  | 'inRow'
  | 'inCell'
  | 'inTemplate'
  | 'inFrameset'
  | 'afterFrameset';

/** An entry of the list of active formatting elements; null is a marker. */
type FormattingEntry = TreeElement | null;

/** A start tag as the rules see it. */
export type StartTag = { tag: string; attributes: Record<string, string>; selfClosing: boolean };

/** The state of the tree construction of one page. */
export type Builder = {
  root: TreeElement;
  open: OpenElements;
  /** Tags open beyond the depth bound: their contents go into the innermost element within it. */
  beyond: string[];
  formatting: FormattingEntry[];
  mode: Mode;
  templateModes: Mode[];
  head: TreeElement | null;
  form: TreeElement | null;
  quirks: boolean;
  framesetOk: boolean;
  /** True while a table's rules foster content that does not belong in it. */
  fostering: boolean;
  /** True where a line feed is skipped: at the start of a `pre`. */
  skipsNewline: boolean;
  /** The element whose raw text is being read. */
  raw: TreeElement | null;
  /** True when the text of `noscript` is parsed as a fragment of its own. */
  readsNoscript: boolean;
  /** Templates that are shadow roots of their parents. */
  shadowRoots: TreeElement[];
  nodes: number;
  nodesMax: number;
  depthMax: number;
  truncated: boolean;
};

/** Creates the state at the start of a page. */
export function createPageBuilder(
  root: TreeElement,
  bounds: { nodesMax: number; depthMax: number },
): Builder {
  return {
    root,
    open: { elements: [], spaces: [] },
    beyond: [],
    formatting: [],
    mode: 'initial',
    templateModes: [],
    head: null,
    form: null,
    quirks: true,
    framesetOk: true,
    fostering: false,
    skipsNewline: false,
    raw: null,
    readsNoscript: true,
    shadowRoots: [],
    nodes: 0,
    truncated: false,
    ...bounds,
  };
}

/** Creates the state for contents of an element that are parsed separately, within the page's bounds. */
export function createFragmentBuilder(
  { nodesMax, depthMax, nodes, open }: Builder,
  root: TreeElement,
): Builder {
  const own = createPageBuilder(root, { nodesMax, depthMax: Math.max(1, depthMax - open.elements.length) });
  return {
    ...own,
    open: { elements: [root], spaces: ['html'] },
    mode: 'inBody',
    readsNoscript: false,
    framesetOk: false,
    nodes,
  };
}

type InsertionPlace = { parent: TreeElement; before: TreeElement | null };

/** Opens an element at its insertion place. */
export function openElement(
  builder: Builder,
  tag: string,
  attributes: Record<string, string>,
  space: Namespace = 'html',
): TreeElement {
  const element = addElement(builder, tag, attributes);
  const { elements, spaces } = builder.open;
  elements.push(element);
  spaces.push(space);
  return element;
}

/** Adds an element without opening it: it has no contents, or its contents are raw text. */
export function addElement(builder: Builder, tag: string, attributes: Record<string, string>): TreeElement {
  if (!builder.fostering) {
    const parent = findInnermost(builder);
    const element: TreeElement = { tag, attributes, children: [], parent, kept: true };
    if (countNode(builder)) appendNode(parent, element);
    return element;
  }
  const { parent, before } = findInsertionPlace(builder);
  const element: TreeElement = { tag, attributes, children: [], parent, kept: true };
  if (!countNode(builder)) return element;
  if (before === null) appendNode(parent, element);
  else parent.children.splice(parent.children.lastIndexOf(before), 0, element);
  return element;
}

/** Appends a node. The first child gets a literal array, which has room for one; `push` would allocate room for 17. */
function appendNode(parent: TreeElement, node: TreeNode): void {
  if (parent.children.length === 0) parent.children = [node];
  else parent.children.push(node);
}

/** Adds text at its insertion place, joined to the text before it. */
export function addText(builder: Builder, text: string): void {
  if (text === '') return;
  const { parent, before } = findInsertionPlace(builder);
  const { children } = parent;
  const at = before === null ? children.length : children.lastIndexOf(before);
  const last = children[at - 1];
  if (last !== undefined && !isElement(last)) {
    last.text += text;
    return;
  }
  if (!countNode(builder)) return;
  const node: TreeText = { text, parent, kept: true };
  if (before === null) appendNode(parent, node);
  else children.splice(at, 0, node);
}

/** Counts one more node; returns false, and marks the page as truncated, when that exceeds the bound. */
export function countNode(builder: Builder): boolean {
  if (builder.nodes < builder.nodesMax) {
    builder.nodes += 1;
    return true;
  }
  builder.truncated = true;
  return false;
}

/** Finds the place of a new node: before the table when the innermost element is a table that it does not belong in. */
export function findInsertionPlace(builder: Builder, target = findInnermost(builder)): InsertionPlace {
  if (!builder.fostering || !TABLE_CONTEXT.has(target.tag)) return { parent: target, before: null };
  const { elements } = builder.open;
  const table = elements.findLastIndex(({ tag }) => tag === 'table');
  const template = elements.findLastIndex(({ tag }) => tag === 'template');
  if (template > table) return { parent: elements[template] as TreeElement, before: null };
  const found = elements[table];
  if (found === undefined) return { parent: elements[0] ?? builder.root, before: null };
  if (found.parent !== null && found.parent.children.lastIndexOf(found) !== -1)
    return { parent: found.parent, before: found };
  return { parent: elements[table - 1] ?? builder.root, before: null };
}

export function findInnermost(builder: Builder): TreeElement {
  return findCurrentElement(builder.open) ?? builder.root;
}

/** Moves a node to an insertion place. */
export function moveTo(node: TreeElement, { parent, before }: InsertionPlace): void {
  detach(node);
  node.parent = parent;
  if (before === null) parent.children.push(node);
  else parent.children.splice(parent.children.lastIndexOf(before), 0, node);
}

function detach(node: TreeElement): void {
  const siblings = node.parent?.children ?? [];
  const at = siblings.lastIndexOf(node);
  if (at !== -1) siblings.splice(at, 1);
}
