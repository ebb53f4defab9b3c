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

const METAS_MAX = 40;
const META_CHARS_MAX = 500;
/** For browsers, applications and owners of accounts; nothing about the page. */
const TECHNICAL =
  /^(?:viewport|theme-color|color-scheme|format-detection|generator|referrer|handheldfriendly|mobileoptimized|csrf-.*|apple-.*|msapplication-.*|al:.*|fb:.*|x-ua-compatible|content-type|content-security-policy|refresh|next-.*)$/;

/** Each `meta` that says something about the page, by its name, with its first content as plain text. */
export function metaOf({ meta }: PageFacts): Record<string, string> {
  const told = [...meta].filter(([name]) => !TECHNICAL.test(name) && !name.includes('verif'));
  return Object.fromEntries(
    told.slice(0, METAS_MAX).flatMap(([name, contents]) => {
      const content = plain(contents[0]?.slice(0, META_CHARS_MAX));
      return content === null ? [] : [[name, content]];
    }),
  );
}
