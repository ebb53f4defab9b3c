import type { TreeElement } from '../../table-shape.ts';
import { collapse } from '../inline/escape-text.ts';
import { readTextStart } from '../tags.ts';

/** The names of tab panels, and the tab lists, which hold nothing else. */
export type Tabs = { names: Map<TreeElement, string>; lists: Set<TreeElement> };

const NAME_CHARS_MAX = 120;

/** Finds the tab of each panel by the reference of either to the other. `elements` are all tabs and panels of a page. */
export function findTabs(elements: TreeElement[]): Tabs {
  const found: Tabs = { names: new Map(), lists: new Set() };
  const tabs = elements.filter(({ attributes }) => attributes.role === 'tab');
  if (tabs.length === 0) return found;
  const byId = new Map<string, TreeElement>();
  for (const tab of tabs) if (tab.attributes.id !== undefined) byId.set(tab.attributes.id, tab);
  const byPanel = new Map(tabs.map((tab) => [tab.attributes['aria-controls'] ?? '', tab]));
  for (const panel of elements) {
    const { role, id = '', 'aria-labelledby': label = '' } = panel.attributes;
    if (role !== 'tabpanel') continue;
    const tab = byPanel.get(id) ?? byId.get(label);
    if (tab === undefined) continue;
    found.names.set(panel, collapse(readTextStart(tab, NAME_CHARS_MAX)).trim());
    for (let up: TreeElement | null = tab; up !== null; up = up.parent) {
      if (up.attributes.role === 'tablist') found.lists.add(up);
    }
  }
  // A tab list that also holds the panels, as in accordions, is written: its tabs are above their panels there.
  for (const panel of [...found.names.keys()])
    for (let up = panel.parent; up !== null; up = up.parent)
      if (found.lists.has(up)) found.names.delete(panel);
  for (const panel of elements)
    if (panel.attributes.role === 'tabpanel')
      for (let up = panel.parent; up !== null; up = up.parent) found.lists.delete(up);
  return found;
}
