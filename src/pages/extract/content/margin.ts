import { HINTS } from './hints.ts';
import type { Region } from './regions.ts';

const MARGIN =
  HINTS.navigation |
  HINTS.footer |
  HINTS.aside |
  HINTS.consent |
  HINTS.advert |
  HINTS.breadcrumb |
  HINTS.pagination;
/** Elements that hold the whole page, whose names do not count. */
const WHOLE = new Set(['html', 'body', 'main', 'article', '#root']);

/**
 * Returns whether a region is in a part that the page itself marks as a margin: menus, footers, sidebars, banners. `body`, the region
 * of the main text, and its ancestors are never margins, whatever their names.
 */
export function isInMargin(region: Region, body: Region | null = null): boolean {
  for (let up: Region | null = region; up !== null && up !== body; up = up.parent) {
    if (!WHOLE.has(up.element.tag) && (up.hints & MARGIN) !== 0) return true;
  }
  return false;
}
