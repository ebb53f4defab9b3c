import { isElement, type TreeElement } from '../tree.ts';
import { detectHints, HINTS } from './hints.ts';
import type { CutPage } from './regions.ts';

/** Elements in which a picture between kept texts does not necessarily belong to them. */
const PAGE = new Set(['#root', 'html', 'body']);
const AGAINST =
  HINTS.navigation |
  HINTS.footer |
  HINTS.related |
  HINTS.share |
  HINTS.advert |
  HINTS.consent |
  HINTS.subscribe |
  HINTS.login;
/** Maximum boxes around a picture that hold nothing else. */
const WRAPPERS_MAX = 8;

/** Keeps media beside kept text, with the boxes that hold nothing else. */
export function keepMedia({ blocks, media }: CutPage, kept: boolean[]): void {
  const withText = new Set<TreeElement>();
  for (const { texts } of blocks) {
    for (const text of texts)
      for (let up: TreeElement | null = text.parent; up !== null && !withText.has(up); up = up.parent)
        withText.add(up);
  }
  for (const { element, at } of media) {
    const before = at > 0 && (kept[at - 1] ?? false);
    const after = at < kept.length && (kept[at] ?? false);
    // A rule is kept only between kept texts.
    if (element.tag === 'hr' ? !before || !after : !before && !after) continue;
    const holder = findHolder(element, withText);
    if (holder === null) continue;
    const isKept = PAGE.has(holder.tag) ? before && (after || at === blocks.length) : holder.kept;
    if (!isKept) continue;
    keepBelow(element);
    for (let up = element.parent; up !== null && up !== holder; up = up.parent) up.kept = true;
  }
}

/** Finds the nearest element around media that also holds text; null when a box in between hints at other content. */
function findHolder(element: TreeElement, withText: ReadonlySet<TreeElement>): TreeElement | null {
  let up: TreeElement | null = element;
  for (let step = 0; up !== null && step <= WRAPPERS_MAX; step += 1, up = up.parent) {
    if (up !== element && (withText.has(up) || PAGE.has(up.tag))) return up;
    if ((detectHints(up) & AGAINST) !== 0) return null;
  }
  return null;
}

function keepBelow(element: TreeElement): void {
  element.kept = true;
  for (const child of element.children) {
    if (isElement(child)) keepBelow(child);
    else child.kept = true;
  }
}
