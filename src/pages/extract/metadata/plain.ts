import { decodeHTMLStrict } from 'entities/decode';
import { collapse } from '../markdown/inline/escape-text.ts';
import { stripMarks } from '../markdown/inline/marks.ts';
import type { PageFacts } from './page-facts.ts';

/** Converts a declared text to plain text: collapses white space and decodes entities that were escaped twice; null when empty. */
export function toPlainText(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  const read = text.includes('&') ? decodeHTMLStrict(text).replace(/\p{Cc}/gu, ' ') : text;
  const done = collapse(stripMarks(read)).trim();
  return done === '' ? null : done;
}

/** Returns the first non-empty content of the named `meta` elements, as plain text. */
export function readFirstMeta({ meta }: PageFacts, names: string[]): string | null {
  for (const name of names) {
    const content = toPlainText(meta.get(name)?.[0]);
    if (content !== null) return content;
  }
  return null;
}

const METAS_MAX = 40;
const META_CHARS_MAX = 500;
/** Names of `meta` elements for browsers, applications and account owners, which say nothing about the page. */
const TECHNICAL =
  /^(?:viewport|theme-color|color-scheme|format-detection|generator|referrer|handheldfriendly|mobileoptimized|csrf-.*|apple-.*|msapplication-.*|al:.*|fb:.*|x-ua-compatible|content-type|content-security-policy|refresh|next-.*)$/;

/** Collects the `meta` elements that describe the page: the first content of each name, as plain text. */
export function collectMeta({ meta }: PageFacts): Record<string, string> {
  const told = [...meta].filter(([name]) => !TECHNICAL.test(name) && !name.includes('verif'));
  return Object.fromEntries(
    told.slice(0, METAS_MAX).flatMap(([name, contents]) => {
      const content = toPlainText(contents[0]?.slice(0, META_CHARS_MAX));
      return content === null ? [] : [[name, content]];
    }),
  );
}
