import { isElement, type TreeElement, type TreeNode } from '../tree.ts';
import { isNamed, makeElement, makeText, type Named, nodesOfHtml, textIn } from './make-element.ts';

/** Deeper blocks are left out. */
const DEPTH_MAX = 60;
const HTML = /<\/?[a-z][^<>]*>|&[a-z#\d]{2,8};/i;

/** The tag for a kind of block, by the names that editors and content systems give it, without separators. */
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

/** Lists of blocks: rich text as content systems store it, in whichever of their formats. */
const LISTS = ['content', 'children', 'blocks'];

/**
 * The nodes of rich text that is stored as data, or null when the value is none. Formats: Portable Text, Contentful,
 * ProseMirror and what is built on it, Lexical, Slate, Editor.js, Draft.js.
 */
export function richText(value: unknown): TreeNode[] | null {
  const blocks = blocksOf(value);
  if (blocks === null) return null;
  const nodes = nodesOf(blocks, 0);
  return nodes.length === 0 ? null : nodes;
}

function blocksOf(value: unknown): Named[] | null {
  if (isNamed(value)) {
    if (isNamed(value.root)) return blocksOf(value.root);
    const list = LISTS.map((name) => value[name]).find((inner) => Array.isArray(inner));
    return kindOf(value) === 'doc' ||
      kindOf(value) === 'document' ||
      kindOf(value) === 'root' ||
      Array.isArray(value.blocks)
      ? blocksOf(list)
      : null;
  }
  if (!Array.isArray(value) || value.length === 0) return null;
  const blocks = value.filter(isNamed);
  const known = blocks.filter((block) => isBlock(block));
  return known.length > 0 && known.length >= value.length / 2 ? blocks : null;
}

/** Whether a value is a block of a kind that is known, with a text or children. */
function isBlock(block: Named): boolean {
  const kind = kindOf(block);
  const known =
    kind === 'block' ||
    kind in TAGS ||
    /^h(?:ead)?(?:er|ing)?-?(?:[1-6]|one|two|three|four|five|six)?$/.test(kind);
  return (
    known &&
    (childrenOf(block).length > 0 || typeof block.text === 'string' || isNamed(block.data) || kind === 'hr')
  );
}

const kindOf = (block: Named): string => {
  const kind = block.nodeType ?? block._type ?? block.type;
  return typeof kind === 'string'
    ? kind
        .toLowerCase()
        .replace(/[-_\s]/g, '')
        .slice(0, 40)
    : '';
};

function childrenOf(block: Named): Named[] {
  const list = block.content ?? block.children;
  return Array.isArray(list) ? list.filter(isNamed) : [];
}

function nodesOf(blocks: Named[], depth: number): TreeNode[] {
  if (depth > DEPTH_MAX) return [];
  const nodes: TreeNode[] = [];
  for (const block of blocks) {
    const tag = listTagOf(block);
    const made = tag === null ? nodeOf(block, depth) : makeElement('li', inlineOf(block, depth));
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

/** The list that a block is an item of by its own mark, as in Portable Text and Draft.js. */
function listTagOf(block: Named): 'ul' | 'ol' | null {
  const mark =
    textIn(block, 'listItem') ??
    (/listitem$/.test(kindOf(block)) && typeof block.text === 'string' ? kindOf(block) : null);
  if (mark === null) return null;
  return /number|^ordered/.test(mark) ? 'ol' : 'ul';
}

function nodeOf(block: Named, depth: number): TreeNode | null {
  const kind = kindOf(block);
  if (
    typeof block.text === 'string' &&
    childrenOf(block).length === 0 &&
    (kind === '' || kind === 'text' || kind === 'span')
  )
    return marked(block);
  if (kind === 'text' && typeof block.value === 'string') return marked({ ...block, text: block.value });
  if (isNamed(block.data) && EDITOR_JS.some((name) => name in (block.data as Named)))
    return editorJs(kind, block.data);
  const tag = tagOf(block, kind);
  if (tag === 'pre') return codeBlock(block, depth);
  if (tag === 'br' || tag === 'hr') return makeElement(tag, []);
  const children = typeof block.text === 'string' ? nodesOfText(block.text) : inlineOf(block, depth);
  if (children.length === 0) return null;
  return makeElement(tag ?? 'div', children, tag === 'a' ? { href: addressOf(block) } : {});
}

function tagOf(block: Named, kind: string): string | null {
  if (kind === 'block') {
    const style = (textIn(block, 'style') ?? 'normal').toLowerCase();
    return /^h[1-6]$/.test(style) ? style : (TAGS[style] ?? 'p');
  }
  const heading = /^h(?:eader|eading)?-?([1-6]|one|two|three|four|five|six)?$/.exec(kind);
  if (heading === null) {
    const format = textIn(block, 'format') ?? textIn(block, 'listType');
    if (kind === 'list') return format === 'ordered' || format === 'number' ? 'ol' : 'ul';
    return TAGS[kind] ?? null;
  }
  if (/^h[1-6]$/.test(textIn(block, 'tag') ?? '')) return textIn(block, 'tag');
  const attributes = isNamed(block.attrs) ? block.attrs : block;
  const level = heading[1] ?? String(attributes.level ?? block.depth ?? 2);
  const number = /^[1-6]$/.test(level) ? level : String(Math.max(2, NUMBERS.indexOf(level) + 1));
  return `h${number}`;
}

function inlineOf(block: Named, depth: number): TreeNode[] {
  const links = new Map(
    (Array.isArray(block.markDefs) ? block.markDefs : [])
      .filter(isNamed)
      .map((mark) => [String(mark._key), textIn(mark, 'href')] as const),
  );
  if (typeof block.text === 'string' && childrenOf(block).length === 0) return nodesOfText(block.text);
  return nodesOf(
    childrenOf(block).map((child) => withLink(child, links)),
    depth + 1,
  );
}

/** A span of Portable Text names its link by a key of the block. */
function withLink(span: Named, links: ReadonlyMap<string, string | null>): Named {
  const marks = Array.isArray(span.marks) ? span.marks : [];
  const href = marks
    .map((mark) => (typeof mark === 'string' ? links.get(mark) : null))
    .find((link) => link != null);
  return href == null ? span : { ...span, href };
}

/** A text with the marks that are written: bold, italic, code, link. */
function marked(span: Named): TreeNode {
  const text = String(span.text);
  const names = new Set(
    (Array.isArray(span.marks) ? span.marks : []).map((mark) =>
      typeof mark === 'string' ? mark : isNamed(mark) ? String(mark.type ?? '') : '',
    ),
  );
  const format = typeof span.format === 'number' ? span.format : 0;
  let node = makeText(text);
  if (names.has('code') || span.code === true || (format & 16) !== 0) node = makeElement('code', [node]);
  if (names.has('em') || names.has('italic') || span.italic === true || (format & 2) !== 0)
    node = makeElement('em', [node]);
  if (names.has('strong') || names.has('bold') || span.bold === true || (format & 1) !== 0)
    node = makeElement('strong', [node]);
  const href = textIn(span, 'href') ?? linkOf(span.marks);
  return href === null ? node : makeElement('a', [node], { href });
}

function linkOf(marks: unknown): string | null {
  const link = (Array.isArray(marks) ? marks : []).filter(isNamed).find(({ type }) => type === 'link');
  return link !== undefined && isNamed(link.attrs) ? textIn(link.attrs, 'href') : null;
}

const addressOf = (block: Named): string =>
  (isNamed(block.data) ? textIn(block.data, 'uri') : null) ??
  (isNamed(block.fields) ? textIn(block.fields, 'url') : null) ??
  textIn(block, 'url') ??
  textIn(block, 'href') ??
  '';

function codeBlock(block: Named, depth: number): TreeNode {
  const attributes = isNamed(block.attrs) ? block.attrs : block;
  const language = textIn(attributes, 'language') ?? '';
  const code = textIn(block, 'code') ?? textIn(block, 'text');
  const children = code === null ? inlineOf(block, depth) : [makeText(code)];
  return makeElement('pre', [
    makeElement('code', children, language === '' ? {} : { class: `language-${language}` }),
  ]);
}

const EDITOR_JS = ['text', 'html', 'items', 'code', 'content'];

/** A block of Editor.js; its texts are HTML. */
function editorJs(kind: string, data: Named): TreeNode | null {
  const text = textIn(data, 'text') ?? textIn(data, 'html') ?? '';
  if (kind === 'header')
    return makeElement(`h${/^[1-6]$/.test(String(data.level)) ? data.level : 2}`, nodesOfText(text));
  if (kind === 'list' && Array.isArray(data.items))
    return makeElement(data.style === 'ordered' ? 'ol' : 'ul', data.items.map(itemOf));
  if (kind === 'code')
    return makeElement('pre', [makeElement('code', [makeText(textIn(data, 'code') ?? '')])]);
  if (kind === 'table' && Array.isArray(data.content)) return tableOf(data.content);
  if (text === '') return kind === 'delimiter' ? makeElement('hr', []) : null;
  return makeElement(kind === 'quote' ? 'blockquote' : 'p', nodesOfText(text));
}

function itemOf(item: unknown): TreeNode {
  const text =
    typeof item === 'string'
      ? item
      : isNamed(item)
        ? (textIn(item, 'content') ?? textIn(item, 'text') ?? '')
        : '';
  return makeElement('li', nodesOfText(text));
}

function tableOf(rows: unknown[]): TreeNode {
  const cells = (row: unknown): TreeNode[] =>
    Array.isArray(row)
      ? row.map((cell) => makeElement('td', nodesOfText(typeof cell === 'string' ? cell : '')))
      : [];
  return makeElement(
    'table',
    rows.map((row) => makeElement('tr', cells(row))),
  );
}

const nodesOfText = (text: string): TreeNode[] => (HTML.test(text) ? nodesOfHtml(text) : [makeText(text)]);
