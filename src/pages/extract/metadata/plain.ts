import { decodeHTMLStrict } from 'entities/decode';
import { collapse } from '../markdown/inline/escape-text.ts';
import { withoutMarks } from '../markdown/inline/marks.ts';
import type { PageFacts } from './page-facts.ts';

/** A declared text as plain text: white space collapsed, entities that were escaped twice read; null when empty. */
export function plain(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const read = text.includes('&') ? decodeHTMLStrict(text).replace(/\p{Cc}/gu, ' ') : text;
  const done = collapse(withoutMarks(read)).trim();
  return done === '' ? null : done;
}

/** The first of the named `meta` contents, as plain text. */
export function firstMeta({ meta }: PageFacts, names: string[]): string | null {
  for (const name of names) {
    const content = plain(meta.get(name)?.[0]);
    if (content !== null) return content;
  }
  return null;
}
