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

/**
 * Whether a region lies in what a page itself marks as its margins: menus, footers, sidebars, banners. What holds the body of the text,
 * `body`, is no margin, whatever it is called.
 */
export function isInMargin(region: Region, body: Region | null = null): boolean {
  for (let up: Region | null = region; up !== null && up !== body; up = up.parent) {
    if (!WHOLE.has(up.element.tag) && (up.hints & MARGIN) !== 0) return true;
  }
  return false;
}
