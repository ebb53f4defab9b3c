import type { UsageOfDays } from '../../../billing/ledger/usage-of-days.ts';
import { count } from '../amounts.ts';
import { type Html, html } from '../html.ts';

/** Credits used on one UTC day. */
export type DayUsage = Awaited<ReturnType<UsageOfDays>>[number];

const HEIGHT = 100;
const BAR = 8;
const STEP = 10;

/** Credits used per day, oldest first: as bars, and as a table for readers. */
export function usageChart(days: DayUsage[]): Html {
  const most = Math.max(...days.map(({ credits }) => credits), 0);
  const total = days.reduce((sum, { credits }) => sum + credits, 0);
  const [first, last] = [days[0]?.day ?? '', days.at(-1)?.day ?? ''];
  const summary = `${count(total)} credits used from ${first} to ${last}, at most ${count(most)} in one day.`;
  return html`<figure class="chart">
<figcaption>${summary}</figcaption>
<svg viewBox="0 0 ${days.length * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summary}">
${days.map(({ day, credits }, place) => bar({ day, credits, most, place }))}
</svg>
<p class="axis" aria-hidden="true"><span>${first}</span><span>${last}</span></p>
<details><summary>Show as a table</summary>
<div class="scroll" role="region" aria-label="Credits used per day" tabindex="0"><table>
<thead><tr><th scope="col">Day (UTC)</th><th scope="col">Credits</th></tr></thead>
<tbody>${days.toReversed().map(({ day, credits }) => html`<tr><th scope="row">${day}</th><td>${count(credits)}</td></tr>`)}</tbody>
</table></div></details>
</figure>`;
}

function bar({ day, credits, most, place }: DayUsage & { most: number; place: number }): Html {
  // A day without use keeps a line, so that the axis shows; a day with little use is taller.
  const height = credits === 0 ? 1 : Math.max(3, Math.round((credits / most) * HEIGHT));
  return html`<rect class="${credits === 0 ? 'none' : 'bar'}" x="${place * STEP + (STEP - BAR) / 2}" y="${HEIGHT - height}" width="${BAR}" height="${height}"><title>${day}: ${count(credits)}</title></rect>
`;
}
