import { renderMarkdown } from '../../../text/markup/markdown-html.ts';
import { formatNumber } from '../amounts.ts';
import { Html, html } from '../html.ts';
import { buildPlayLink, type PlayRequest } from './plays.ts';

/** The displayed fields of a result of POST /v1/search and POST /v1/findSimilar. */
export type DisplayedResult = {
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

/** Number of hues for the letters of sites in the style sheet. */
const HUES = 6;
const ADDRESS_CHARS_MAX = 90;

/** Renders results for people. Weak ones come last and are folded away. */
export function renderResultList(results: readonly DisplayedResult[], asked: PlayRequest): Html {
  const weak = results.filter((result) => result.weak === true);
  const others = results.filter((result) => result.weak !== true);
  return html`${renderHits(others, asked)}${
    weak.length > 0 &&
    html`<details class="weaker"><summary>${describeWeaker(weak.length)}</summary>
<p class="quiet">They share words with the search and are unlikely to be relevant.</p>
${renderHits(weak, asked)}</details>`
  }`;
}

const describeWeaker = (amount: number): string =>
  amount === 1 ? 'Show 1 weaker result' : `Show ${formatNumber(amount)} weaker results`;

const renderHits = (results: readonly DisplayedResult[], asked: PlayRequest): Html | false =>
  results.length > 0 && html`<ol class="hits">${results.map((result) => renderHit(result, asked))}</ol>`;

function renderHit(result: DisplayedResult, { query }: PlayRequest): Html {
  const { url, title, highlights: [passage] = [], highlightProofs: [proof] = [] } = result;
  const name = title.trim() === '' ? shortenAddress(url) : title;
  const isWeb = isWebAddress(url);
  return html`<li class="hit">
${renderSourceLine(result)}
<h3>${isWeb ? html`<a href="${url}" rel="noreferrer nofollow">${name}</a>` : name}</h3>
${passage === undefined ? null : renderPassage(passage, { url, query })}
${isWeb && renderActions({ url, name, cited: proof !== undefined && isWebAddress(proof.link) ? proof.link : null })}
</li>`;
}

function renderSourceLine({ url, publishedDate, author, score }: DisplayedResult): Html {
  const share = Math.round(Math.min(1, Math.max(0, score)) * 100);
  return html`<p class="where">${renderSiteLetter(url)}<span class="address">${shortenAddress(url)}</span>${author ? html`<span>${author}</span>` : null}${publishedDate === null ? null : html`<time datetime="${publishedDate}">${publishedDate}</time>`}<span class="score"><span class="hidden">Score </span><svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="8"/><rect class="fill" width="${share}" height="8"/></svg>${(share / 100).toFixed(2)}</span></p>`;
}

/** Renders a passage, with code formatted and the words of the query marked. */
export function renderPassage(markdown: string, { url, query }: { url: string; query: string }): Html {
  return html`<div class="passage prose">${new Html(renderMarkdown(markdown, { base: url, headings: null, query }))}</div>`;
}

function renderActions({ url, name, cited }: { url: string; name: string; cited: string | null }): Html {
  const of = html`<span class="hidden">: ${name}</span>`;
  return html`<p class="hit-links"><a href="${buildPlayLink('/read', { url })}">Read as Markdown${of}</a> <a href="${buildPlayLink('/', { play: 'similar', url })}" rel="nofollow">Similar${of}</a>${cited === null ? null : html` <a href="${cited}" rel="noreferrer nofollow">Cite this passage${of}</a>`} <a href="#code">This call as code</a></p>`;
}

/** Renders the first letter of a site as its picture; its own icon would have to be loaded from the site. */
export function renderSiteLetter(url: string): Html {
  const host = parseHost(url);
  const hue = [...host].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % HUES;
  const letter = /[\p{L}\p{N}]/u.exec(host)?.[0]?.toUpperCase() ?? '·';
  return html`<span class="letter hue-${hue}" aria-hidden="true">${letter}</span>`;
}

const parseHost = (url: string): string => (URL.parse(url)?.hostname ?? '').replace(/^www\./, '');

/** `https://www.example.org/a/` -> `example.org/a`. */
export function shortenAddress(url: string): string {
  const bare = url.replace(/^https?:\/\/(?:www\.)?/i, '').replace(/\/$/, '');
  return bare.length <= ADDRESS_CHARS_MAX ? bare : `${bare.slice(0, ADDRESS_CHARS_MAX).toWellFormed()}…`;
}

export const isWebAddress = (url: string): boolean => /^https?:\/\//i.test(url);

/** "One page" or "7 pages". */
export function formatPageCount(amount: number): string {
  return amount === 1 ? 'One page' : `${formatNumber(amount)} pages`;
}
