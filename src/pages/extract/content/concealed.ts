import { isElement, NO_ATTRIBUTES, type TreeElement } from '../table-shape.ts';
import { isFolded } from './hidden.ts';
import { isHiddenByRule, readHidingRules } from './hiding-rules.ts';

/** Elements that no rule hides: they hold the whole page, which a script shows once it has loaded. */
const WHOLE_PAGE = new Set(['html', 'head', 'body', 'main']);
/** Minimum text of a page beside a dialog. */
const REST_CHARS_MIN = 100;
const HIDING = /display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}(?:hidden|collapse)/i;

/**
 * Finds the elements that the page hides by other means than their own attributes: rules of its `style` elements, closed dialogs, and
 * dialogs laid over the page as it loads (consent, subscriptions), whose text is not the page's. Rules that hide half of the page's text
 * are left alone, since a script shows it, and so are a dialog that is all there is, and what a click opens. `elements` are those of the
 * page, parents first.
 */
export function findConcealed(elements: readonly TreeElement[]): TreeElement[] {
  const dialogs = elements.filter(isOverPage);
  const styled = findStyledElements(elements);
  if (dialogs.length === 0 && styled.length === 0) return [];
  const chars = countChars(elements);
  const all = chars.get(elements[0] as TreeElement) ?? 0;
  const sum = styled.reduce((total, element) => total + (chars.get(element) ?? 0), 0);
  const opened = new Set(elements.map(({ attributes }) => attributes['aria-controls']));
  const isOpened = ({ attributes: { id } }: TreeElement): boolean => id !== undefined && opened.has(id);
  return [
    ...dialogs.filter((dialog) => all - (chars.get(dialog) ?? 0) >= REST_CHARS_MIN),
    ...styled.filter((element) => sum <= all / 2 && !isFolded(element) && !isOpened(element)),
  ];
}

/** Returns whether an element is a closed dialog, or one that makes the rest of the page unreachable. */
export function isOverPage({ tag, attributes }: TreeElement): boolean {
  if (tag === 'dialog') return attributes.open === undefined;
  return attributes['aria-modal'] === 'true' && /^(?:alert)?dialog$/.test(attributes.role ?? '');
}

function findStyledElements(elements: readonly TreeElement[]): TreeElement[] {
  const texts = elements
    .filter(isScreenStyle)
    .map(readText)
    .filter((text) => HIDING.test(text));
  if (texts.length === 0) return [];
  const rules = readHidingRules(elements.filter(isScreenStyle).map(readText));
  if (rules.byName.size === 0) return [];
  return elements.filter(
    ({ tag, attributes }) =>
      attributes !== NO_ATTRIBUTES && !WHOLE_PAGE.has(tag) && isHiddenByRule(tag, attributes, rules),
  );
}

const isScreenStyle = ({ tag, attributes, parent }: TreeElement): boolean =>
  tag === 'style' && parent?.tag !== 'noscript' && !/\bprint\b/i.test(attributes.media ?? '');

const readText = ({ children }: TreeElement): string =>
  children.map((child) => (isElement(child) ? '' : child.text)).join('');

/** Counts the characters of text below each element, without scripts and styles. */
function countChars(elements: readonly TreeElement[]): Map<TreeElement, number> {
  const chars = new Map<TreeElement, number>();
  for (let at = elements.length - 1; at >= 0; at -= 1) {
    const element = elements[at] as TreeElement;
    if (element.tag === 'script' || element.tag === 'style') continue;
    const own = element.children.reduce(
      (sum, child) => sum + (isElement(child) ? (chars.get(child) ?? 0) : child.text.trim().length),
      0,
    );
    chars.set(element, own);
  }
  return chars;
}
