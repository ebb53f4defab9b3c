import { isElement, type TreeElement } from '../../table-shape.ts';
import { collapse } from '../inline/escape-text.ts';
import { findBelow, readTextStart } from '../tags.ts';
import { parseLanguageLabel } from './code-language.ts';

/** Labels around code that are not part of it, such as the language and the copy button, and the languages they name. */
export type CodeLabels = { languages: Map<TreeElement, string>; labels: Set<TreeElement> };

const LEVELS = 3;
/** Maximum siblings of code in a box with its bar and gutter; more make it a section. */
const SIBLINGS_MAX = 6;
const LABEL_CHARS_MAX = 40;
const COPY = /\b(?:copy(?: code| snippet| to clipboard)?|copied!?|edit|download|run|wrap)\b/gi;
const LABEL_TAGS = new Set(['span', 'div', 'button', 'small', 'label', 'figcaption', 'header', 'ul']);

/** Finds the labels beside and within code; each item of `codes` is a `pre`. */
export function findCodeLabels(codes: TreeElement[]): CodeLabels {
  const found: CodeLabels = { languages: new Map(), labels: new Set() };
  for (const code of codes) {
    findLabelsWithin(code, found);
    findLabelsBeside(code, found);
  }
  return found;
}

function findLabelsBeside(pre: TreeElement, found: CodeLabels): void {
  let box = pre;
  for (let level = 0; level < LEVELS && box.parent !== null; level += 1) {
    const siblings = listElements(box.parent);
    if (siblings.length > SIBLINGS_MAX) return;
    for (const sibling of siblings) {
      if (sibling !== box && LABEL_TAGS.has(sibling.tag)) recordLabel(sibling, pre, found);
    }
    if (
      siblings.some(
        (each) => each !== box && readTextStart(each, LABEL_CHARS_MAX * 2).trim().length > LABEL_CHARS_MAX,
      )
    )
      return;
    box = box.parent;
  }
}

/** Finds labels inside the `pre`, where chat pages put the label and the button beside its `code`. */
function findLabelsWithin(pre: TreeElement, found: CodeLabels): void {
  const code = findBelow(pre, ({ tag }) => tag === 'code');
  if (code === null) return;
  for (let inner = code; inner !== pre && inner.parent !== null; inner = inner.parent) {
    const siblings = listElements(inner.parent);
    if (siblings.length > SIBLINGS_MAX) return;
    for (const sibling of siblings)
      if (sibling !== inner && LABEL_TAGS.has(sibling.tag)) recordLabel(sibling, pre, found);
  }
}

/** Lists child elements, at most one more than a box around code may have. */
function listElements({ children }: TreeElement): TreeElement[] {
  const found: TreeElement[] = [];
  for (const child of children) {
    if (isElement(child)) found.push(child);
    if (found.length > SIBLINGS_MAX) break;
  }
  return found;
}

function recordLabel(element: TreeElement, pre: TreeElement, { languages, labels }: CodeLabels): void {
  const start = readTextStart(element, LABEL_CHARS_MAX * 2);
  if (start.length > LABEL_CHARS_MAX * 2 - 1) return;
  const text = collapse(start).trim();
  if (text === '' || text.length > LABEL_CHARS_MAX) return;
  const label = text.replace(COPY, '').trim();
  const language = parseLanguageLabel(label);
  if (language === null && label !== '') return;
  labels.add(element);
  if (language !== null && !languages.has(pre)) languages.set(pre, language);
}
