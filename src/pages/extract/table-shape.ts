import { isElement, type TreeElement } from './tree.ts';

/** What a table is for: its kind decides whether it is chosen as a whole and how it is written. */
type TableKind = 'data' | 'layout' | 'code' | 'fields';

/** One row, and whether it stands in the table's head. */
export type TableRow = { row: TreeElement; inHead: boolean };

const GRID_ROLES = new Set(['table', 'grid', 'treegrid']);
const GROUPS = new Set(['thead', 'tbody', 'tfoot']);
const CELL_ROLES = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const CODE_TABLE =
  /(?:^|\s)(?:highlighttable|rouge-table|lntable|codehilitetable|crayon-table|hljs-ln|diff-table|blob-wrapper|js-file-line-container|syntaxhighlighter)(?=\s|$)/i;
const GUTTER =
  /(?:^|\s)(?:linenos|gutter|gl|lntd-numbers|crayon-nums|line-numbers|blob-num|hljs-ln-numbers)(?=\s|$)/i;
const FIELD_LIST = /(?:^|\s)field-list(?=\s|$)/;
/** Contents that no cell of a table without a proper header has. */
const LAYOUT_TAGS = /^(?:table|h1|h2|form|article|section|iframe)$/;
/** Contents that no table with a header has either: it lays out a whole page. */
const PAGE_TAGS = /^(?:h1|article|main)$/;

/** Whether an element is a table, by its tag or as an ARIA grid of other elements. */
export function isTable({ tag, attributes }: TreeElement): boolean {
  if (tag === 'table') return true;
  return attributes.role !== undefined && GRID_ROLES.has(attributes.role) && tag !== 'tr';
}

/** Whether an element is a cell of line numbers beside code. */
export function isGutter({ attributes }: TreeElement): boolean {
  return attributes.class !== undefined && GUTTER.test(attributes.class);
}

/** The rows of a table itself, not of tables inside it, whatever was chosen of them; in the order shown, the foot last. */
export function rowsOf(table: TreeElement): TableRow[] {
  const rows: TableRow[] = [];
  const foot: TableRow[] = [];
  for (const child of elementsIn(table)) {
    if (isHidden(child)) continue;
    if (isRow(child)) rows.push({ row: child, inHead: false });
    else if (GROUPS.has(child.tag) || child.attributes.role === 'rowgroup') {
      const inHead = child.tag === 'thead';
      for (const row of elementsIn(child)) {
        if (isRow(row) && !isHidden(row)) (child.tag === 'tfoot' ? foot : rows).push({ row, inHead });
      }
    }
  }
  return rows.concat(foot);
}

/** The cells of a row, empty ones too; those that the page hides are left out with their column. */
export function cellsOf(row: TreeElement): TreeElement[] {
  return elementsIn(row).filter((cell) => isCell(cell) && !isHidden(cell));
}

/** Whether a cell names its row or column. */
export function isHeaderCell({ tag, attributes: { role } }: TreeElement): boolean {
  return tag === 'th' || role === 'columnheader' || role === 'rowheader';
}

/** Tells tables of data from those that lay out a page, show code with its line numbers, or list the fields of a function. */
export function tableKind(table: TreeElement): TableKind {
  const { role, class: classes = '' } = table.attributes;
  if (CODE_TABLE.test(classes)) return 'code';
  if (FIELD_LIST.test(classes)) return 'fields';
  const rows = rowsOf(table).map(({ row }) => cellsOf(row));
  if (rows.some((cells) => cells.some((cell) => cell.tag === 'td' && isGutter(cell)))) return 'code';
  if (role === 'presentation' || role === 'none') return 'layout';
  if (hasHeaderRow(rows) || table.tag !== 'table') return holds(table, PAGE_TAGS) ? 'layout' : 'data';
  return holds(table, LAYOUT_TAGS) || isLoose(rows) ? 'layout' : 'data';
}

/** Whether a row names at least two columns and other rows follow. */
function hasHeaderRow(rows: TreeElement[][]): boolean {
  if (rows.length < 2) return false;
  return rows.some(
    (cells) =>
      cells.filter((cell) => isHeaderCell(cell) && cell.attributes.scope !== 'row').length > 1 &&
      cells.every((cell) => isHeaderCell(cell) || isBare(cell)),
  );
}

/** Whether a table without a header row only places its contents. */
function isLoose(rows: TreeElement[][]): boolean {
  const columns = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  const hasHeader = rows.some((cells) => cells.some(isHeaderCell));
  if (columns <= 1) return !hasHeader;
  if (hasHeader) return false;
  return rows.length === 1 || rows.flat().some(isHeavy);
}

/** A cell with several blocks of running text or code in it. */
function isHeavy(cell: TreeElement): boolean {
  const blocks = elementsIn(cell).filter(({ tag }) => /^(?:p|ul|ol|pre|blockquote|h[3-6]|dl)$/.test(tag));
  return blocks.length > 3 || blocks.some(({ tag }) => tag === 'pre' || tag === 'h3');
}

/** Whether anything below fits; tables inside count as themselves and are not searched. */
function holds(element: TreeElement, tags: RegExp): boolean {
  const waiting = elementsIn(element);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (tags.test(next.tag)) return true;
    if (next.tag === 'table') continue;
    for (const child of next.children) if (isElement(child)) waiting.push(child);
  }
  return false;
}

const elementsIn = ({ children }: TreeElement): TreeElement[] => children.filter(isElement);
const isRow = ({ tag, attributes }: TreeElement): boolean => tag === 'tr' || attributes.role === 'row';
const isCell = ({ tag, attributes }: TreeElement): boolean =>
  tag === 'td' || tag === 'th' || (attributes.role !== undefined && CELL_ROLES.has(attributes.role));
const isBare = ({ children }: TreeElement): boolean =>
  children.every((node) => !isElement(node) && node.text.trim() === '');
const isHidden = ({ attributes: { hidden, style } }: TreeElement): boolean =>
  hidden !== undefined || (style !== undefined && /(?:^|;)\s*display\s*:\s*none/i.test(style));
