import { isElement, type TreeElement, type TreeNode } from '../../tree.ts';
import { filterKeptElements, findBelow } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';

const LISTS = new Set(['ul', 'ol', 'menu', 'dir']);

/** Writes `ul` and `ol` as a list; nested lists are indented by the width of their marker. */
export function writeList(element: TreeElement, context: WriterContext): void {
  const wasTight = context.tight;
  // Only a list after its item's own text follows without a blank line.
  if (wasTight) context.writer.closeUp();
  context.tight = !isLoose(element);
  const bullet = chooseBullet(element, context);
  let wrote = false;
  let number = readStart(element);
  for (const item of element.children) {
    if (!item.kept || (!isElement(item) && item.text.trim() === '')) continue;
    if (isElement(item) && context.footnotes.isDefinition(item)) continue;
    if (isElement(item) && item.attributes.value !== undefined)
      number = Number.parseInt(item.attributes.value, 10) || number;
    const marker = element.tag === 'ol' ? `${number}${bullet} ` : `${bullet} `;
    if (wrote && context.tight) context.writer.closeUp();
    if (writeItem(item, marker, context)) wrote = true;
    number += 1;
  }
  context.writer.setOff();
  if (wrote) context.endedList = { marker: bullet, line: context.writer.count() };
  context.tight = wasTight;
}

function writeItem(item: TreeNode, marker: string, context: WriterContext): boolean {
  const nested = isElement(item) && LISTS.has(item.tag);
  const box = isElement(item) && !nested ? renderCheckbox(item) : '';
  // A list directly within a list belongs to the item before it.
  context.writer.enter(nested ? ' '.repeat(marker.length) : marker + box, ' '.repeat(marker.length));
  context.blocks(isElement(item) && !nested ? item.children : [item]);
  return context.writer.leave();
}

function renderCheckbox(item: TreeElement): string {
  const input = findBelow(item, ({ tag }) => tag === 'input' || LISTS.has(tag));
  if (input?.tag !== 'input' || input.attributes.type !== 'checkbox') return '';
  return input.attributes.checked === undefined ? '[ ] ' : '[x] ';
}

/** Returns whether an item holds more than one block besides nested lists; blank lines then separate the blocks. */
function isLoose(element: TreeElement): boolean {
  return filterKeptElements(element.children).some(({ children }) => {
    const blocks = filterKeptElements(children).filter(({ tag }) =>
      /^(?:p|pre|blockquote|table|dl|h[1-6]|figure)$/.test(tag),
    );
    return blocks.length > 1;
  });
}

function readStart({ attributes }: TreeElement): number {
  const start = Number.parseInt(attributes.start ?? '1', 10);
  return start >= 0 && start < 1e9 ? start : 1;
}

function chooseBullet({ tag }: TreeElement, { endedList, writer }: WriterContext): string {
  const [usual, other] = tag === 'ol' ? ['.', ')'] : ['-', '*'];
  return endedList.marker === usual && endedList.line === writer.count() ? other : usual;
}
