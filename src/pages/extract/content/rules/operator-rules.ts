import { findMatchingElements, type Selector } from '../../selector.ts';
import type { Tree, TreeElement } from '../../table-shape.ts';
import type { PageView } from '../comments.ts';
import type { CutPage } from '../regions.ts';

/** What an operator decided for the pages of one site, as selectors. */
export type OperatorRule = {
  /** Elements that belong to the content. */
  keep: Selector[];
  /** Elements that do not. Where both match, the inner element decides, so `drop: body` with `keep: article` keeps the article alone. */
  drop: Selector[];
  /** Tables of data, and tables that only arrange the page. */
  dataTables: Selector[];
  layoutTables: Selector[];
};

/** Rules by host, lower case. A host's rule holds for its subdomains too, unless they have their own. */
export type OperatorRules = ReadonlyMap<string, OperatorRule>;

/** Finds the rule for the page at `url`; null if there is none. */
export function findOperatorRule(rules: OperatorRules, url: string): OperatorRule | null {
  if (rules.size === 0) return null;
  const labels = (URL.parse(url)?.hostname ?? '').split('.');
  for (let from = 0; from < labels.length; from += 1) {
    const rule = rules.get(labels.slice(from).join('.'));
    if (rule !== undefined) return rule;
  }
  return null;
}

/** Writes the hints for tables into the tree as roles, which tables are read by. */
export function applyTableHints({ root }: Tree, { dataTables, layoutTables }: OperatorRule): void {
  for (const element of findAll(root, dataTables))
    element.attributes = { ...element.attributes, role: 'table' };
  for (const element of findAll(root, layoutTables))
    element.attributes = { ...element.attributes, role: 'presentation' };
}

/** Marks each block that the rule keeps with 1, and each that it drops with -1. */
export function markRuledBlocks(
  { root }: Tree,
  { blocks }: CutPage,
  { keep, drop }: OperatorRule,
): Int8Array {
  const decided = new Map<TreeElement, 1 | -1>();
  for (const element of findAll(root, drop)) decided.set(element, -1);
  for (const element of findAll(root, keep)) decided.set(element, 1);
  return Int8Array.from(blocks, ({ texts }) => {
    for (let up: TreeElement | null = texts[0]?.parent ?? null; up !== null; up = up.parent) {
      const decision = decided.get(up);
      if (decision !== undefined) return decision;
    }
    return 0;
  });
}

/** Keeps and drops the blocks that the operator's rule names. */
export function followRule({ ruled }: PageView, kept: boolean[]): void {
  if (ruled === null) return;
  for (const [index, decision] of ruled.entries()) if (decision !== 0) kept[index] = decision === 1;
}

function findAll(root: TreeElement, selectors: readonly Selector[]): TreeElement[] {
  return selectors.flatMap((selector) => findMatchingElements(root, selector));
}
