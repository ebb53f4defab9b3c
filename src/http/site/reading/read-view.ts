import type { Failure } from '../../../contract/errors.ts';
import { QUERY_CHARS_MAX, URL_CHARS_MAX } from '../../../contract/limits.ts';
import type { LatePart } from '../../../search/late-parts.ts';
import type { PageVersion } from '../../../versions/versions.ts';
import { parseInstant } from '../../calls/instant.ts';
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

/** `versions`: those of the page that may be chosen, the newest first. */
type ReadingContext = {
  asked: ReadingRequest;
  call: PlayCall;
  versions: readonly PageVersion[];
} & CodeContext;

/** Renders a page for reading, with a form to ask it a question and the answer that a program gets. */
export function renderReading(
  shown: DisplayedPage,
  { asked, call, versions, ...codeOf }: ReadingContext,
): Html {
  const { url, title, author, language, publishedDay, body, isCut } = shown;
  // If the page does not name its language, the browser detects the direction from the text.
  const direction = language === null ? 'auto' : RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr';
  const chosen = chooseVersion(versions, asked);
  return html`<div class="reading">
<article>
<header>
<p class="where">${renderSiteLetter(url)}${isWebAddress(url) ? html`<a class="address" href="${url}" rel="noreferrer nofollow">${shortenAddress(url)}</a>` : shortenAddress(url)}${author === null ? null : html`<span>${author}</span>`}${publishedDay === null ? null : html`<time datetime="${publishedDay}">${publishedDay}</time>`}</p>
<h1 dir="auto"${language === null ? null : html` lang="${language}"`}>${title.trim() === '' ? shortenAddress(url) : title}</h1>
${chosen !== null && html`<p class="notice">As it was on ${formatMinute(chosen)} UTC. <a href="${buildPlayLink('/read', { url: asked.url, query: asked.query })}">Read it as it is now</a></p>`}
${renderIncomplete(shown)}${asked.query === '' || shown.incomplete.includes('prunedContext') ? null : html`<p class="notice">Only what is relevant to “${asked.query}”. <a href="${buildPlayLink('/read', { url: asked.url, at: asked.at })}">Read the whole page</a></p>`}
</header>
<div class="prose" dir="${direction}"${language === null ? null : html` lang="${language}"`}>${body ?? html`<pre tabindex="0"><code>${shown.markdown.slice(0, TEXT_CHARS_MAX).toWellFormed()}</code></pre>`}</div>
${isCut && html`<p class="notice">This page goes on. Programs get it whole.</p>`}
</article>
<aside aria-label="About this page">
${renderAskBox(asked)}
${renderVersionBox(versions, asked)}
${renderSavings(shown)}
${renderSourceText(shown)}
<section id="code" aria-labelledby="code-title"><h2 id="code-title">This call as code</h2>
${renderCallAsCode(call, codeOf)}</section>
</aside>
</div>`;
}

function renderAskBox({ url, query, at }: ReadingRequest): Html {
  return html`<form class="search card" method="get" action="/read">
<input type="hidden" name="url" value="${url}">${at !== '' && html`<input type="hidden" name="at" value="${at}">`}
<label for="q">Ask this page</label>
<div class="bar"><input id="q" name="q" type="search" value="${query}" placeholder="What does it say about …?" required maxlength="${QUERY_CHARS_MAX}" autocomplete="off"><button class="button" type="submit">Ask</button></div>
<p class="quiet">Answers are passages of the page, word for word.</p>
</form>`;
}

/** Returns the version that was in force at the instant that is asked for; null if the page is wanted as it is. */
function chooseVersion(versions: readonly PageVersion[], { at }: ReadingRequest): PageVersion | null {
  const instant = parseInstant(at);
  if (instant === null) return null;
  return versions.find(({ firstSeenAt }) => firstSeenAt <= instant) ?? versions.at(-1) ?? null;
}

const formatMinute = ({ firstSeenAt }: PageVersion): string =>
  new Date(firstSeenAt).toISOString().slice(0, 16).replace('T', ' ');

/** Renders the form that chooses one of the kept versions. */
function renderVersionBox(versions: readonly PageVersion[], asked: ReadingRequest): Html | null {
  if (versions.length === 0) return null;
  const chosen = chooseVersion(versions, asked);
  const options = versions.map(
    (version) =>
      html`<option value="${new Date(version.firstSeenAt).toISOString()}"${version === chosen && html` selected`}>${formatMinute(version)} UTC</option>`,
  );
  return html`<form class="search card" method="get" action="/read">
<input type="hidden" name="url" value="${asked.url}">${asked.query !== '' && html`<input type="hidden" name="q" value="${asked.query}">`}
<label for="at">Versions of this page</label>
<div class="bar"><select id="at" name="at"><option value="">As it is now</option>${options}</select><button class="button second" type="submit">Show</button></div>
<p class="quiet">${versions.length === 1 ? 'One text was seen' : `${formatNumber(versions.length)} texts were seen`}, each from the time that it is named after.</p>
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
export function renderFailedReading(
  failure: Failure,
  { asked, call, versions, ...codeOf }: ReadingContext,
): Html {
  return html`${renderRefusal(failure, codeOf.site.terms)}
${renderVersionBox(versions, asked)}
${renderAddressForm(asked)}
<section id="code" aria-labelledby="code-title"><h2 id="code-title">This call as code</h2>
${renderCallAsCode(call, codeOf)}</section>`;
}
