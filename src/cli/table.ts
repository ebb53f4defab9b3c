import { styleText } from 'node:util';

/** Columns two spaces apart, as wide as their widest cell; numbers stand on the right. */
export function tableOf(titles: string[], rows: (string | number)[][]): string {
  const widths = titles.map((title, place) =>
    Math.max(title.length, ...rows.map((row) => String(row[place] ?? '').length)),
  );
  const line = (row: (string | number)[], isNumber: (place: number) => boolean): string =>
    row
      .map((cell, place) => {
        const width = widths[place] ?? 0;
        return isNumber(place) ? String(cell).padStart(width) : String(cell).padEnd(width);
      })
      .join('  ')
      .trimEnd();
  const isNumber = (place: number): boolean => typeof rows[0]?.[place] === 'number';
  return [styleText('dim', line(titles, isNumber)), ...rows.map((row) => line(row, isNumber))].join('\n');
}
