import { escapeUTF8 } from 'entities/escape';

/** Escaped markup. Only `html` creates it, so that unescaped text never becomes markup. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value in a template. Null and false render as nothing, so that conditions can be written in place. */
export type Part = Html | string | number | null | false | Part[];

/** Template tag that escapes every part that is not markup, for text and for quoted attributes. */
export function html(literals: TemplateStringsArray, ...parts: Part[]): Html {
  let text = literals[0] ?? '';
  for (const [place, part] of parts.entries()) text += renderPart(part) + (literals[place + 1] ?? '');
  return new Html(text);
}

function renderPart(part: Part): string {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(renderPart).join('');
  return escapeUTF8(String(part));
}
