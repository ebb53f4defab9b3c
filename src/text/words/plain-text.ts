/*
 * Every pattern here is linear: a repetition never meets characters that the next one could take as well, and what is
 * between brackets is bounded.
 */
export const LINK =
  /(?<!\\)!?\[((?:[^[\]\\\n]|\\.){0,500})\]\((?:[^()\s\\]|\\.){0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500})?(?:[ \t]"[^"\n]{0,300}")?\)/g;
const FENCE_LINE = /^[ \t>]*(?:```|~~~).*$/gm;
const RULE_LINE = /^[ \t>|:-]+$/gm;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;
const EMPHASIS = /\*{1,3}|`+|~~/g;

const CHARS_MAX = 1_000_000;

/**
 * Markdown -> its visible text, line by line, of its first million characters; addresses of links, fences and
 * rules of tables are left out. Block markers stay.
 */
export function plainText(markdown: string): string {
  const text = markdown.slice(0, CHARS_MAX);
  const unfenced = text.includes('```') || text.includes('~~~') ? text.replace(FENCE_LINE, '') : text;
  const linked = unlinked(unfenced.replace(RULE_LINE, ''));
  return (linked.includes('\\') ? linked.replace(ESCAPE, '$1') : linked).replace(EMPHASIS, '');
}

/** Replaces links and images by their texts; an image may be inside a link. */
export function unlinked(markdown: string): string {
  return markdown.includes('](') ? markdown.replace(LINK, '$1').replace(LINK, '$1') : markdown;
}
