/** Markdown -> its words in order, in the same way for every extractor, so that none gains by its notation. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^\s*(?:```|~~~).*$/gm, ' ')
    .replace(/<(?:[a-z][^<>]*|\/[a-z]+)>/gi, ' ')
    .replace(/!\[(?:[^\]\\]|\\.)*\]\((?:[^()\\\s]|\\.|\([^()\s]*\))*(?:\s+"[^"]*")?\)/g, ' ')
    .replace(/\]\((?:[^()\\\s]|\\.|\([^()\s]*\))*(?:\s+"[^"]*")?\)/g, ' ')
    .replace(/^\s*\[[^\]]+\]:\s*\S+.*$/gm, ' ')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/[*`~]/g, '')
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, '');
}
