import { isElement, type TreeElement } from '../../tree.ts';
import { emphasize } from '../inline/emphasis.ts';
import { finishLine } from '../inline/finish-inline.ts';
import { STRONG_CLOSE, STRONG_OPEN } from '../inline/marks.ts';
import { hasClass } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';

/** `blockquote` -> a quote, but code alone in one is only indented: old pages have no other way to do that. */
export function writeQuote(element: TreeElement, context: WriterContext): void {
  if (isIndentedCode(element)) {
    context.blocks(element.children);
    return;
  }
  const wasTight = context.tight;
  context.tight = false;
  context.writer.enter('> ', '> ');
  context.blocks(element.children);
  context.writer.leave();
  context.tight = wasTight;
}

/** Whether all that a quote shows is `pre` without `code`, which converters of Markdown write. */
function isIndentedCode({ children }: TreeElement): boolean {
  const shown = children.filter((child) => isElement(child) || child.text.trim() !== '');
  return (
    shown.length > 0 &&
    shown.every(
      (child) =>
        isElement(child) &&
        child.tag === 'pre' &&
        !child.children.some((inner) => isElement(inner) && inner.tag === 'code'),
    )
  );
}

/** `writeDetails` -> its summary in bold, then what it opens; a reader without a mouse sees both. */
export function writeDetails(element: TreeElement, context: WriterContext): void {
  for (const child of element.children) {
    if (!isElement(child) || child.tag !== 'summary' || !child.kept) continue;
    const bold = emphasize(context.inline(child.children).trim(), STRONG_OPEN, STRONG_CLOSE);
    if (bold !== '') context.writer.block([finishLine(bold, ' ')]);
  }
  context.blocks(element.children.filter((child) => !isElement(child) || child.tag !== 'summary'));
}

/** `hr` -> a rule, but not before the first text; `---` would be read as a heading's line or as a list. */
export function writeRule({ parent }: TreeElement, context: WriterContext): void {
  // The rule above a page's notes goes where the notes go.
  if (parent !== null && hasClass(parent, /(?:^|\s)footnotes?(?=\s|$)/)) return;
  if (context.writer.count() > 0) context.writer.block(['***']);
}
