const LINK = /!?\[((?:[^[\]\\]|\\.|\[[^\]]*\])*)\]\((?:[^()\s\\]|\\.|\([^()]*\))*(?:\s+"[^"]*")?\)/g;
const FENCE_LINE = /^[ \t>]*(?:`{3,}|~{3,}).*$/gm;
const TABLE_RULE = /^[ \t>]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|?)+[ \t]*$/gm;
const ESCAPE = /\\([!-/:-@[-`{-~])/g;
const EMPHASIS = /\*{1,3}|`+|~~/g;

/** Markdown -> the text of it that a reader sees, line by line; addresses of links, fences and rules of tables are left out. Block markers stay. */
export function plainText(markdown: string): string {
  return markdown
    .replace(FENCE_LINE, '')
    .replace(TABLE_RULE, '')
    .replace(LINK, '$1')
    .replace(ESCAPE, '$1')
    .replace(EMPHASIS, '');
}
