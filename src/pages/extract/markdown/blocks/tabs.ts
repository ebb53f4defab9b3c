import { isElement, type TreeElement } from '../../table-shape.ts';
import { collapse } from '../inline/escape-text.ts';
import { hasClass, readTextStart } from '../tags.ts';

/** The names of tab panels, and the tab lists, which hold nothing else. */
export type Tabs = { names: Map<TreeElement, string>; lists: Set<TreeElement> };

const NAME_CHARS_MAX = 120;
/** Maximum parts that are paired, against hostile pages. */
const PARTS_MAX = 500;
/** Maximum levels from a tab list up to the box that also holds its panels. */
const BOX_LEVELS_MAX = 3;
const SWITCHES = /^(?:tab|pill)$/;
/** Sets of tabs that are switched by radio buttons alone, as documentation generators write them. */
const LABELLED_SET = /(?:^|\s)(?:sd-tab-set|tabbed-set|vp-code-group)(?=\s|$)/;
const LABEL_LIST = /(?:^|\s)(?:tabbed-labels|tabs)(?=\s|$)/;
const PANEL_LIST = /(?:^|\s)(?:tabbed-content|blocks)(?=\s|$)/;
const LIST = /(?:^|\s)(?:nav-tabs|nav-pills|nav|tabs)(?=\s|$)/;
const SELECTED = /(?:^|\s)(?:active|selected|is-active)(?=\s|$)/;

/** Returns whether an element may be a tab, a panel or a set of both. */
export function isTabPart({ attributes }: TreeElement): boolean {
  const { role, class: classes } = attributes;
  return (
    role === 'tab' ||
    role === 'tabpanel' ||
    SWITCHES.test(attributes['data-toggle'] ?? attributes['data-bs-toggle'] ?? '') ||
    (classes !== undefined && LABELLED_SET.test(classes))
  );
}

/**
 * Finds the tab of each panel: by the reference of either to the other, by their order where neither refers and there are as many tabs
 * as panels, or by the label before a panel. A panel whose tab is uncertain gets none. `parts` are those of `isTabPart`, `elements` all
 * elements of the page.
 */
export function findTabs(parts: TreeElement[], elements: TreeElement[]): Tabs {
  const found: Tabs = { names: new Map(), lists: new Set() };
  const few = parts.slice(0, PARTS_MAX);
  for (const set of few) if (hasClass(set, LABELLED_SET)) pairLabels(set, found);
  const tabs = few.filter(isTab);
  if (tabs.length === 0) return found;
  const panels = few.filter(({ attributes }) => attributes.role === 'tabpanel');
  pairByReference(tabs, panels, elements, found);
  pairByOrder(tabs, panels, found);
  // A tab list that also holds the panels, as in accordions, is written: its tabs are above their panels there.
  for (const panel of [...found.names.keys()])
    for (let up = panel.parent; up !== null; up = up.parent)
      if (found.lists.has(up)) found.names.delete(panel);
  for (const panel of panels) for (let up = panel.parent; up !== null; up = up.parent) found.lists.delete(up);
  return found;
}

const isTab = ({ attributes }: TreeElement): boolean =>
  attributes.role === 'tab' || SWITCHES.test(attributes['data-toggle'] ?? attributes['data-bs-toggle'] ?? '');

function pairByReference(
  tabs: TreeElement[],
  panels: TreeElement[],
  elements: TreeElement[],
  found: Tabs,
): void {
  const ids = new Map<string, TreeElement>();
  const byPanel = new Map<string, TreeElement[]>();
  for (const tab of tabs) {
    if (tab.attributes.id !== undefined) ids.set(tab.attributes.id, tab);
    const target = readTarget(tab);
    if (target !== '') byPanel.set(target, [...(byPanel.get(target) ?? []), tab]);
  }
  const pairs = panels.map((panel): [TreeElement, TreeElement[]] => {
    const { 'aria-labelledby': label = '' } = panel.attributes;
    const own = ids.get(label);
    return [panel, own === undefined ? [] : [own]];
  });
  if (byPanel.size > 0)
    for (const element of elements) {
      const { id } = element.attributes;
      const referring = id === undefined ? undefined : byPanel.get(id);
      if (referring !== undefined) pairs.push([element, referring]);
    }
  for (const [panel, [first, ...others]] of pairs) {
    if (first === undefined) continue;
    const tab = others.length === 0 ? first : findSelected([first, ...others]);
    if (tab !== null) namePanel(panel, tab, found);
    addList(first, found);
  }
}

function readTarget({ attributes }: TreeElement): string {
  const link = attributes['data-bs-target'] ?? attributes['data-target'] ?? attributes.href ?? '';
  return attributes['aria-controls'] ?? (link.startsWith('#') ? link.slice(1) : '');
}

/** Finds the tab that is open, among several that share one panel. */
function findSelected(tabs: TreeElement[]): TreeElement | null {
  const open = tabs.filter((tab) => tab.attributes['aria-selected'] === 'true' || hasClass(tab, SELECTED));
  return open.length === 1 ? (open[0] ?? null) : null;
}

/** Pairs the tabs of each list with the unnamed panels beside it. */
function pairByOrder(tabs: TreeElement[], panels: TreeElement[], found: Tabs): void {
  const byList = new Map<TreeElement, TreeElement[]>();
  for (const tab of tabs) {
    const list = findList(tab);
    if (list !== null) byList.set(list, [...(byList.get(list) ?? []), tab]);
  }
  for (const [list, its] of byList) {
    if (its.some((tab) => readTarget(tab) !== '') || found.lists.has(list)) continue;
    const beside = findPanelsBeside(list, panels);
    if (beside.length !== its.length || beside.some((panel) => found.names.has(panel))) continue;
    for (const [at, panel] of beside.entries()) namePanel(panel, its[at] as TreeElement, found);
    found.lists.add(list);
  }
}

function findPanelsBeside(list: TreeElement, panels: TreeElement[]): TreeElement[] {
  let box = list.parent;
  for (let level = 0; level < BOX_LEVELS_MAX && box !== null; level += 1, box = box.parent) {
    const within = panels.filter((panel) => isWithin(panel, box as TreeElement));
    if (within.length > 0) return within;
  }
  return [];
}

function isWithin(element: TreeElement, box: TreeElement): boolean {
  for (let up = element.parent; up !== null; up = up.parent) if (up === box) return true;
  return false;
}

/** Pairs labels with the panels of a set that radio buttons switch. */
function pairLabels(set: TreeElement, found: Tabs): void {
  const children = set.children.filter(isElement);
  const pairs = children.flatMap((label, at) =>
    label.tag === 'label' ? [{ label, panel: children[at + 1] }] : [],
  );
  if (pairs.every(({ panel }) => panel?.tag === 'div'))
    for (const { label, panel } of pairs) {
      if (panel !== undefined) namePanel(panel, label, found);
      found.lists.add(label);
    }
  const list = children.find((child) => hasClass(child, LABEL_LIST));
  const labels = list?.children.filter(isElement).filter(({ tag }) => tag === 'label') ?? [];
  const panels = children.find((child) => hasClass(child, PANEL_LIST))?.children.filter(isElement) ?? [];
  if (list === undefined || labels.length === 0 || labels.length !== panels.length) return;
  for (const [at, panel] of panels.entries()) namePanel(panel, labels[at] as TreeElement, found);
  found.lists.add(list);
}

function namePanel(panel: TreeElement, tab: TreeElement, { names }: Tabs): void {
  names.set(panel, collapse(readTextStart(tab, NAME_CHARS_MAX)).trim());
}

function addList(tab: TreeElement, { lists }: Tabs): void {
  const list = findList(tab);
  if (list !== null) lists.add(list);
}

/** Finds the list around a tab: the outermost by role, else the one that its class names. */
function findList(tab: TreeElement): TreeElement | null {
  let named: TreeElement | null = null;
  let list: TreeElement | null = null;
  for (let up: TreeElement | null = tab; up !== null; up = up.parent) {
    if (up.attributes.role === 'tablist') list = up;
    if (named === null && (up.tag === 'ul' || up.tag === 'ol' || up.tag === 'nav') && hasClass(up, LIST))
      named = up;
  }
  return list ?? named;
}
