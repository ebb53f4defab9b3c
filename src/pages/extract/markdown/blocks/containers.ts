import { isElement, type TreeElement } from '../../tree.ts';
import { emphasise } from '../inline/emphasis.ts';
import { finishLine } from '../inline/finish-inline.ts';
import { STRONG_CLOSE, STRONG_OPEN } from '../inline/marks.ts';
import type { Scribe } from '../scribe.ts';
import { hasClass } from '../tags.ts';

/** `blockquote` -> a quote. */
export function quote(element: TreeElement, scribe: Scribe): void {
  const wasTight = scribe.tight;
  scribe.tight = false;
  scribe.writer.enter('> ', '> ');
  scribe.blocks(element.children);
  scribe.writer.leave();
  scribe.tight = wasTight;
}

/** `details` -> its summary in bold, then what it opens; a reader without a mouse sees both. */
export function details(element: TreeElement, scribe: Scribe): void {
  for (const child of element.children) {
    if (!isElement(child) || child.tag !== 'summary' || !child.kept) continue;
    const bold = emphasise(scribe.inline(child.children).trim(), STRONG_OPEN, STRONG_CLOSE);
    if (bold !== '') scribe.writer.block([finishLine(bold, ' ')]);
  }
  scribe.blocks(element.children.filter((child) => !isElement(child) || child.tag !== 'summary'));
}

/** `hr` -> a rule, but not before the first text; `---` would be read as a heading's line or as a list. */
export function rule({ parent }: TreeElement, scribe: Scribe): void {
  // The rule above a page's notes goes where the notes go.
  if (parent !== null && hasClass(parent, /(?:^|\s)footnotes?(?=\s|$)/)) return;
  if (scribe.writer.count() > 0) scribe.writer.block(['***']);
}
