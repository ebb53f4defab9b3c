import { closeP } from './body-start.ts';
import { addElement, type Builder, openElement } from './builder.ts';
import { clearToMarker, endFormatting, endInline, reconstructFormatting } from './formatting.ts';
import { endTemplate } from './head-rules.ts';
import { BUTTON_SCOPE, closeImplied, closeThrough, ENDS_BLOCK, FORMATTING, findInScope, HEADINGS, isInScope, LIST_SCOPE, SCOPE } from './open-elements.ts';

const OBJECTS = new Set(['applet', 'marquee', 'object']);

/** Applies an end tag in the body (HTML, 13.2.6.4.7). */
export function endInBody(builder: Builder, tag: string): void {
  const { open } = builder;
  if (tag === 'form') endForm(builder);
  else if (ENDS_BLOCK.has(tag)) endElement(builder, tag, SCOPE);
  else if (FORMATTING.has(tag)) endFormatting(builder, tag);
  else if (tag === 'p') {
    if (!isInScope(open, 'p', BUTTON_SCOPE)) openElement(builder, 'p', {});
    closeP(builder);
  } else if (tag === 'li') endElement(builder, tag, LIST_SCOPE);
  else if (tag === 'dd' || tag === 'dt') endElement(builder, tag, SCOPE);
  else if (HEADINGS.has(tag)) {
    if (findInScope(open, (each) => HEADINGS.has(each), SCOPE) === -1) return;
    closeImplied(open);
    closeThrough(open, HEADINGS);
  } else if (OBJECTS.has(tag)) {
    if (endElement(builder, tag, SCOPE)) clearToMarker(builder);
  } else if (tag === 'br') {
    reconstructFormatting(builder);
    addElement(builder, 'br', {});
    builder.framesetOk = false;
  } else if (tag === 'template') endTemplate(builder);
  // The body extends to the end of the page, whatever follows its end tag.
  else if (tag !== 'body' && tag !== 'html') endInline(builder, tag);
}

function endElement(builder: Builder, tag: string, scope: ReadonlySet<string>): boolean {
  if (!isInScope(builder.open, tag, scope)) return false;
  closeImplied(builder.open, tag);
  closeThrough(builder.open, tag);
  return true;
}

function endForm(builder: Builder): void {
  const { open, form } = builder;
  if (open.elements.some(({ tag }) => tag === 'template')) {
    endElement(builder, 'form', SCOPE);
    return;
  }
  builder.form = null;
  if (form === null || !isInScope(open, 'form', SCOPE)) return;
  closeImplied(open);
  const place = open.elements.lastIndexOf(form);
  if (place === -1) return;
  // Elements open inside the form stay open.
  open.elements.splice(place, 1);
  open.spaces.splice(place, 1);
}
