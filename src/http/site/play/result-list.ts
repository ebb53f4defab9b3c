import { markdownHtml } from '../../../text/markup/markdown-html.ts';
import { count } from '../amounts.ts';
import { Html, html } from '../html.ts';
import { type AskedFor, linkTo } from './plays.ts';

/** A result of POST /v1/search and POST /v1/findSimilar, as far as it is shown. */
export type ShownResult = {
  url: string;
  title: string;
  score: number;
  weak?: true;
  publishedDate: string | null;
  author?: string;
  highlights?: string[];
  /** One for each highlight. */
  highlightProofs?: { link: string }[];
};

/** How many hues the letters of sites have in the style sheet. */
const HUES = 6;
const ADDRESS_CHARS_MAX = 90;

/** Results as people read them; weak ones, which come last, are shown when they are asked for. */
export function resultList(results: readonly ShownResult[], asked: AskedFor): Html {
  const weak = results.filter((result) => result.weak === true);
  const others = results.filter((result) => result.weak !== true);
  return html`${hits(others, asked)}${
    weak.length > 0 &&
    html`<details class="weaker"><summary>${weakerInWords(weak.length)}</summary>
<p class="quiet">They share words with the search and are unlikely to be relevant.</p>
${hits(weak, asked)}</details>`
  }`;
}

const weakerInWords = (amount: number): string =>
  amount === 1 ? 'Show 1 weaker result' : `Show ${count(amount)} weaker results`;

const hits = (results: readonly ShownResult[], asked: AskedFor): Html | false =>
  results.length > 0 && html`<ol class="hits">${results.map((result) => hit(result, asked))}</ol>`;

function hit(result: ShownResult, { query }: AskedFor): Html {
  const { url, title, highlights: [passage] = [], highlightProofs: [proof] = [] } = result;
  const name = title.trim() === '' ? shownAddress(url) : title;
  const isWeb = isWebAddress(url);
  return html`<li class="hit">
${sourceLine(result)}
<h3>${isWeb ? html`<a href="${url}" rel="noreferrer nofollow">${name}</a>` : name}</h3>
${passage === undefined ? null : passageHtml(passage, { url, query })}
${isWeb && actions({ url, name, cited: proof !== undefined && isWebAddress(proof.link) ? proof.link : null })}
</li>`;
}

function sourceLine({ url, publishedDate, author, score }: ShownResult): Html {
  const share = Math.round(Math.min(1, Math.max(0, score)) * 100);
  return html`<p class="where">${siteLetter(url)}<span class="address">${shownAddress(url)}</span>${author ? html`<span>${author}</span>` : null}${publishedDate === null ? null : html`<time datetime="${publishedDate}">${publishedDate}</time>`}<span class="score"><span class="hidden">Score </span><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="fill" width="${share}" height="8"/></svg>${(share / 100).toFixed(2)}</span></p>`;
}

/** A passage with its code as code, and the words of the query marked. */
export function passageHtml(markdown: string, { url, query }: { url: string; query: string }): Html {
  return html`<div class="passage prose">${new Html(markdownHtml(markdown, { base: url, headings: null, query }))}</div>`;
}

function actions({ url, name, cited }: { url: string; name: string; cited: string | null }): Html {
  const of = html`<span class="hidden">: ${name}</span>`;
  return html`<p class="hit-links"><a href="${linkTo('/read', { url })}">Read as Markdown${of}</a> <a href="${linkTo('/', { play: 'similar', url })}" rel="nofollow">Similar${of}</a>${cited === null ? null : html` <a href="${cited}" rel="noreferrer nofollow">Cite this passage${of}</a>`} <a href="#code">This call as code</a></p>`;
}

/** The picture of a site is its first letter: its own would have to be loaded from it. */
export function siteLetter(url: string): Html {
  const host = hostOf(url);
  const hue = [...host].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % HUES;
  const letter = /[\p{L}\p{N}]/u.exec(host)?.[0]?.toUpperCase() ?? '·';
  return html`<span class="letter hue-${hue}" aria-hidden="true">${letter}</span>`;
}

const hostOf = (url: string): string => (URL.parse(url)?.hostname ?? '').replace(/^www\./, '');

/** `https://www.example.org/a/` -> `example.org/a`. */
export function shownAddress(url: string): string {
  const bare = url.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, '');
  return bare.length <= ADDRESS_CHARS_MAX ? bare : `${bare.slice(0, ADDRESS_CHARS_MAX).toWellFormed()}…`;
}

export const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url);

/** "One page" or "7 pages". */
export function pagesInWords(amount: number): string {
  return amount === 1 ? 'One page' : `${count(amount)} pages`;
}
