/*
 * Every pattern here is linear: no repetition matches characters that the next one could match as well, and the length between
 * brackets is bounded.
 */
export const LINK =
  /(?<!\\)!?\[((?:[^[\]\\\n]|\\.){0,500})\]\((?:[^()\s\\]|\\.){0,2000}(?:\([^()\s]{0,200}\)[^()\s]{0,500})?(?:[ \t]"[^"\n]{0,300}")?\)/g;
const FENCE_LINE = /^[ \t>]*(?:```|~~~).*$/gm;
const RULE_LINE = /^[ \t>|:-]+$/gm;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;
const EMPHASIS = /\*{1,3}|`+|~~/g;

const CHARS_MAX = 1_000_000;

/**
 * Converts the first million characters of Markdown to visible text, line by line, without link addresses, fences and table rules.
 * Block markers stay.
 */
export function toVisibleText(markdown: string): string {
  const text = markdown.slice(0, CHARS_MAX);
  const unfenced = text.includes('```') || text.includes('~~~') ? text.replace(FENCE_LINE, '') : text;
  const linked = stripLinks(unfenced.replace(RULE_LINE, ''));
  return (linked.includes('\\') ? linked.replace(ESCAPE, '$1') : linked).replace(EMPHASIS, '');
}

/** Replaces links and images with their texts; an image may be inside a link. */
export function stripLinks(markdown: string): string {
  return markdown.includes('](') ? markdown.replace(LINK, '$1').replace(LINK, '$1') : markdown;
}
