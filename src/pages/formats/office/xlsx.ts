import type { Article } from '../../article.ts';
import { buildPlainArticle } from '../plain-article.ts';
import { createSheets, type SheetWriter } from './sheets.ts';
import { readProperties, readRelations, readXml } from './xml.ts';
import type { Zip } from './zip.ts';

/** Reads a workbook (ECMA-376, SpreadsheetML) as tables of the values that its cells show. */
export function readXlsx(zip: Zip, url: string): Article {
  const relations = readRelations(zip.text('xl/_rels/workbook.xml.rels'), 'xl');
  const strings = readSharedStrings(zip.text('xl/sharedStrings.xml'));
  const dates = readDateStyles(zip.text('xl/styles.xml'));
  const sheets = createSheets();
  let rawChars = 0;
  let is1904 = false;
  readXml(zip.text('xl/workbook.xml'), {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = attributes.date1904 === '1' || attributes.date1904 === 'true';
      if (name !== 'sheet' || (attributes.state ?? 'visible') !== 'visible') return;
      const target = relations.get(attributes['r:id'] ?? '')?.target;
      if (target === undefined) return;
      const xml = zip.text(target);
      rawChars += xml.length;
      sheets.start(attributes.name ?? '');
      readSheet(xml, sheets, (type, style, value) =>
        formatValue(value, { type, isDate: dates.has(style), strings, is1904 }),
      );
    },
  });
  return buildPlainArticle(url, { kind: 'document', ...readProperties(zip), ...sheets.sections(), rawChars });
}

function readSheet(
  xml: string,
  sheets: SheetWriter,
  shown: (type: string, style: string, value: string) => string,
): void {
  let [row, column] = [-1, -1];
  let [type, style, value] = ['n', '0', ''];
  readXml(xml, {
    open(name, { r: place, t, s }) {
      if (name === 'row') {
        row = place === undefined ? row + 1 : Number(place) - 1 || 0;
        column = -1;
      } else if (name === 'c') {
        column = place === undefined ? column + 1 : parseColumn(place);
        [type, style, value] = [t ?? 'n', s ?? '0', ''];
      }
    },
    text(text, name, names) {
      if (name === 'v' || (name === 't' && !names.includes('rPh'))) value += text;
    },
    close(name) {
      if (name === 'c') sheets.put(row, column, shown(type, style, value));
    },
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
  { type, isDate, strings, is1904 }: { type: string; isDate: boolean; strings: string[]; is1904: boolean },
): string {
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  return type === 'n' && isDate && value !== '' ? formatDate(Number(value), is1904) : value;
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

/**
 * Returns the numbers of the cell styles that show dates: built-in formats, and custom ones with days, months, years, hours, minutes or
 * seconds.
 */
function readDateStyles(xml: string): Set<string> {
  const formats = new Set([...[14, 15, 16, 17, 18, 19, 20, 21, 22, 45, 46, 47].map(String)]);
  const styles = new Set<string>();
  let at = 0;
  readXml(xml, {
    open(name, attributes, names) {
      if (name === 'numFmt') {
        const code = (attributes.formatCode ?? '').replace(/"[^"]*"|\[[^[\]]*\]|\\./g, '');
        if (/[dmyhs]/i.test(code) && !/general/i.test(code)) formats.add(attributes.numFmtId ?? '');
      } else if (name === 'xf' && names.at(-2) === 'cellXfs') {
        if (formats.has(attributes.numFmtId ?? '')) styles.add(String(at));
        at += 1;
      }
    },
  });
  return styles;
}
