import type { Failure } from '../../../contract/errors.ts';
import type { Answer } from '../../calls/call.ts';
import { type Html, html } from '../../site/html.ts';
import { buildPage } from '../../site/layout.ts';
import { renderCodeBlock } from '../../site/shell/parts.ts';
import type { ConsoleDeps, Notice } from '../console-types.ts';
import type { Section, SectionPage } from '../section.ts';
import { renderHiddenFields } from './controls.ts';

type ConsolePageOptions = SectionPage & {
  deps: Pick<ConsoleDeps, 'site'>;
  sections: readonly Section[];
  section: Section;
  csrf: string;
  notice: Notice | null;
  problem: Failure | null;
  status: number;
};

/** Builds a page of the console, with the list of sections beside it and the result of the last action above it. */
export function buildConsolePage(shown: ConsolePageOptions): Answer {
  const { deps, section, main, notice, problem, status, scripts = [], refreshSeconds } = shown;
  return buildPage({
    site: deps.site,
    title: `${section.name} · Console`,
    status,
    scripts,
    ...(scripts.length === 0 ? {} : { connects: true }),
    sidebar: { title: 'Console', links: renderLinks(shown) },
    main: html`${refreshSeconds === undefined ? null : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}"></noscript>`}
<div class="console"><h1>${section.name}</h1>
${notice === null ? null : renderNotice(notice)}
${problem === null ? null : renderProblem(problem)}
${main}</div>`,
    headers: { 'Cache-Control': 'no-store' },
  });
}

function renderLinks({ sections, section, csrf }: ConsolePageOptions): Html {
  return html`<ul>${sections.map(({ path, name }) =>
    path === section.path
      ? html`<li><a href="${path}" aria-current="page">${name}</a></li>`
      : html`<li><a href="${path}">${name}</a></li>`,
  )}</ul>
<form method="post" action="/admin/sign-out">${renderHiddenFields({ csrf })}<button class="button second small" type="submit">Sign out</button></form>`;
}

function renderNotice({ text, secret }: Notice): Html {
  return html`<div class="notice" role="status"><p>${text}</p>${
    secret === undefined
      ? null
      : html`${renderCodeBlock({ id: 'new-key', label: 'API key', code: secret })}
<p>Copy it now: it is not stored and is shown only this once.</p>`
  }</div>`;
}

function renderProblem({ message, fields }: Failure): Html {
  if (fields.length === 0) return html`<p class="problem" role="alert">${message}</p>`;
  return html`<div class="problem" role="alert"><ul>${fields.map(({ field, message: why }) => html`<li><code>${field}</code> ${why}</li>`)}</ul></div>`;
}
