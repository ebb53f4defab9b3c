/**
 * The operator's console: its sections as pages, the forms that act on the server, and the sign-in with ADMIN_TOKEN. Every form needs the
 * CSRF token of the session. The sections in `sections/` render and act; this module checks who calls and builds the page around them.
 */
import assert from 'node:assert/strict';
import { Failure, STATUS_OF } from '../../contract/errors.ts';
import type { Answer, Call, FreeRoute } from '../calls/call.ts';
import { assertOwnPage } from '../calls/operator.ts';
import { parseForm } from '../site/form.ts';
import { type Html, html } from '../site/html.ts';
import { buildPage } from '../site/layout.ts';
import { checkCsrf } from '../site/sessions/session-cookie.ts';
import { renderCodeBlock } from '../site/shell/parts.ts';
import type { ConsoleDeps, Notice, Visit } from './console-types.ts';
import { renderHiddenFields } from './parts/controls.ts';
import type { Section, SectionPage } from './section.ts';
import { crawlsSection } from './sections/crawls.ts';
import { indexSection } from './sections/index-pages.ts';
import { keysSection } from './sections/keys.ts';
import { modelSection } from './sections/model.ts';
import { monitorsSection } from './sections/monitors.ts';
import { overviewSection } from './sections/overview.ts';
import { paymentsSection } from './sections/payments.ts';
import { logSection, settingsSection } from './sections/records.ts';
import { researchRecordsSection } from './sections/research-records.ts';
import { createRunEventsHandler } from './sections/run-events.ts';
import { sourcesSection } from './sections/sources.ts';
import { versionsSection } from './sections/versions.ts';
import { createSignIn, type SignIn } from './sign-in.ts';

/** The handlers of the console's routes: pages, forms, progress events and the sign-in. */
export type ConsolePages = {
  show(path: string): FreeRoute['handle'];
  act(path: string): FreeRoute['handle'];
  runEvents: FreeRoute['handle'];
  signIn: Pick<SignIn, 'enter' | 'leave'>;
};

export function createConsolePages(deps: ConsoleDeps): ConsolePages {
  const sections = listSections(deps);
  const signIn = createSignIn(deps);
  const around = { deps, sections, signIn };
  const requireSection = (path: string): Section => {
    const found = sections.find((section) => section.path === path);
    assert(found, path);
    return found;
  };
  return {
    show: (path) => createPageHandler(requireSection(path), around),
    act: (path) => createFormHandler(requireSection(path), around),
    runEvents: createRunEventsHandler(deps, signIn),
    signIn,
  };
}

function listSections({ money, writer }: ConsoleDeps): Section[] {
  return [
    ...[overviewSection, sourcesSection, indexSection, crawlsSection, monitorsSection, versionsSection],
    researchRecordsSection,
    ...(writer === null ? [] : [modelSection]),
    ...(money === null ? [] : [keysSection, paymentsSection]),
    ...[settingsSection, logSection],
  ];
}

type ConsoleContext = { deps: ConsoleDeps; sections: readonly Section[]; signIn: SignIn };

/** Creates the handler that shows a page of the console, or asks for the token. */
function createPageHandler(section: Section, around: ConsoleContext): FreeRoute['handle'] {
  return async (call) => {
    const visit = around.signIn.visitOf(call);
    if (visit === null) return around.signIn.ask(call);
    const { notice } = visit.data;
    visit.data.notice = null;
    return buildSectionPage(section, around, {
      call,
      visit,
      notice,
      problem: null,
      typed: new URLSearchParams(),
    });
  };
}

/** Creates the handler of forms. It redirects after an action, so that a reload repeats nothing, and shows a failure with the input. */
function createFormHandler(section: Section, around: ConsoleContext): FreeRoute['handle'] {
  return async (call) => {
    const visit = around.signIn.visitOf(call);
    if (visit === null) return around.signIn.ask(call);
    const form = parseForm(call);
    assertOwnPage(call.headers, around.deps.publicUrls);
    checkCsrf(form, visit);
    const name = form.get('do') ?? '';
    const action = Object.hasOwn(section.actions, name) ? section.actions[name] : undefined;
    if (action === undefined) throw new Failure('validation_error', 'do: names no action of this page');
    try {
      const { to = section.path, ...notice } = await action(around.deps, form);
      visit.data.notice = notice;
      return { status: 303, body: '', headers: { Location: to, 'Cache-Control': 'no-store' } };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return buildSectionPage(section, around, { call, visit, notice: null, problem: error, typed: form });
    }
  };
}

type PageState = {
  call: Call;
  visit: Visit;
  notice: Visit['data']['notice'];
  problem: Failure | null;
  typed: URLSearchParams;
};

async function buildSectionPage(
  section: Section,
  { deps, sections }: ConsoleContext,
  shown: PageState,
): Promise<Answer> {
  const { call, visit, notice, problem, typed } = shown;
  const { csrf } = visit;
  const { query, signal } = call;
  const { main, ...rest } = await section.show(deps, { csrf, query, signal, typed });
  return buildConsolePage({
    sections,
    section,
    csrf,
    notice,
    problem,
    main,
    deps,
    status: problem === null ? 200 : STATUS_OF[problem.code],
    ...rest,
  });
}

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
function buildConsolePage(shown: ConsolePageOptions): Answer {
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
