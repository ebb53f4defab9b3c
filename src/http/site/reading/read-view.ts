import type { Failure } from '../../../contract/errors.ts';
import { QUERY_CHARS_MAX, URL_CHARS_MAX } from '../../../contract/limits.ts';
import { count } from '../amounts.ts';
import { type Html, html } from '../html.ts';
import { type CodeOf, callAsCode } from '../play/call-as-code.ts';
import { type AskedFor, linkTo, type PlayCall } from '../play/plays.ts';
import { refusal } from '../play/refusal.ts';
import { isWebAddress, shownAddress, siteLetter } from '../play/result-list.ts';
import { codeBlock, tabs } from '../shell/parts.ts';

export type ReadAsked = AskedFor;

/** A page that was read. */
export type ShownPage = {
  title: string;
  url: string;
  author: string | null;
  /** Primary language subtag; null when unknown. */
  language: string | null;
  publishedDay: string | null;
  markdown: string;
  /** Its Markdown as markup; null if that took too long. */
  body: Html | null;
  /** Only its beginning is shown. */
  isCut: boolean;
  savingsPercent: number;
  rawTokens: number;
  outputTokens: number;
  /** Free requests left; null where nothing is counted. */
  remaining: number | null;
  /** The whole answer. */
  json: string;
};

/** Longer texts are not shown a second time, as Markdown and as JSON. */
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

type Surroundings = { asked: ReadAsked; call: PlayCall } & CodeOf;

/** A page for reading, with a box to ask it and what a program gets. */
export function readView(shown: ShownPage, { asked, call, ...codeOf }: Surroundings): Html {
  const { url, title, author, language, publishedDay, body, isCut } = shown;
  // The text itself tells its direction where the page does not name its language.
  const direction = language === null ? 'auto' : RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
  return html`<div class="reading">
<article>
<header>
<p class="where">${siteLetter(url)}${isWebAddress(url) ? html`<a class="address" href="${url}" rel="noreferrer nofollow">${shownAddress(url)}</a>` : shownAddress(url)}${author === null ? null : html`<span>${author}</span>`}${publishedDay === null ? null : html`<time datetime="${publishedDay}">${publishedDay}</time>`}</p>
<h1 dir="auto"${language === null ? null : html` lang="${language}"`}>${title.trim() === '' ? shownAddress(url) : title}</h1>
${asked.query === '' ? null : html`<p class="notice">Only what is relevant to “${asked.query}”. <a href="${linkTo('/read', { url: asked.url })}">Read the whole page</a></p>`}
</header>
<div class="prose" dir="${direction}"${language === null ? null : html` lang="${language}"`}>${body ?? html`<pre tabindex="0"><code>${shown.markdown.slice(0, TEXT_CHARS_MAX).toWellFormed()}</code></pre>`}</div>
${isCut && html`<p class="notice">This page goes on. Programs get it whole.</p>`}
</article>
<aside aria-label="About this page">
${askBox(asked)}
${savings(shown)}
${asText(shown)}
<section id="code" aria-labelledby="code-title"><h2 id="code-title">This call as code</h2>
${callAsCode(call, codeOf)}</section>
</aside>
</div>`;
}

function askBox({ url, query }: ReadAsked): Html {
  return html`<form class="search card" method="get" action="/read">
<input type="hidden" name="url" value="${url}">
<label for="q">Ask this page</label>
<div class="bar"><input id="q" name="q" type="search" value="${query}" placeholder="What does it say about …?" required maxlength="${QUERY_CHARS_MAX}" autocomplete="off"><button class="button" type="submit">Ask</button></div>
<p class="quiet">Answers are passages of the page, word for word.</p>
</form>`;
}

function savings({ savingsPercent, rawTokens, outputTokens, remaining }: ShownPage): Html {
  return html`<dl class="figures small">
<div><dt>Tokens saved</dt><dd>${savingsPercent}%</dd></div>
<div><dt>Tokens</dt><dd>${count(outputTokens)}${rawTokens > outputTokens && html` <span class="quiet">of ${count(rawTokens)}</span>`}</dd></div>
</dl>
${remaining === null ? null : html`<p class="quiet">${count(remaining)} free ${remaining === 1 ? 'request' : 'requests'} left today from your address.</p>`}`;
}

function asText({ markdown, json }: ShownPage): Html | null {
  if (markdown.length > TEXT_CHARS_MAX) return null;
  const panels = [
    { title: 'Markdown', body: codeBlock({ id: 'markdown', label: 'Markdown', code: markdown }) },
    { title: 'JSON', body: codeBlock({ id: 'answer', label: 'JSON', code: json }) },
  ];
  return html`<section aria-labelledby="text-title"><h2 id="text-title">What a program gets</h2>
${tabs({ name: 'text', legend: 'Format', panels })}</section>`;
}

/** Asks for an address. */
export function askForAddress({ url, query }: ReadAsked): Html {
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

/** Why a page could not be read, and a box to try again. */
export function failedView(failure: Failure, { asked, call, ...codeOf }: Surroundings): Html {
  return html`${refusal(failure, codeOf.site.terms)}
${askForAddress(asked)}
<section id="code" aria-labelledby="code-title"><h2 id="code-title">This call as code</h2>
${callAsCode(call, codeOf)}</section>`;
}
