import { parseFragment } from '../parse/build-tree.ts';
import { isElement, type TreeElement, type TreeNode } from '../table-shape.ts';

const DETACHED: TreeElement = { tag: '#none', attributes: {}, children: [], parent: null, kept: true };
const readString = (value: DataObject, name: string): string | null => {
  const text = value[name];
  return typeof text === 'string' && text !== '' ? text : null;
};

/** Maximum depth; deeper blocks are left out. */
const DEPTH_MAX = 60;
const HTML = /<\/?[a-z][^<>]*>|&[a-z#\d]{2,8};/i;

/** Tags by the kind of block, as editors and content systems name it, without separators. */
const TAGS: Record<string, string> = {
  paragraph: 'p',
  unstyled: 'p',
  normal: 'p',
  p: 'p',
  blockquote: 'blockquote',
  quote: 'blockquote',
  bulletlist: 'ul',
  unorderedlist: 'ul',
  bulletedlist: 'ul',
  ul: 'ul',
  orderedlist: 'ol',
  numberedlist: 'ol',
  ol: 'ol',
  listitem: 'li',
  li: 'li',
  lic: 'span',
  codeblock: 'pre',
  code: 'pre',
  horizontalrule: 'hr',
  hr: 'hr',
  thematicbreak: 'hr',
  delimiter: 'hr',
  hardbreak: 'br',
  linebreak: 'br',
  table: 'table',
  tablerow: 'tr',
  tr: 'tr',
  tablecell: 'td',
  td: 'td',
  tableheader: 'th',
  tableheadercell: 'th',
  th: 'th',
  hyperlink: 'a',
  link: 'a',
  a: 'a',
};
const NUMBERS = ['one', 'two', 'three', 'four', 'five', 'six'];

/** Properties under which content systems store a list of blocks. */
const LISTS = ['content', 'children', 'blocks'];

/**
 * Parses rich text that is stored as data into nodes; null when the value is not rich text. Formats: Portable Text, Contentful,
 * ProseMirror and editors built on it, Lexical, Slate, Editor.js, Draft.js.
 */
export function parseRichText(value: unknown): TreeNode[] | null {
  const blocks = findBlocks(value);
  if (blocks === null) return null;
  const nodes = buildNodes(blocks, 0);
  return nodes.length === 0 ? null : nodes;
}

function findBlocks(value: unknown): DataObject[] | null {
  if (isDataObject(value)) {
    if (isDataObject(value.root)) return findBlocks(value.root);
    const list = LISTS.map((name) => value[name]).find((inner) => Array.isArray(inner));
    return readKind(value) === 'doc' ||
      readKind(value) === 'document' ||
      readKind(value) === 'root' ||
      Array.isArray(value.blocks)
      ? findBlocks(list)
      : null;
  }
  if (!Array.isArray(value) || value.length === 0) return null;
  const blocks = value.filter(isDataObject);
  const known = blocks.filter((block) => isBlock(block));
  return known.length > 0 && known.length >= value.length / 2 ? blocks : null;
}

/** Returns whether a value is a block of a known kind with text or children. */
function isBlock(block: DataObject): boolean {
  const kind = readKind(block);
  const known =
    kind === 'block' ||
    kind in TAGS ||
    /^h(?:ead)?(?:er|ing)?-?(?:[1-6]|one|two|three|four|five|six)?$/.test(kind);
  return (
    known &&
    (listChildren(block).length > 0 ||
      typeof block.text === 'string' ||
      isDataObject(block.data) ||
      kind === 'hr')
  );
}

const readKind = (block: DataObject): string => {
  const kind = block.nodeType ?? block._type ?? block.type;
  return typeof kind === 'string'
    ? kind
        .toLowerCase()
        .replace(/[-_\s]/g, '')
        .slice(0, 40)
    : '';
};

function listChildren(block: DataObject): DataObject[] {
  const list = block.content ?? block.children;
  return Array.isArray(list) ? list.filter(isDataObject) : [];
}

function buildNodes(blocks: DataObject[], depth: number): TreeNode[] {
  if (depth > DEPTH_MAX) return [];
  const nodes: TreeNode[] = [];
  for (const block of blocks) {
    const tag = chooseListTag(block);
    const made = tag === null ? buildNode(block, depth) : makeElement('li', buildInline(block, depth));
    if (made === null) continue;
    const last = nodes.at(-1);
    if (tag === null) nodes.push(made);
    else if (last !== undefined && isElement(last) && last.tag === tag && isElement(made))
      addChild(last, made);
    else nodes.push(makeElement(tag, [made]));
  }
  return nodes;
}

function addChild(parent: TreeElement, child: TreeElement): void {
  parent.children.push(child);
  child.parent = parent;
}

/** Chooses the list tag of a block that marks itself as a list item, as in Portable Text and Draft.js. */
function chooseListTag(block: DataObject): 'ul' | 'ol' | null {
  const mark =
    readString(block, 'listItem') ??
    (/listitem$/.test(readKind(block)) && typeof block.text === 'string' ? readKind(block) : null);
  if (mark === null) return null;
  return /number|^ordered/.test(mark) ? 'ol' : 'ul';
}

function buildNode(block: DataObject, depth: number): TreeNode | null {
  const kind = readKind(block);
  if (
    typeof block.text === 'string' &&
    listChildren(block).length === 0 &&
    (kind === '' || kind === 'text' || kind === 'span')
  )
    return buildMarkedText(block);
  if (kind === 'text' && typeof block.value === 'string')
    return buildMarkedText({ ...block, text: block.value });
  if (isDataObject(block.data) && EDITOR_JS.some((name) => name in (block.data as DataObject)))
    return buildEditorJsBlock(kind, block.data);
  const tag = chooseTag(block, kind);
  if (tag === 'pre') return buildCodeBlock(block, depth);
  if (tag === 'br' || tag === 'hr') return makeElement(tag, []);
  const children = typeof block.text === 'string' ? buildTextNodes(block.text) : buildInline(block, depth);
  if (children.length === 0) return null;
  return makeElement(tag ?? 'div', children, tag === 'a' ? { href: findAddress(block) } : {});
}

function chooseTag(block: DataObject, kind: string): string | null {
  if (kind === 'block') {
    const style = (readString(block, 'style') ?? 'normal').toLowerCase();
    return /^h[1-6]$/.test(style) ? style : (TAGS[style] ?? 'p');
  }
  const heading = /^h(?:eader|eading)?-?([1-6]|one|two|three|four|five|six)?$/.exec(kind);
  if (heading === null) {
    const format = readString(block, 'format') ?? readString(block, 'listType');
    if (kind === 'list') return format === 'ordered' || format === 'number' ? 'ol' : 'ul';
    return TAGS[kind] ?? null;
  }
  if (/^h[1-6]$/.test(readString(block, 'tag') ?? '')) return readString(block, 'tag');
  const attributes = isDataObject(block.attrs) ? block.attrs : block;
  const level = heading[1] ?? String(attributes.level ?? block.depth ?? 2);
  const number = /^[1-6]$/.test(level) ? level : String(Math.max(2, NUMBERS.indexOf(level) + 1));
  return `h${number}`;
}

function buildInline(block: DataObject, depth: number): TreeNode[] {
  const links = new Map(
    (Array.isArray(block.markDefs) ? block.markDefs : [])
      .filter(isDataObject)
      .map((mark) => [String(mark._key), readString(mark, 'href')] as const),
  );
  if (typeof block.text === 'string' && listChildren(block).length === 0) return buildTextNodes(block.text);
  return buildNodes(
    listChildren(block).map((child) => addLink(child, links)),
    depth + 1,
  );
}

/** Adds the link to a span of Portable Text, which refers to it by a key of the block. */
function addLink(span: DataObject, links: ReadonlyMap<string, string | null>): DataObject {
  const marks = Array.isArray(span.marks) ? span.marks : [];
  const href = marks
    .map((mark) => (typeof mark === 'string' ? links.get(mark) : null))
    .find((link) => link != null);
  return href == null ? span : { ...span, href };
}

/** Builds a text with its marks: bold, italic, code, link. */
function buildMarkedText(span: DataObject): TreeNode {
  const text = String(span.text);
  const names = new Set(
    (Array.isArray(span.marks) ? span.marks : []).map((mark) =>
      typeof mark === 'string' ? mark : isDataObject(mark) ? String(mark.type ?? '') : '',
    ),
  );
  const format = typeof span.format === 'number' ? span.format : 0;
  let node = makeText(text);
  if (names.has('code') || span.code === true || (format & 16) !== 0) node = makeElement('code', [node]);
  if (names.has('em') || names.has('italic') || span.italic === true || (format & 2) !== 0)
    node = makeElement('em', [node]);
  if (names.has('strong') || names.has('bold') || span.bold === true || (format & 1) !== 0)
    node = makeElement('strong', [node]);
  const href = readString(span, 'href') ?? findMarkLink(span.marks);
  return href === null ? node : makeElement('a', [node], { href });
}

function findMarkLink(marks: unknown): string | null {
  const link = (Array.isArray(marks) ? marks : []).filter(isDataObject).find(({ type }) => type === 'link');
  return link !== undefined && isDataObject(link.attrs) ? readString(link.attrs, 'href') : null;
}

const findAddress = (block: DataObject): string =>
  (isDataObject(block.data) ? readString(block.data, 'uri') : null) ??
  (isDataObject(block.fields) ? readString(block.fields, 'url') : null) ??
  readString(block, 'url') ??
  readString(block, 'href') ??
  '';

function buildCodeBlock(block: DataObject, depth: number): TreeNode {
  const attributes = isDataObject(block.attrs) ? block.attrs : block;
  const language = readString(attributes, 'language') ?? '';
  const code = readString(block, 'code') ?? readString(block, 'text');
  const children = code === null ? buildInline(block, depth) : [makeText(code)];
  return makeElement('pre', [
    makeElement('code', children, language === '' ? {} : { class: `language-${language}` }),
  ]);
}

const EDITOR_JS = ['text', 'html', 'items', 'code', 'content'];

/** Builds a block of Editor.js, whose texts are HTML. */
function buildEditorJsBlock(kind: string, data: DataObject): TreeNode | null {
  const text = readString(data, 'text') ?? readString(data, 'html') ?? '';
  if (kind === 'header')
    return makeElement(`h${/^[1-6]$/.test(String(data.level)) ? data.level : 2}`, buildTextNodes(text));
  if (kind === 'list' && Array.isArray(data.items))
    return makeElement(data.style === 'ordered' ? 'ol' : 'ul', data.items.map(buildItem));
  if (kind === 'code')
    return makeElement('pre', [makeElement('code', [makeText(readString(data, 'code') ?? '')])]);
  if (kind === 'table' && Array.isArray(data.content)) return buildTable(data.content);
  if (text === '') return kind === 'delimiter' ? makeElement('hr', []) : null;
  return makeElement(kind === 'quote' ? 'blockquote' : 'p', buildTextNodes(text));
}

function buildItem(item: unknown): TreeNode {
  const text =
    typeof item === 'string'
      ? item
      : isDataObject(item)
        ? (readString(item, 'content') ?? readString(item, 'text') ?? '')
        : '';
  return makeElement('li', buildTextNodes(text));
}

function buildTable(rows: unknown[]): TreeNode {
  const buildCells = (row: unknown): TreeNode[] =>
    Array.isArray(row)
      ? row.map((cell) => makeElement('td', buildTextNodes(typeof cell === 'string' ? cell : '')))
      : [];
  return makeElement(
    'table',
    rows.map((row) => makeElement('tr', buildCells(row))),
  );
}

const buildTextNodes = (text: string): TreeNode[] => (HTML.test(text) ? parseNodes(text) : [makeText(text)]);

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

/** Parses a piece of HTML into nodes. */
export function parseNodes(html: string): TreeNode[] {
  return parseFragment(html);
}

/** Data with named values, such as a JSON object. */
export type DataObject = Record<string, unknown>;

export function isDataObject(value: unknown): value is DataObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
