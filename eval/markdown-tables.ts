/** Reads the tables of a Markdown text, as rows of cells that `normalize` makes comparable. */
export function readTables(markdown: string, normalize: (cell: string) => string): string[][][] {
  const tables: string[][][] = [];
  let table: string[][] | null = null;
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) table = null;
    else if (table === null) {
      table = [splitRow(line).map(normalize)];
      tables.push(table);
    } else if (!/^\|(?:\s*:?-+:?\s*\|)+$/.test(line.trim())) table.push(splitRow(line).map(normalize));
  }
  return tables;
}

function splitRow(line: string): string[] {
  return line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/);
}
