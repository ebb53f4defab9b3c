import { QUERY_CHARS_MAX, URL_CHARS_MAX } from '../../../contract/limits.ts';
import { type Html, html } from '../html.ts';
import { renderTabs } from '../shell/parts.ts';
import { buildPlayLink, PLAYS, type Play, type PlayRequest, SINCE_DAYS } from './plays.ts';

const NAMES: Record<Play, string> = {
  search: 'Search',
  answer: 'Answer',
  read: 'Read',
  ask: 'Ask a page',
  similar: 'Similar',
  research: 'Research',
};

const PAGE = 'https://en.wikipedia.org/wiki/Sanderling';
/** Sample requests for newcomers. */
const SAMPLES: Record<Play, Partial<PlayRequest>[]> = {
  search: [
    { query: 'how do I rotate logs' },
    { query: 'why do waders run from the waves' },
    { query: 'retrieval augmented generation evaluation' },
  ],
  answer: [{ query: 'who wrote the first web browser' }],
  read: [{ url: PAGE }],
  ask: [{ url: PAGE, query: 'What does it eat?' }],
  similar: [{ url: PAGE }],
  research: [{ query: 'How do B-trees and LSM trees differ, and which databases use them?' }],
};

/** Renders a form for each kind of call, filled in from the request. They work without scripts: each leads to a page. */
export function renderPlayForms(asked: PlayRequest, { withSamples }: { withSamples: boolean }): Html {
  const panels = PLAYS.map((play) => ({
    title: NAMES[play],
    body: html`${renderForm(play, asked)}${withSamples && renderSamples(play)}`,
  }));
  return html`<div class="play">${renderTabs({ name: 'play', legend: 'What to try', panels, open: PLAYS.indexOf(asked.play) })}</div>`;
}

function renderForm(play: Play, asked: PlayRequest): Html {
  switch (play) {
    case 'search':
      return html`<form class="search" role="search" method="get" action="/">
${renderQuestionField({ id: 'q', label: 'What are you looking for?', sample: 'how do I rotate logs', value: asked.query }, 'Search')}
${renderFilters(asked)}
</form>`;
    case 'answer':
      return html`<form class="search" method="get" action="/">
<input type="hidden" name="do" value="answer">
${renderQuestionField({ id: 'answer-q', label: 'What is your question?', sample: 'who wrote the first web browser', value: asked.query }, 'Answer')}
</form>`;
    case 'read':
      return html`<form class="search" method="get" action="/read">
${renderAddressField('read-url', asked, 'Read')}
</form>`;
    case 'ask':
      return html`<form class="search" method="get" action="/read">
${renderAddressField('ask-url', asked, null)}
${renderQuestionField({ id: 'ask-q', label: 'What do you want to know from it?', sample: 'What does it cost?', value: asked.query }, 'Ask')}
</form>`;
    case 'similar':
      return html`<form class="search" method="get" action="/">
<input type="hidden" name="do" value="similar">
${renderAddressField('similar-url', asked, 'Find similar')}
</form>`;
    case 'research':
      return html`<form class="search" method="get" action="/">
<input type="hidden" name="do" value="research">
${renderQuestionField({ id: 'research-q', label: 'What is your question?', sample: 'How do B-trees and LSM trees differ?', value: asked.query }, 'Research')}
<p class="quiet">Runs several searches and reads many pages; takes up to a minute.</p>
</form>`;
  }
}

type Question = { id: string; label: string; sample: string; value: string };

function renderQuestionField({ id, label, sample, value }: Question, button: string): Html {
  return html`<label for="${id}">${label}</label>
<div class="bar"><input id="${id}" name="q" type="search" value="${value}" placeholder="${sample}" required maxlength="${QUERY_CHARS_MAX}" autocomplete="off" enterkeyhint="search"><button class="button" type="submit">${button}</button></div>`;
}

function renderAddressField(id: string, { url }: PlayRequest, button: string | null): Html {
  const input = html`<input id="${id}" name="url" type="text" inputmode="url" value="${url}" placeholder="https://example.org/page" required maxlength="${URL_CHARS_MAX}" autocomplete="off" autocapitalize="none" spellcheck="false">`;
  return html`<label for="${id}">Address of a page</label>
<div class="bar">${input}${button === null ? null : html`<button class="button" type="submit">${button}</button>`}</div>`;
}

function renderFilters({ site, since }: PlayRequest): Html {
  return html`<div class="filters">
<label><span>Only on</span> <input name="site" value="${site}" placeholder="any site" maxlength="300" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<label><span>Published in</span> <select name="since"><option value="">any time</option>${Object.entries(SINCE_DAYS).map(([value, { name }]) => html`<option value="${value}"${value === since && html` selected`}>${name}</option>`)}</select></label>
</div>`;
}

function renderSamples(play: Play): Html {
  const path = play === 'read' || play === 'ask' ? '/read' : '/';
  return html`<p class="samples"><span class="quiet">Try</span> ${SAMPLES[play].map((sample) => html`<a href="${buildPlayLink(path, { play, ...sample })}" rel="nofollow">${sample.query ?? sample.url?.replace('https://', '') ?? ''}</a> `)}</p>`;
}
