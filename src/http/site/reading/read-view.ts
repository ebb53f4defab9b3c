import type { Failure } from '../../../contract/errors.ts';
import { QUERY_CHARS_MAX, URL_CHARS_MAX } from '../../../contract/limits.ts';
import type { LatePart } from '../../../search/late-parts.ts';
import { formatNumber } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { type CodeContext, renderCallAsCode, renderIncomplete, renderRefusal } from '../play/play-page.ts';
import { buildPlayLink, type PlayCall, type PlayRequest } from '../play/plays.ts';
import { isWebAddress, renderSiteLetter, shortenAddress } from '../play/result-list.ts';
import { renderCodeBlock, renderTabs } from '../shell/parts.ts';

export type ReadingRequest = PlayRequest;

/** A page that was read. */
export type DisplayedPage = {
  title: string;
  url: string;
  author: string | null;
  /** Primary language subtag; null when unknown. */
  language: string | null;
  publishedDay: string | null;
  markdown: string;
  /** The Markdown rendered as markup; null if that took too long. */
  body: Html | null;
  /** True if only the beginning of the page is shown. */
  isCut: boolean;
  /** Parts that are missing for lack of time. */
  incomplete: readonly LatePart[];
  savingsPercent: number;
  rawTokens: number;
  outputTokens: number;
  /** Free requests left; null where nothing is counted. */
  remaining: number | null;
  /** The whole answer. */
  json: string;
};

/** Texts longer than this are not repeated as Markdown and as JSON. */
const TEXT_CHARS_MAX = 60_000;

/** Languages that are written from right to left. */
const RIGHT_TO_LEFT = new Set([
  'ar',
  'arc',
  'azb',
  'ckb',
  'dv',
  'fa',
  'he',
  'iw',
  'ks',
  'mzn',
  'nqo',
  'pnb',
  'ps',
  'sd',
  'syr',
  'ug',
  'ur',
  'yi',
]);

type ReadingContext = { asked: ReadingRequest; call: PlayCall } & CodeContext;

/** Renders a page for reading, with a form to ask it a question and the answer that a program gets. */
export function renderReading(shown: DisplayedPage, { asked, call, ...codeOf }: ReadingContext): Html {
  const { url, title, author, language, publishedDay, body, isCut } = shown;
  // If the page does not name its language, the browser detects the direction from the text.
  const direction = language === null ? 'auto' : RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
  return html`<div class="reading">
<article>
<header>
<p class="where">${renderSiteLetter(url)}${isWebAddress(url) ? html`<a class="address" href="${url}" rel="noreferrer nofollow">${shortenAddress(url)}</a>` : shortenAddress(url)}${author === null ? null : html`<span>${author}</span>`}${publishedDay === null ? null : html`<time datetime="${publishedDay}">${publishedDay}</time>`}</p>
<h1 dir="auto"${language === null ? null : html` lang="${language}"`}>${title.trim() === '' ? shortenAddress(url) : title}</h1>
${renderIncomplete(shown)}${asked.query === '' || shown.incomplete.includes('prunedContext') ? null : html`<p class="notice">Only what is relevant to “${asked.query}”. <a href="${buildPlayLink('/read', { url: asked.url })}">Read the whole page</a></p>`}
</header>
<div class="prose" dir="${direction}"${language === null ? null : html` lang="${language}"`}>${body ?? html`<pre tabindex="0"><code>${shown.markdown.slice(0, TEXT_CHARS_MAX).toWellFormed()}</code></pre>`}</div>
${isCut && html`<p class="notice">This page goes on. Programs get it whole.</p>`}
</article>
<aside aria-label="About this page">
${renderAskBox(asked)}
${renderSavings(shown)}
${renderSourceText(shown)}
<section id="code" aria-labelledby="code-title"><h2 id="code-title">This call as code</h2>
${renderCallAsCode(call, codeOf)}</section>
</aside>
</div>`;
}

function renderAskBox({ url, query }: ReadingRequest): Html {
  return html`<form class="search card" method="get" action="/read">
<input type="hidden" name="url" value="${url}">
<label for="q">Ask this page</label>
<div class="bar"><input id="q" name="q" type="search" value="${query}" placeholder="What does it say about …?" required maxlength="${QUERY_CHARS_MAX}" autocomplete="off"><button class="button" type="submit">Ask</button></div>
<p class="quiet">Answers are passages of the page, word for word.</p>
</form>`;
}

function renderSavings({ savingsPercent, rawTokens, outputTokens, remaining }: DisplayedPage): Html {
  return html`<dl class="figures small">
${savingsPercent > 0 && html`<div><dt>Tokens saved</dt><dd>${savingsPercent}%</dd></div>`}
<div><dt>Tokens</dt><dd>${formatNumber(outputTokens)}${rawTokens > outputTokens && html` <span class="quiet">of ${formatNumber(rawTokens)}</span>`}</dd></div>
</dl>
${remaining === null ? null : html`<p class="quiet">${formatNumber(remaining)} free ${remaining === 1 ? 'request' : 'requests'} left today from your address.</p>`}`;
}

function renderSourceText({ markdown, json }: DisplayedPage): Html | null {
  if (markdown.length > TEXT_CHARS_MAX) return null;
  const panels = [
    { title: 'Markdown', body: renderCodeBlock({ id: 'markdown', label: 'Markdown', code: markdown }) },
    { title: 'JSON', body: renderCodeBlock({ id: 'answer', label: 'JSON', code: json }) },
  ];
  return html`<section aria-labelledby="text-title"><h2 id="text-title">What a program gets</h2>
${renderTabs({ name: 'text', legend: 'Format', panels })}</section>`;
}

/** Renders the form that asks for an address. */
export function renderAddressForm({ url, query }: ReadingRequest): Html {
  return html`<section class="note-page">
<h1>Read a page</h1>
<p class="lead">Any public page, PDF or office file as clean Markdown: without menus, banners and scripts.</p>
<form class="search" method="get" action="/read">
<label for="read-url">Address of a page</label>
<div class="bar"><input id="read-url" name="url" type="text" inputmode="url" value="${url}" placeholder="https://example.org/page" required maxlength="${URL_CHARS_MAX}" autocomplete="off" autocapitalize="none" spellcheck="false"><button class="button" type="submit">Read</button></div>
<label for="q">Question <span class="quiet">(optional)</span></label>
<input id="q" name="q" type="search" value="${query}" placeholder="only the parts about …" maxlength="${QUERY_CHARS_MAX}" autocomplete="off">
</form>
</section>`;
}

/** Renders the reason why a page could not be read, and a form to try again. */
export function renderFailedReading(failure: Failure, { asked, call, ...codeOf }: ReadingContext): Html {
  return html`${renderRefusal(failure, codeOf.site.terms)}
${renderAddressForm(asked)}
<section id="code" aria-labelledby="code-title"><h2 id="code-title">This call as code</h2>
${renderCallAsCode(call, codeOf)}</section>`;
}
