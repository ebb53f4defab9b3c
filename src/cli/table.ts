import { styleText } from 'node:util';

/** Columns are two spaces apart and as wide as their widest cell; numbers are aligned right. */
export function tableOf(titles: string[], rows: (string | number)[][]): string {
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => String(row[column] ?? '').length)),
  );
  const line = (row: (string | number)[], isNumber: (column: number) => boolean): string =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return isNumber(column) ? String(cell).padStart(width) : String(cell).padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const isNumber = (column: number): boolean => typeof rows[0]?.[column] === 'number';
  return [styleText('dim', line(titles, isNumber)), ...rows.map((row) => line(row, isNumber))].join('\n');
}
