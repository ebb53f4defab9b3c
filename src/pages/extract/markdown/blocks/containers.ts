import { isElement, type TreeElement } from '../../tree.ts';
import { emphasize } from '../inline/emphasis.ts';
import { finishLine } from '../inline/finish-inline.ts';
import { STRONG_CLOSE, STRONG_OPEN } from '../inline/marks.ts';
import { hasClass } from '../tags.ts';
import type { WriterContext } from '../writer-context.ts';

/** Writes `blockquote` as a quote. A quote of code alone is written as code: old pages use the tag to indent. */
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

/** Returns whether a quote shows only `pre` without `code`; converters of Markdown write `code` within it. */
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

/** Writes `details` as its summary in bold, then its contents, since Markdown cannot fold them. */
export function writeDetails(element: TreeElement, context: WriterContext): void {
  for (const child of element.children) {
    if (!isElement(child) || child.tag !== 'summary' || !child.kept) continue;
    const bold = emphasize(context.inline(child.children).trim(), STRONG_OPEN, STRONG_CLOSE);
    if (bold !== '') context.writer.block([finishLine(bold, ' ')]);
  }
  context.blocks(element.children.filter((child) => !isElement(child) || child.tag !== 'summary'));
}

/** Writes `hr` as `***`, but not before the first text; `---` would be read as a heading's underline or as a list. */
export function writeRule({ parent }: TreeElement, context: WriterContext): void {
  // The rule above the footnotes is dropped; the notes are written elsewhere.
  if (parent !== null && hasClass(parent, /(?:^|\s)footnotes?(?=\s|$)/)) return;
  if (context.writer.count() > 0) context.writer.block(['***']);
}
