import { formatNumber } from '../../site/amounts.ts';
import { type Html, html } from '../../site/html.ts';

/** One kind of bar: the name of its values, and the class that colours it. */
type Series = { name: string; look: 'bar' | 'refused' | 'failed' };

type ChartParts = {
  /** A sentence that says what is shown. */
  caption: string;
  series: readonly Series[];
  /** The bars from left to right; values in the order of the series, stacked from below. */
  bars: readonly { name: string; values: readonly number[] }[];
  /** Labels below the bars, evenly spread. */
  axis: readonly string[];
  unit: string;
};

const HEIGHT = 100;
const STEP = 10;
const BAR = 8;

/** Renders stacked bars with a scale, and the same figures as a table. */
export function renderBarChart(parts: ChartParts): Html {
  const { caption, series, bars, axis, unit } = parts;
  const top = roundScaleUp(Math.max(1, ...bars.map(({ values }) => sum(values))));
  return html`<figure class="chart console-chart">
<figcaption>${caption}</figcaption>
${series.length > 1 && html`<ul class="legend" aria-hidden="true">${series.map(({ name, look }) => html`<li><svg viewBox="0 0 10 10" width="12" height="12"><rect class="${look}" width="10" height="10"/></svg> ${name}</li>`)}</ul>`}
<div class="plot"><p class="scale" aria-hidden="true"><span>${formatNumber(top)} ${unit}</span><span>${formatNumber(top / 2)}</span><span>0</span></p>
<svg viewBox="0 0 ${bars.length * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${caption}">
<line class="grid" x1="0" x2="${bars.length * STEP}" y1="${HEIGHT / 2}" y2="${HEIGHT / 2}"/>
${bars.map((bar, place) => renderStack(bar, { series, top, place }))}</svg></div>
<p class="axis" aria-hidden="true">${axis.map((label) => html`<span>${label}</span>`)}</p>
${renderTable(parts)}
</figure>`;
}

function renderStack(
  { name, values }: ChartParts['bars'][number],
  { series, top, place }: { series: readonly Series[]; top: number; place: number },
): Html {
  let from = HEIGHT;
  const words = series.map((kind, at) => `${formatNumber(values[at] ?? 0)} ${kind.name}`).join(', ');
  const rects = values.map((value, at) => {
    // A minimum height keeps one event among thousands visible.
    const height = value === 0 ? 0 : Math.max(1.5, (value / top) * HEIGHT);
    from = Math.max(0, from - height);
    return height === 0
      ? null
      : html`<rect class="${series[at]?.look ?? 'bar'}" x="${place * STEP + (STEP - BAR) / 2}" y="${from.toFixed(2)}" width="${BAR}" height="${height.toFixed(2)}"><title>${name}: ${words}</title></rect>`;
  });
  return html`${rects}\n`;
}

function renderTable({ series, bars, caption }: ChartParts): Html {
  const shown = bars.filter(({ values }) => sum(values) > 0);
  if (shown.length === 0) return html`<p class="quiet">Nothing yet.</p>`;
  return html`<details><summary>Show as a table</summary>
<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<thead><tr><th scope="col">From (UTC)</th>${series.map(({ name }) => html`<th scope="col" class="number">${name}</th>`)}</tr></thead>
<tbody>${shown.toReversed().map(({ name, values }) => html`<tr><th scope="row">${name}</th>${values.map((value) => html`<td class="number">${formatNumber(value)}</td>`)}</tr>\n`)}</tbody>
</table></div></details>`;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Rounds up to the next of 2, 4, 6, 8, 10, 20, 40 ... so that the scale has whole numbers. */
function roundScaleUp(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most));
  const step = [1, 2, 4, 6, 8, 10].find((factor) => factor * power >= most) ?? 10;
  return Math.max(2, step * power);
}
