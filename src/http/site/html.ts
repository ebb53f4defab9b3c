/** Text that is markup already: made by `html` only, so that nothing unescaped is ever one. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template. Null and false leave nothing behind, so that a condition can be written in place. */
export type Part = Html | string | number | null | false | Part[];

/** A template tag: every part that is not markup itself is escaped, for text and for quoted attributes alike. */
export function html(literals: TemplateStringsArray, ...parts: Part[]): Html {
  let text = literals[0] ?? '';
  for (const [place, part] of parts.entries()) text += markupOf(part) + (literals[place + 1] ?? '');
  return new Html(text);
}

function markupOf(part: Part): string {
  if (part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(markupOf).join('');
  return escapeText(String(part));
}

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}
