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
/** The page as a whole may be called anything. */
const WHOLE = new Set(['html', 'body', 'main', 'article', '#root']);

/** Whether a region lies in what a page itself marks as its margins: menus, footers, sidebars, banners. */
export function inMargin(region: Region): boolean {
  for (let up: Region | null = region; up !== null; up = up.parent) {
    if (!WHOLE.has(up.element.tag) && (up.hints & MARGIN) !== 0) return true;
  }
  return false;
}
