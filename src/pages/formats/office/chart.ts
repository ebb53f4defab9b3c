import { escapeUTF8 } from 'entities';
import { readXml } from './xml.ts';

/** Maximum series, and points of each, that are written; a chart with more is drawn from a data set. */
const SERIES_MAX = 30;
const POINTS_MAX = 500;

type Series = { name: string; categories: Map<number, string>; values: Map<number, string> };

/**
 * Reads a chart (ECMA-376, DrawingML) as an HTML table of the numbers that it is drawn from, which the file holds for viewers without the
 * sheet: a row for each category, a column for each series. Returns '' when it holds none.
 */
export function readChart(xml: string): string {
  const { title, series } = readSeries(xml);
  const points = new Set(
    series.flatMap(({ categories, values }) => [...categories.keys(), ...values.keys()]),
  );
  if (series.length === 0 || points.size === 0) return '';
  const [first] = series;
  const rows = [...points]
    .sort((a, b) => a - b)
    .map((point) => [
      first?.categories.get(point) ?? String(point + 1),
      ...series.map(({ values }) => values.get(point) ?? ''),
    ]);
  const head = ['', ...series.map(({ name }) => name)];
  const write = (cells: string[], tag: string): string =>
    `<tr>${cells.map((text) => `<${tag}>${escapeUTF8(text)}</${tag}>`).join('')}</tr>`;
  const named = title === '' ? '' : `<p>${escapeUTF8(title)}</p>`;
  return `${named}<table>${write(head, 'th')}${rows.map((row) => write(row, 'td')).join('')}</table>`;
}

function readSeries(xml: string): { title: string; series: Series[] } {
  const series: Series[] = [];
  let title = '';
  let place: 'title' | 'name' | 'categories' | 'values' | null = null;
  let point = 0;
  readXml(xml, {
    open(name, attributes) {
      if (name === 'c:title' && series.length === 0) place = 'title';
      else if (name === 'c:plotArea' && place === 'title') place = null;
      else if (name === 'c:ser' && series.length < SERIES_MAX)
        series.push({ name: '', categories: new Map(), values: new Map() });
      else if (name === 'c:tx' && place === null) place = 'name';
      else if (name === 'c:cat' || name === 'c:xVal') place = 'categories';
      else if (name === 'c:val' || name === 'c:yVal') place = 'values';
      else if (name === 'c:pt') point = Number(attributes.idx) || 0;
    },
    text(text, name) {
      const open = series.at(-1);
      if (place === 'title' && name === 'a:t') title += text;
      if (name !== 'c:v' || open === undefined || point >= POINTS_MAX) return;
      if (place === 'name') open.name += text;
      else if (place === 'categories') open.categories.set(point, (open.categories.get(point) ?? '') + text);
      else if (place === 'values') open.values.set(point, (open.values.get(point) ?? '') + text);
    },
    close(name) {
      if (
        name === 'c:title' ||
        name === 'c:cat' ||
        name === 'c:xVal' ||
        name === 'c:val' ||
        name === 'c:yVal'
      )
        place = null;
      else if (name === 'c:tx' && place === 'name') place = null;
    },
  });
  return { title: title.trim(), series };
}
