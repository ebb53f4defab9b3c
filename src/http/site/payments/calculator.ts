import { PACKS } from '../../../billing/ledger/prices.ts';
import { RESEARCH } from '../../../contract/limits.ts';
import { formatDollars, formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { estimate, MONTHLY_MAX, type MonthlyCalls } from './estimate.ts';
import { formatPackName } from './packs.ts';

/** The input of the calculator. */
type MonthlyInput = {
  typed: Record<keyof MonthlyCalls, string>;
  /** The parsed numbers; null if nothing was typed or something cannot be parsed. */
  month: MonthlyCalls | null;
  problems: (keyof MonthlyCalls)[];
};

const FIELDS: { name: keyof MonthlyCalls; label: string; example: string }[] = [
  { name: 'searches', label: 'Searches a month', example: '10000' },
  { name: 'pages', label: 'Pages a month', example: '2000' },
  { name: 'research', label: 'Research calls a month', example: '100' },
];

/** Reads the numbers of the calculator; an empty field counts as 0. */
export function readMonthly(query: URLSearchParams): MonthlyInput {
  const readText = (name: keyof MonthlyCalls): string => (query.get(name) ?? '').trim();
  const typed = { searches: readText('searches'), pages: readText('pages'), research: readText('research') };
  const parseNumber = (name: keyof MonthlyCalls): number => {
    if (typed[name] === '') return 0;
    const number = /^\d{1,7}$/.test(typed[name]) ? Number(typed[name]) : Number.NaN;
    return number <= MONTHLY_MAX ? number : Number.NaN;
  };
  const month = {
    searches: parseNumber('searches'),
    pages: parseNumber('pages'),
    research: parseNumber('research'),
  };
  const problems = FIELDS.map(({ name }) => name).filter((name) => Number.isNaN(month[name]));
  const isAsked = Object.values(typed).some((one) => one !== '');
  return { typed, month: isAsked && problems.length === 0 ? month : null, problems };
}

/** Renders the form for the expected calls in a month, and their cost. */
export function renderCalculator({ typed, month, problems }: MonthlyInput, topUp: string | null): Html {
  return html`<section aria-labelledby="calculator">
<h2 id="calculator">What will a month cost?</h2>
<form class="panel" method="get" action="/pricing#calculator">${topUp !== null && html`<input type="hidden" name="k" value="${topUp}">`}
<div class="fields">${FIELDS.map(({ name, label, example }) => renderField({ name, label, example, value: typed[name], isWrong: problems.includes(name) }))}</div>
<button class="button second" type="submit">Calculate</button>
${month !== null && renderAnswer(month)}
</form>
<p class="quiet">A research call runs ${RESEARCH.searches.default} searches unless you ask for more or fewer, and each that returns is a credit.</p>
</section>`;
}

type Field = { name: string; label: string; example: string; value: string; isWrong: boolean };

function renderField({ name, label, example, value, isWrong }: Field): Html {
  const described = html` aria-invalid="true" aria-describedby="${name}-problem"`;
  return html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="number" inputmode="numeric" min="0" max="${MONTHLY_MAX}" step="1" placeholder="${example}" value="${value}"${isWrong && described}>${isWrong && html`<p class="problem" id="${name}-problem">This must be a whole number from 0 to ${formatNumber(MONTHLY_MAX)}.</p>`}</div>`;
}

function renderAnswer(month: MonthlyCalls): Html {
  const { credits, packs, cents } = estimate(month);
  if (credits === 0) return html`<p class="answer-line" role="status">Nothing: no call, no cost.</p>`;
  const bought = packs
    .map(({ pack, times }) => `${times === 1 ? '' : `${times} × `}${formatPackName(pack)}`)
    .join(' and ');
  const left = packs.reduce((sum, { pack, times }) => sum + times * PACKS[pack].credits, 0) - credits;
  const perThousand = formatDollars(Math.round((cents / credits) * 1_000));
  return html`<p class="answer-line" role="status"><strong>${formatNumber(credits)} credits</strong> a month: ${bought} for <strong>${formatDollars(cents)}</strong>${left === 0 ? '.' : html`, with ${formatNumber(left)} credits left over for the next month.`} <span class="quiet">${perThousand} per 1,000 credits used.</span></p>`;
}
