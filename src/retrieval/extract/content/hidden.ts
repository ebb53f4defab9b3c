import type { TreeElement } from '../tree.ts';

/** Elements whose text is never shown to a reader. */
const NEVER_SHOWN = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'head',
  'title',
  'svg',
  'canvas',
  'select',
  'datalist',
  'textarea',
  'iframe',
  'object',
  'embed',
  'audio',
  'map',
]);
/** Styles and utility classes that take text off the screen; both leave it in the source for machines to trip over. */
const HIDING_STYLE =
  /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|text-indent\s*:\s*-\d{3,}|(?:left|top)\s*:\s*-\d{4,}/i;
const HIDING_CLASS =
  /(?:^|\s)(?:sr-only|screen-reader-text|screen-reader-only|visually-?hidden|element-invisible|show-for-sr|offscreen|off-screen|skip-link|skiplink|skip-to-content|skip-nav)(?=\s|$)/i;
/** Hiding these would hide the whole page: it is shown by script once it has loaded. */
const WHOLE_PAGE = new Set(['#root', 'html', 'body', 'main']);

/** True when neither the element nor anything in it is shown, as far as its own attributes tell. */
export function isHidden({ tag, attributes }: TreeElement): boolean {
  if (NEVER_SHOWN.has(tag)) return true;
  if (WHOLE_PAGE.has(tag)) return false;
  if (attributes.hidden !== undefined && attributes.hidden !== 'until-found') return true;
  if (attributes['aria-hidden'] === 'true') return true;
  if (attributes.style !== undefined && HIDING_STYLE.test(attributes.style)) return true;
  return attributes.class !== undefined && HIDING_CLASS.test(attributes.class);
}
