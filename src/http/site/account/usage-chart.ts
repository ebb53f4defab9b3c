import type { DailyUsageReader } from '../../../billing/ledger/account-usage.ts';
import { formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';

/** Credits used on one UTC day. */
export type DayUsage = Awaited<ReturnType<DailyUsageReader>>[number];

const HEIGHT = 100;
const BAR = 8;
const STEP = 10;

/** Renders the credits used per day, oldest first, as bars between numbered axes, with a table beside them. */
export function renderUsageChart(days: DayUsage[]): Html {
  const most = Math.max(...days.map(({ credits }) => credits), 0);
  const top = computeAxisTop(most);
  const total = days.reduce((sum, { credits }) => sum + credits, 0);
  const findDay = (place: number): string => days.at(place)?.day ?? '';
  const [first, middle, last] = [findDay(0), findDay(Math.floor(days.length / 2)), findDay(-1)] as const;
  const summary = `${formatNumber(total)} credits used from ${first} to ${last}, at most ${formatNumber(most)} in one day.`;
  return html`<figure class="chart">
<figcaption>${summary}</figcaption>
<div class="chart-beside"><div class="axes">
<p class="axis-y" aria-hidden="true"><span>${formatNumber(top)}</span><span>${formatNumber(top / 2)}</span><span>0</span></p>
<svg viewBox="0 0 ${days.length * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summary}">
<path class="grid" d="M0 0.5H${days.length * STEP}M0 ${HEIGHT / 2}H${days.length * STEP}"/>
${days.map(({ day, credits }, place) => renderBar({ day, credits, top, place }))}
</svg>
<p class="axis" aria-hidden="true"><span>${first}</span><span>${middle}</span><span>${last}</span></p>
</div>
<div class="scroll" role="region" aria-label="Credits used per day" tabindex="0"><table>
<thead><tr><th scope="col">Day (UTC)</th><th scope="col" class="number">Credits</th></tr></thead>
<tbody>${days.toReversed().map(({ day, credits }) => html`<tr><th scope="row">${day}</th><td class="number">${formatNumber(credits)}</td></tr>`)}</tbody>
</table></div></div>
</figure>`;
}

/** Rounds up to the next even number with one non-zero digit: 4,321 -> 6,000. Half of it is a whole number too. */
function computeAxisTop(most: number): number {
  const unit = 2 * 10 ** Math.max(0, Math.floor(Math.log10(Math.max(most, 1))));
  return Math.max(2, Math.ceil(most / unit) * unit);
}

function renderBar({ day, credits, top, place }: DayUsage & { top: number; place: number }): Html {
  // A day without use keeps a line, so that the axis shows; a day with little use is taller.
  const height = credits === 0 ? 1 : Math.max(3, Math.round((credits / top) * HEIGHT));
  return html`<rect class="${credits === 0 ? 'none' : 'bar'}" x="${place * STEP + (STEP - BAR) / 2}" y="${HEIGHT - height}" width="${BAR}" height="${height}"><title>${day}: ${formatNumber(credits)}</title></rect>
`;
}
