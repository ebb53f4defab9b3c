/** Shared by all elements without attributes, so that one comparison answers most questions about them. */
export const NO_ATTRIBUTES: Record<string, string> = Object.freeze({});
/** Bounds against hostile pages. Deeper levels are flattened into their parent; further nodes are dropped. */
export const TREE_NODES_MAX = 200_000;
export const TREE_DEPTH_MAX = 256;

/** The purpose of a table; it decides whether the table is chosen as a whole and how it is written. */
type TableKind = 'data' | 'layout' | 'code' | 'fields';

/** One row, and whether it is in the table's head. */
export type TableRow = { row: TreeElement; inHead: boolean };

const CELL_DEPTH_MAX = 8;
const GRID_ROLES = new Set(['table', 'grid', 'treegrid']);
const GROUPS = new Set(['thead', 'tbody', 'tfoot']);
const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const CODE_TABLE =
  /(?:^|\s)(?:highlighttable|rouge-table|lntable|codehilitetable|crayon-table|hljs-ln|diff-table|blob-wrapper|js-file-line-container|syntaxhighlighter)(?=\s|$)/i;
const GUTTER =
  /(?:^|\s)(?:linenos|gutter|gl|lntd-numbers|crayon-nums|line-numbers|blob-num|hljs-ln-numbers)(?=\s|$)/i;
/** Differences between two versions of a text, side by side with their signs, as wikis show them. */
const TEXT_DIFF = /(?:^|\s)diff(?=\s|$)/;
const FIELD_LIST = /(?:^|\s)field-list(?=\s|$)/;
/** Elements that mark a table without a header row as layout. */
const LAYOUT_TAGS = /^(?:table|h1|h2|form|article|section|iframe)$/;
/** Elements that mark even a table with a header row as layout, of a whole page. */
const PAGE_TAGS = /^(?:h1|article|main)$/;

/** Returns whether an element is a table, by its tag or as an ARIA grid of other elements. */
export function isTable({ tag, attributes }: TreeElement): boolean {
  if (tag === 'table') return true;
  return attributes.role !== undefined && GRID_ROLES.has(attributes.role) && tag !== 'tr';
}

/** Returns whether an element is a cell of line numbers beside code. */
export function isGutter({ attributes }: TreeElement): boolean {
  return attributes.class !== undefined && GUTTER.test(attributes.class);
}

/** Lists the rows of a table, kept or not, without those of nested tables; in the order shown, the foot last. */
export function listRows(table: TreeElement): TableRow[] {
  const rows: TableRow[] = [];
  const foot: TableRow[] = [];
  for (const child of listChildElements(table)) {
    if (isHidden(child)) continue;
    if (isRow(child)) rows.push({ row: child, inHead: false });
    else if (GROUPS.has(child.tag) || child.attributes.role === 'rowgroup') {
      const inHead = child.tag === 'thead';
      for (const row of listChildElements(child)) {
        if (isRow(row) && !isHidden(row)) (child.tag === 'tfoot' ? foot : rows).push({ row, inHead });
      }
    }
  }
  return rows.concat(foot);
}

/** Lists the cells of a row, empty ones included; hidden cells are left out with their column. */
export function listCells(row: TreeElement): TreeElement[] {
  return listChildElements(row).filter((cell) => isCell(cell) && !isHidden(cell));
}

/** Returns whether a cell names its row or column. */
export function isHeaderCell({ tag, attributes: { role } }: TreeElement): boolean {
  return tag === 'th' || role === 'columnheader' || role === 'rowheader';
}

/** Reads the text of a cell, kept or not, without that of deeper elements than `CELL_DEPTH_MAX`. */
export function readCellText(cell: TreeElement, depth = 0): string {
  return cell.children
    .map((node) =>
      isElement(node) ? (depth < CELL_DEPTH_MAX ? readCellText(node, depth + 1) : '') : node.text,
    )
    .join('');
}

/** Distinguishes data tables from layout, code with line numbers, and lists of a function's fields. */
export function detectTableKind(table: TreeElement): TableKind {
  const { role, class: classes = '' } = table.attributes;
  if (CODE_TABLE.test(classes)) return 'code';
  if (TEXT_DIFF.test(classes)) return 'data';
  if (FIELD_LIST.test(classes)) return 'fields';
  const rows = listRows(table).map(({ row }) => listCells(row));
  if (rows.some((cells) => cells.some((cell) => cell.tag === 'td' && isGutter(cell)))) return 'code';
  if (role === 'presentation' || role === 'none') return 'layout';
  if (role === 'table' && table.tag === 'table') return 'data';
  if (hasHeaderRow(rows) || table.tag !== 'table') return containsTag(table, PAGE_TAGS) ? 'layout' : 'data';
  return containsTag(table, LAYOUT_TAGS) || isLoose(rows) ? 'layout' : 'data';
}

/** Returns whether some row names at least two columns; a header needs at least one other row. */
function hasHeaderRow(rows: TreeElement[][]): boolean {
  if (rows.length < 2) return false;
  return rows.some(
    (cells) =>
      cells.filter((cell) => isHeaderCell(cell) && cell.attributes.scope !== 'row').length > 1 &&
      cells.every((cell) => isHeaderCell(cell) || isBare(cell)),
  );
}

/** Returns whether a table without a header row is only layout. */
function isLoose(rows: TreeElement[][]): boolean {
  const columns = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  const hasHeader = rows.some((cells) => cells.some(isHeaderCell));
  if (columns <= 1) return !hasHeader;
  if (hasHeader) return false;
  return rows.length === 1 || rows.flat().some(isHeavy);
}

/** Returns whether a cell holds several blocks of running text, or code. */
function isHeavy(cell: TreeElement): boolean {
  const blocks = listChildElements(cell).filter(({ tag }) =>
    /^(?:p|ul|ol|pre|blockquote|h[3-6]|dl)$/.test(tag),
  );
  return blocks.length > 3 || blocks.some(({ tag }) => tag === 'pre' || tag === 'h3');
}

/** Returns whether a descendant has one of the tags. Nested tables are tested but not searched. */
function containsTag(element: TreeElement, tags: RegExp): boolean {
  const waiting = listChildElements(element);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (tags.test(next.tag)) return true;
    if (next.tag === 'table') continue;
    for (const child of next.children) if (isElement(child)) waiting.push(child);
  }
  return false;
}

const listChildElements = ({ children }: TreeElement): TreeElement[] => children.filter(isElement);
const isRow = ({ tag, attributes }: TreeElement): boolean => tag === 'tr' || attributes.role === 'row';
const isCell = ({ tag, attributes }: TreeElement): boolean =>
  tag === 'td' || tag === 'th' || (attributes.role !== undefined && CELL_ROLES.has(attributes.role));
const isBare = ({ children }: TreeElement): boolean =>
  children.every((node) => !isElement(node) && node.text.trim() === '');
const isHidden = ({ attributes: { hidden, style } }: TreeElement): boolean =>
  hidden !== undefined || (style !== undefined && /(?:^|;)\s*display\s*:\s*none/i.test(style));

/**
 * The light tree that a page is parsed into, once. Everything in extract/ works on it; there is no second DOM.
 * Choosing the main content sets `kept`, and the Markdown writer obeys it: a text is written when it is kept,
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
  /** True when the page exceeded the bound on nodes or levels. */
  truncated: boolean;
};

export function isElement(node: TreeNode): node is TreeElement {
  return 'tag' in node;
}
