import { PACKS } from '../../../billing/ledger/prices.ts';
import { RESEARCH } from '../../../contract/limits.ts';
import { count, dollars } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { estimate, MONTHLY_MAX, type Monthly } from './estimate.ts';
import { packName } from './packs.ts';

/** What was typed into the calculator. */
type ReadMonthly = {
  typed: Record<keyof Monthly, string>;
  /** Null before anything was typed, and where it cannot be read. */
  month: Monthly | null;
  problems: (keyof Monthly)[];
};

const FIELDS: { name: keyof Monthly; label: string; example: string }[] = [
  { name: 'searches', label: 'Searches a month', example: '10000' },
  { name: 'pages', label: 'Pages a month', example: '2000' },
  { name: 'research', label: 'Research calls a month', example: '100' },
];

/** Reads the numbers of the calculator; empty ones are 0. */
export function readMonthly(query: URLSearchParams): ReadMonthly {
  const text = (name: keyof Monthly): string => (query.get(name) ?? '').trim();
  const typed = { searches: text('searches'), pages: text('pages'), research: text('research') };
  const numberOf = (name: keyof Monthly): number => {
    if (typed[name] === '') return 0;
    const number = /^\d{1,7}$/.test(typed[name]) ? Number(typed[name]) : Number.NaN;
    return number <= MONTHLY_MAX ? number : Number.NaN;
  };
  const month = { searches: numberOf('searches'), pages: numberOf('pages'), research: numberOf('research') };
  const problems = FIELDS.map(({ name }) => name).filter((name) => Number.isNaN(month[name]));
  const isAsked = Object.values(typed).some((one) => one !== '');
  return { typed, month: isAsked && problems.length === 0 ? month : null, problems };
}

/** Asks what somebody expects to call in a month, and says what it costs. */
export function calculator({ typed, month, problems }: ReadMonthly, topUp: string | null): Html {
  return html`<section aria-labelledby="calculator">
<h2 id="calculator">What will a month cost?</h2>
<form class="panel" method="get" action="/pricing#calculator">${topUp !== null && html`<input type="hidden" name="k" value="${topUp}">`}
<div class="fields">${FIELDS.map(({ name, label, example }) => field({ name, label, example, value: typed[name], isWrong: problems.includes(name) }))}</div>
<button class="button second" type="submit">Calculate</button>
${month !== null && answer(month)}
</form>
<p class="quiet">A research call runs ${RESEARCH.searches.default} searches unless you ask for more or fewer, and each that returns is a credit.</p>
</section>`;
}

type Field = { name: string; label: string; example: string; value: string; isWrong: boolean };

function field({ name, label, example, value, isWrong }: Field): Html {
  const described = html` aria-invalid="true" aria-describedby="${name}-problem"`;
  return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="number" inputmode="numeric" min="0" max="${MONTHLY_MAX}" step="1" placeholder="${example}" value="${value}"${isWrong && described}>${isWrong && html`<p class="problem" id="${name}-problem">This must be a whole number from 0 to ${count(MONTHLY_MAX)}.</p>`}</div>`;
}

function answer(month: Monthly): Html {
  const { credits, packs, cents } = estimate(month);
  if (credits === 0) return html`<p class="answer-line" role="status">Nothing: no call, no cost.</p>`;
  const bought = packs
    .map(({ pack, times }) => `${times === 1 ? '' : `${times} × `}${packName(pack)}`)
    .join(' and ');
  const left = packs.reduce((sum, { pack, times }) => sum + times * PACKS[pack].credits, 0) - credits;
  const perThousand = dollars(Math.round((cents / credits) * 1_000));
  return html`<p class="answer-line" role="status"><strong>${count(credits)} credits</strong> a month: ${bought} for <strong>${dollars(cents)}</strong>${left === 0 ? '.' : html`, with ${count(left)} credits left over for the next month.`} <span class="quiet">${perThousand} per 1,000 credits used.</span></p>`;
}
