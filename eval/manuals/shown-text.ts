/** Markdown as a reader sees it: no marks of emphasis, code, headings or tables, link targets left out, white space folded. */
export function shownText(markdown: string): string {
  return markdown
    .replace(/\]\([^()\s]*(?: "[^"]*")?\)/g, ']')
    .replace(/[`*\\|#[\]]/g, '')
    .replace(/\s+/g, ' ');
}
