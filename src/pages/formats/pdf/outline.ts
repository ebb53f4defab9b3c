import type { PdfEngine } from './engine.ts';

/** An entry of the outline that a viewer shows beside the pages. */
export type OutlineEntry = { title: string; depth: number };

const ENTRIES_MAX = 2_000;
const DEPTH_MAX = 6;

/** Reads the outline of a document, in order. A cyclic outline ends at the bound. */
export function readOutline({ call, document, text }: PdfEngine): OutlineEntry[] {
  const entries: OutlineEntry[] = [];
  const visit = (parent: number, depth: number): void => {
    if (depth >= DEPTH_MAX) return;
    let entry = call.FPDFBookmark_GetFirstChild(document, parent);
    while (entry !== 0 && entries.length < ENTRIES_MAX) {
      const bookmark = entry;
      const title = text('utf-16le', (buffer, bytes) => call.FPDFBookmark_GetTitle(bookmark, buffer, bytes));
      entries.push({ title: title.trim(), depth });
      visit(bookmark, depth + 1);
      entry = call.FPDFBookmark_GetNextSibling(document, bookmark);
    }
  };
  visit(0, 0);
  return entries;
}
