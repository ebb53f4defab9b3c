import { collapse } from '../markdown/inline/escape-text.ts';
import { withoutMarks } from '../markdown/inline/marks.ts';
import type { PageFacts } from './page-facts.ts';

const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  rsquo: '’',
  lsquo: '‘',
  ldquo: '“',
  rdquo: '”',
  hellip: '…',
};

/** A declared text as plain text: white space collapsed, entities that were escaped twice read; null when empty. */
export function plain(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const read = text.includes('&') ? text.replace(/&(#\d{1,6}|#x[0-9a-f]{1,5}|[a-z]{2,6});/gi, entity) : text;
  const done = collapse(withoutMarks(read)).trim();
  return done === '' ? null : done;
}

function entity(whole: string, name: string): string {
  if (name.startsWith('#')) {
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 31 && code < 0x10ffff ? String.fromCodePoint(code) : '';
  }
  return Object.hasOwn(NAMED, name) ? (NAMED[name] ?? whole) : whole;
}

/** The first of the named `meta` contents, as plain text. */
export function firstMeta({ meta }: PageFacts, names: string[]): string | null {
  for (const name of names) {
    const content = plain(meta.get(name)?.[0]);
    if (content !== null) return content;
  }
  return null;
}
