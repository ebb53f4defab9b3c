import { type Html, html } from '../html.ts';
import { renderEmptyState } from '../shell/parts.ts';
import { buildPlayLink } from './plays.ts';
import { isWebAddress, renderPassage, renderSiteLetter } from './result-list.ts';

/** The displayed fields of the answer of POST /v1/answer: written by a model, or a quotation. */
export type DisplayedAnswer = {
  answer: string | null;
  citations: { url: string; title: string; publishedDate: string | null; proof?: { link: string } }[];
  statements?: { text: string; citations: Proof[] }[];
};

type Proof = { source: number; url: string; quote: string; link: string };

/** Renders an answer for people: the sentences that a model wrote with their numbered sources, or the passage of a page. */
export function renderAnswered({ answer, citations, statements }: DisplayedAnswer, query: string): Html {
  if (statements !== undefined) return renderWritten(statements, { citations, query });
  const [page] = citations;
  if (answer === null || page === undefined)
    return renderEmptyState({
      title: 'No page answers it well enough',
      text: html`Ask for one thing at a time, or <a href="${buildPlayLink('/', { query })}">search for it</a>.`,
    });
  return html`<h2>Answer</h2>
<p class="quiet">Quoted word for word.</p>
<ol class="hits">${renderSource(page, { quotes: [{ quote: answer, link: page.proof?.link ?? page.url }], query, number: 1 })}</ol>`;
}

type Page = DisplayedAnswer['citations'][number];

function renderWritten(
  statements: NonNullable<DisplayedAnswer['statements']>,
  { citations, query }: { citations: readonly Page[]; query: string },
): Html {
  const proofs = statements.flatMap((statement) => statement.citations);
  const numbers = [...new Set(proofs.map(({ source }) => source))].sort((one, other) => one - other);
  const sources = numbers.flatMap((number) => {
    const quotes = proofs.filter(({ source }) => source === number);
    const page = citations.find(({ url }) => url === quotes[0]?.url);
    return page === undefined ? [] : [renderSource(page, { quotes, query, number })];
  });
  return html`<h2>Answer</h2>
<p class="quiet">Written by a model. Every sentence was checked against the pages below.</p>
<p class="written">${statements.map(({ text, citations: cited }) => html`${text} ${renderMarks(cited)} `)}</p>
<h3>Sources</h3>
<ol class="hits">${sources}</ol>`;
}

function renderMarks(cited: readonly Proof[]): Html[] {
  const numbers = [...new Set(cited.map(({ source }) => source))];
  return numbers.map(
    (number) => html`<a href="#source-${number}"><span class="hidden">Source </span>[${number}]</a>`,
  );
}

function renderSource(
  { url, title, publishedDate }: Page,
  {
    quotes,
    query,
    number,
  }: { quotes: readonly Pick<Proof, 'quote' | 'link'>[]; query: string; number: number },
): Html {
  const name = title.trim() === '' ? url : title;
  const link = quotes[0]?.link ?? url;
  const passages = [...new Set(quotes.map(({ quote }) => quote))];
  return html`<li class="hit" id="source-${number}">
<p class="where">${renderSiteLetter(url)}<span>[${number}]</span>${publishedDate === null ? null : html`<time datetime="${publishedDate}">${publishedDate}</time>`}</p>
<h3>${isWebAddress(link) ? html`<a href="${link}" rel="noreferrer nofollow">${name}</a>` : name}</h3>
${passages.map((quote) => renderPassage(quote, { url, query }))}
${isWebAddress(url) && html`<p class="hit-links"><a href="${buildPlayLink('/read', { url })}">Read as Markdown<span class="hidden">: ${name}</span></a></p>`}
</li>`;
}
