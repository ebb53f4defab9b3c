import { isElement, type TreeElement } from '../../tree.ts';
import { escapeText } from '../inline/escape-text.ts';
import { finishLine } from '../inline/finish-inline.ts';
import { isSilent } from '../tags.ts';

/** Classes of icon fonts for the yes and no signs of feature tables. */
const YES = /(?:^|[\s_-])(?:check|checked|checkmark|check-circle|tick|yes|ok|success|included)(?=[\s_-]|$)/i;
const NO =
  /(?:^|[\s_-])(?:times|xmark|x-mark|cross|close|no|ban|remove|not-included|excluded|minus)(?=[\s_-]|$)/i;
const ICON_WORD = /^(?:fa[srlb]?|bi|ti|mdi|glyphicon|dashicons)(?:-|$)|icon/i;

/** Reads the icon of a cell without text: its accessible name, else a sign for the icon, else ''. */
export function readIconText(cell: TreeElement): string {
  const waiting: TreeElement[] = [cell];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const name = findAccessibleName(next) ?? findIconSign(next);
    if (name !== null) return finishLine(escapeText(name), ' ');
    for (let at = next.children.length - 1; at >= 0; at -= 1) {
      const child = next.children[at];
      if (child !== undefined && isElement(child) && (child.tag === 'svg' || !isControl(child)))
        waiting.push(child);
    }
  }
  return '';
}

function findAccessibleName({ tag, attributes, children }: TreeElement): string | null {
  const names = [attributes['aria-label'], attributes.alt, attributes.title, attributes['data-label-value']];
  const name = names.find((each) => each !== undefined && each.trim() !== '');
  if (name !== undefined) return name;
  if (tag !== 'svg') return null;
  for (const child of children) {
    if (!isElement(child) || child.tag !== 'title') continue;
    const [text] = child.children;
    if (text !== undefined && !isElement(text) && text.text.trim() !== '') return text.text;
  }
  return null;
}

function findIconSign({ tag, attributes }: TreeElement): string | null {
  if (tag === 'input')
    return attributes.type === 'checkbox' ? (attributes.checked === undefined ? '☐' : '☑') : null;
  const classes = attributes.class ?? '';
  if (tag === 'use' && YES.test(readIconName(attributes))) return '✔';
  if (tag === 'use' && NO.test(readIconName(attributes))) return '✘';
  if (!(tag === 'svg' || tag === 'i' || classes.split(' ').some((word) => ICON_WORD.test(word)))) return null;
  if (YES.test(classes)) return '✔';
  return NO.test(classes) ? '✘' : null;
}

/** Reads the name after `#` of the symbol that an SVG takes from a sprite sheet. */
function readIconName({ href, 'xlink:href': linked }: Record<string, string>): string {
  return (href ?? linked ?? '').split('#')[1] ?? '';
}

const isControl = (element: TreeElement): boolean =>
  isSilent(element) && element.attributes['aria-hidden'] !== 'true';
