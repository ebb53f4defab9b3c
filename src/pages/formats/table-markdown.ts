/** Formats rows of plain text as a Markdown table; the first row is its head, short rows are padded. */
export function formatMarkdownTable(rows: string[][]): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 1);
  const formatRow = (row: string[]): string =>
    `| ${Array.from({ length: columns }, (_, at) => escapeCell(row[at] ?? '')).join(' | ')} |`;
  const [head = [], ...body] = rows;
  const rule = `|${' --- |'.repeat(columns)}`;
  return [formatRow(head), rule, ...body.map(formatRow)].join('\n');
}

function escapeCell(text: string): string {
  return text
    .trim()
    .replace(/[\\`*[\]<>|]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, '\\$&')
    .replace(/\r\n?|\n/g, '<br>');
}
