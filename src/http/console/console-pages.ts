/**
 * The operator's console: its sections as pages, the forms that act on the server, and the sign-in with ADMIN_TOKEN. Every form needs the
 * CSRF token of the session. The sections in `sections/` render and act; this module checks who calls and builds the page around them.
 */
import assert from 'node:assert/strict';
import { Failure, STATUS_OF } from '../../contract/errors.ts';
import type { Answer, Call, FreeRoute } from '../calls/call.ts';
import { assertOwnPage } from '../calls/operator.ts';
import { parseForm } from '../site/form.ts';
import { checkCsrf } from '../site/sessions/session-cookie.ts';
import type { ConsoleDeps, Visit } from './console-types.ts';
import { buildConsolePage } from './parts/console-page.ts';
import type { Section } from './section.ts';
import { crawlsSection } from './sections/crawls.ts';
import { indexSection } from './sections/index-pages.ts';
import { keysSection } from './sections/keys.ts';
import { overviewSection } from './sections/overview.ts';
import { paymentsSection } from './sections/payments.ts';
import { logSection, settingsSection } from './sections/records.ts';
import { createRunEventsHandler } from './sections/run-events.ts';
import { sourcesSection } from './sections/sources.ts';
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

function listSections({ money }: ConsoleDeps): Section[] {
  return [
    ...[overviewSection, sourcesSection, indexSection, crawlsSection],
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
  const { main, ...rest } = await section.show(deps, { csrf, query: call.query, typed });
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
