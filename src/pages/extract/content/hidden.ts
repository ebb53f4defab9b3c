import { isElement, NO_ATTRIBUTES, type TreeElement } from '../table-shape.ts';

/** Elements whose text is never shown to a reader. */
const NEVER_SHOWN = new Set([
  'script',
  'style',
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
  'video',
  'map',
]);
/** Styles and utility classes that hide text, and controls that themes put next to headings and code. */
const HIDING_STYLE =
  /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|text-indent\s*:\s*-\d{3,}|(?:left|top)\s*:\s*-\d{4,}/i;
const HIDING_CLASS =
  /(?:^|\s)(?:sr-only|screen-reader-text|screen-reader-only|visually-?hidden|element-invisible|show-for-sr|offscreen|off-screen|sortkey|skip-link|skiplink|skip-to-content|skip-nav|mw-editsection|headerlink|header-anchor|hash-link|anchorjs-link|copybtn|zeroclipboard-container)(?=\s|$)/i;
/** Elements that are never treated as hidden: they hold the whole page, which a script shows once it has loaded. */
const WHOLE_PAGE = new Set(['#root', 'html', 'body', 'main']);

/** Names of elements that a click opens: tab panels, accordions, slides. Their text is content, only folded. */
const FOLDED =
  /accordi[ao]n|(?:^|[\s_-])tabs?(?:[\s_-]|$)|tab-?pan|toggle|faq|collaps|expand|panel|drawer-content|slick-slide|swiper-slide|carousel|answer|disclosure|read-?more|less-|more-/i;
const FOLDED_ROLES = new Set(['tabpanel', 'region']);
const COPY_CLASS = /slick-cloned|swiper-slide-duplicate|(?:^|\s)clone/i;
/** Ids under which React streams parts of a page that its script then moves into place. */
const STREAMED_ID = /^S:[0-9a-z]+$/i;
/** Minimum length of a `noscript` that holds the page; a shorter one asks to enable scripts or counts visits. */
const NOSCRIPT_CHARS_MIN = 400;

/**
 * Detects an element's visibility from its own attributes: 'hidden' when neither it nor anything in it is visible,
 * 'folded' when a click or the page's script shows it.
 */
export function detectVisibility(element: TreeElement): 'shown' | 'folded' | 'hidden' {
  const { tag, attributes } = element;
  if (NEVER_SHOWN.has(tag)) return 'hidden';
  if (WHOLE_PAGE.has(tag)) return 'shown';
  if (tag === 'a' && isHeadingMark(element)) return 'hidden';
  if (tag === 'noscript') return containsChars(element, NOSCRIPT_CHARS_MIN) ? 'shown' : 'hidden';
  if (attributes === NO_ATTRIBUTES) return 'shown';
  const classes = attributes.class ?? '';
  if (classes !== '' && HIDING_CLASS.test(classes)) return 'hidden';
  if (!isUnseen(element)) return 'shown';
  if (COPY_CLASS.test(classes)) return 'hidden';
  if (attributes.id !== undefined && STREAMED_ID.test(attributes.id)) return 'shown';
  return isFolded(element) ? 'folded' : 'hidden';
}

/** Returns whether an element's name or role says that a click opens it. */
export function isFolded({ attributes: { role = '', class: classes = '', id = '' } }: TreeElement): boolean {
  return FOLDED_ROLES.has(role) || FOLDED.test(`${classes} ${id}`.slice(0, 300));
}

/** Returns whether an element's own attributes hide it. */
export function isUnseen({ attributes: { hidden, style, 'aria-hidden': ariaHidden } }: TreeElement): boolean {
  return (
    (hidden !== undefined && hidden !== 'until-found') ||
    ariaHidden === 'true' ||
    (style !== undefined && HIDING_STYLE.test(style))
  );
}

/** Returns whether a link only points to the heading around it ("#", a pilcrow, a chain). */
function isHeadingMark({ children }: TreeElement): boolean {
  const [only] = children;
  return (
    children.length === 1 && only !== undefined && !isElement(only) && /^\s*[#¶§🔗]\s*$/u.test(only.text)
  );
}

/** Returns whether an element has `enough` characters of text outside scripts; stops counting there. */
function containsChars(element: TreeElement, enough: number): boolean {
  const waiting: TreeElement[] = [element];
  let chars = 0;
  for (let next = waiting.pop(); next !== undefined && chars < enough; next = waiting.pop()) {
    for (const child of next.children) {
      if (!isElement(child)) chars += child.text.trim().length;
      else if (!NEVER_SHOWN.has(child.tag)) waiting.push(child);
    }
  }
  return chars >= enough;
}
