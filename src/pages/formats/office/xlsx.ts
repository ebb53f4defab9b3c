import type { Article } from '../../article.ts';
import { escapeMarkdown } from '../../extract/markdown/inline/finish-inline.ts';
import { buildPlainArticle } from '../plain-article.ts';
import { createSheets, type SheetWriter } from './sheets.ts';
import { readProperties, readRelations, readXml } from './xml.ts';
import type { Zip } from './zip.ts';

/** Reads a workbook (ECMA-376, SpreadsheetML) as tables of the values that its cells show. */
export function readXlsx(zip: Zip, url: string): Article {
  const relations = readRelations(zip.text('xl/_rels/workbook.xml.rels'), 'xl');
  const strings = readSharedStrings(zip.text('xl/sharedStrings.xml'));
  const styles = readNumberStyles(zip.text('xl/styles.xml'));
  const sheets = createSheets();
  const hidden: string[] = [];
  let rawChars = 0;
  let is1904 = false;
  readXml(zip.text('xl/workbook.xml'), {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = attributes.date1904 === '1' || attributes.date1904 === 'true';
      if (name !== 'sheet') return;
      if ((attributes.state ?? 'visible') !== 'visible') {
        hidden.push(attributes.name ?? '');
        return;
      }
      const target = relations.get(attributes['r:id'] ?? '')?.target;
      if (target === undefined) return;
      const xml = zip.text(target);
      rawChars += xml.length;
      sheets.start(attributes.name ?? '');
      readSheet(xml, sheets, (type, style, value) =>
        formatValue(value, { type, style: styles.get(style), strings, is1904 }),
      );
    },
  });
  const { markdown, headings } = sheets.sections();
  const named = hidden.length === 0 ? [] : [`Hidden sheets, not read: ${escapeMarkdown(hidden.join(', '))}.`];
  return buildPlainArticle(url, {
    kind: 'document',
    ...readProperties(zip),
    markdown: [markdown, ...named].filter((part) => part !== '').join('\n\n'),
    headings,
    rawChars,
  });
}

function readSheet(
  xml: string,
  sheets: SheetWriter,
  shown: (type: string, style: string, value: string) => string,
): void {
  let [row, column] = [-1, -1];
  let [type, style, value, formula] = ['n', '0', '', ''];
  readXml(xml, {
    open(name, { r: place, t, s, ref }) {
      if (name === 'row') {
        row = place === undefined ? row + 1 : Number(place) - 1 || 0;
        column = -1;
      } else if (name === 'c') {
        column = place === undefined ? column + 1 : parseColumn(place);
        [type, style, value, formula] = [t ?? 'n', s ?? '0', '', ''];
      } else if (name === 'mergeCell') mergeCells(ref ?? '', sheets);
    },
    text(text, name, names) {
      if (name === 'f') formula += text;
      if (name === 'v' || (name === 't' && !names.includes('rPh'))) value += text;
    },
    close(name) {
      if (name !== 'c') return;
      // A program that does not compute, as one that writes reports, leaves the value out.
      const isOpen = value === '' && formula !== '';
      sheets.put(row, column, isOpen ? `=${formula}` : shown(type, style, value));
    },
  });
}

/** Repeats the value of merged cells, given as "A6:B7"; they stand after all cells. */
function mergeCells(range: string, sheets: SheetWriter): void {
  const [, left, top, right, bottom] = /^([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})$/.exec(range) ?? [];
  if (left === undefined || right === undefined) return;
  sheets.merge({
    row: Number(top) - 1,
    column: parseColumn(left),
    rows: Number(bottom) - Number(top) + 1,
    columns: parseColumn(right) - parseColumn(left) + 1,
  });
}

/** Returns the column of a cell reference such as "AB12", counted from 0. */
function parseColumn(place: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,3}/.exec(place)?.[0] ?? 'A')
    column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

function formatValue(
  value: string,
  {
    type,
    style,
    strings,
    is1904,
  }: { type: string; style: NumberStyle | undefined; strings: string[]; is1904: boolean },
): string {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n' || style === undefined || value === '') return value;
  if (style.kind === 'date') return formatDate(Number(value), is1904);
  return style.kind === 'duration'
    ? formatDuration(Number(value))
    : `${(Number(value) * 100).toFixed(style.decimals)}%`;
}

/** Formats a day count as hours that may be more than a day's. */
function formatDuration(days: number): string {
  const seconds = Math.round(days * 86_400);
  const pad = (number: number): string => String(Math.trunc(number)).padStart(2, '0');
  return `${Math.trunc(seconds / 3_600)}:${pad((seconds / 60) % 60)}:${pad(seconds % 60)}`;
}

const DAY_MS = 86_400_000;

/** Formats a day count as a date, a time or both. */
function formatDate(days: number, is1904: boolean): string {
  const epoch = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const time = new Date(epoch + Math.round((days * DAY_MS) / 1_000) * 1_000);
  if (Number.isNaN(time.getTime())) return String(days);
  const [day = '', clock = ''] = time.toISOString().slice(0, 19).split('T');
  if (days >= 0 && days < 1) return clock;
  return clock === '00:00:00' ? day : `${day} ${clock}`;
}

function readSharedStrings(xml: string): string[] {
  const strings: string[] = [];
  let text = '';
  readXml(xml, {
    open: (name) => {
      if (name === 'si') text = '';
    },
    text: (part, name, names) => {
      if (name === 't' && !names.includes('rPh')) text += part;
    },
    close: (name) => {
      if (name === 'si') strings.push(text);
    },
  });
  return strings;
}

/** How a number is shown that is not written as it is. */
type NumberStyle = { kind: 'date' } | { kind: 'duration' } | { kind: 'percent'; decimals: number };

/** Formats that files need not define (ECMA-376, 18.8.30). */
const BUILT_IN: [id: number, style: NumberStyle][] = [
  [9, { kind: 'percent', decimals: 0 }],
  [10, { kind: 'percent', decimals: 2 }],
  ...[14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 47].map((id): [number, NumberStyle] => [id, { kind: 'date' }]),
  [46, { kind: 'duration' }],
];

/** Reads which cell styles, by number, show dates, durations or percentages. */
function readNumberStyles(xml: string): Map<string, NumberStyle> {
  const formats = new Map(BUILT_IN.map(([id, style]) => [String(id), style]));
  const styles = new Map<string, NumberStyle>();
  let at = 0;
  readXml(xml, {
    open(name, attributes, names) {
      if (name === 'numFmt') {
        const style = parseFormatCode(attributes.formatCode ?? '');
        if (style !== null) formats.set(attributes.numFmtId ?? '', style);
      } else if (name === 'xf' && names.at(-2) === 'cellXfs') {
        const style = formats.get(attributes.numFmtId ?? '');
        if (style !== undefined) styles.set(String(at), style);
        at += 1;
      }
    },
  });
  return styles;
}

/** Parses a format such as `dd/mm/yyyy`, `[h]:mm` or `0.0%`; null for one that shows a number. */
function parseFormatCode(code: string): NumberStyle | null {
  const bare = code.replace(/"[^"]*"|\\./g, '');
  if (/\[(?:h+|m+|s+)\]/i.test(bare)) return { kind: 'duration' };
  const signs = bare.replace(/\[[^[\]]*\]/g, '');
  if (/general/i.test(signs)) return null;
  if (signs.includes('%')) return { kind: 'percent', decimals: /\.(0{1,9})/.exec(signs)?.[1]?.length ?? 0 };
  return /[dmyhs]/i.test(signs) ? { kind: 'date' } : null;
}
