/** Rows of plain texts as a table of Markdown; the first is its head, short rows are filled up. */
export function tableMarkdown(rows: string[][]): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 1);
  const line = (row: string[]): string =>
    `| ${Array.from({ length: columns }, (_, at) => cellText(row[at] ?? '')).join(' | ')} |`;
  const [head = [], ...body] = rows;
  const rule = `|${' --- |'.repeat(columns)}`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

function cellText(text: string): string {
  return text
    .trim()
    .replace(/[\\`*[\]<>|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&')
    .replace(/\r\n?|\n/g, '<br>');
}
