import { isElement, type TreeElement } from '../table-shape.ts';
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
  const dialogs: TreeElement[] = [];
  const texts: string[] = [];
  for (const element of elements) {
    if (isOverPage(element)) dialogs.push(element);
    else if (element.tag === 'style' && isForScreens(element)) texts.push(readText(element));
  }
  const styled = findStyledElements(elements, texts);
  if (dialogs.length === 0 && styled.length === 0) return [];
  const [page] = elements;
  const all = page === undefined ? 0 : countChars(page);
  const sum = styled.reduce((total, element) => total + countChars(element), 0);
  const opened = new Set(elements.map(({ attributes }) => attributes['aria-controls']));
  const isOpened = ({ attributes: { id } }: TreeElement): boolean => id !== undefined && opened.has(id);
  return [
    ...dialogs.filter((dialog) => all - countChars(dialog) >= REST_CHARS_MIN),
    ...styled.filter((element) => sum <= all / 2 && !isFolded(element) && !isOpened(element)),
  ];
}

/** Returns whether an element is a closed dialog, or one that makes the rest of the page unreachable. */
export function isOverPage({ tag, attributes }: TreeElement): boolean {
  if (tag === 'dialog') return attributes.open === undefined;
  return attributes['aria-modal'] === 'true' && /^(?:alert)?dialog$/.test(attributes.role ?? '');
}

function findStyledElements(elements: readonly TreeElement[], texts: readonly string[]): TreeElement[] {
  if (!texts.some((text) => HIDING.test(text))) return [];
  const rules = readHidingRules(texts);
  if (rules.byName.size === 0) return [];
  // The same classes return on a page many times.
  const known = new Map<string, boolean>();
  return elements.filter(({ tag, attributes }) => {
    const { class: classes, id } = attributes;
    if ((classes === undefined && id === undefined) || WHOLE_PAGE.has(tag)) return false;
    const key = `${tag} ${classes ?? ''}#${id ?? ''}`;
    const answer = known.get(key) ?? isHiddenByRule(tag, attributes, rules);
    known.set(key, answer);
    return answer;
  });
}

const isForScreens = ({ attributes, parent }: TreeElement): boolean =>
  parent?.tag !== 'noscript' && !/\bprint\b/i.test(attributes.media ?? '');

const readText = ({ children }: TreeElement): string =>
  children.map((child) => (isElement(child) ? '' : child.text)).join('');

/** Counts the characters of text below an element, without scripts and styles. */
function countChars(element: TreeElement): number {
  let chars = 0;
  const waiting = [element];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.tag === 'script' || next.tag === 'style') continue;
    for (const child of next.children) {
      if (isElement(child)) waiting.push(child);
      else chars += child.text.trim().length;
    }
  }
  return chars;
}
