import { toAllowanceAddress } from '../../billing/ledger/address-prefixes.ts';
import type { Answer, Call } from '../calls/call.ts';
import { assertOwnPage, isSameSecret } from '../calls/operator.ts';
import { parseForm } from '../site/form.ts';
import { html } from '../site/html.ts';
import { buildPage } from '../site/layout.ts';
import { createAttempts } from '../site/sessions/attempts.ts';
import { checkCsrf, isReachedOverTls } from '../site/sessions/session-cookie.ts';
import { createSessions } from '../site/sessions/sessions.ts';
import type { ConsoleDeps, Visit } from './console-types.ts';

/** Signs the operator in with the token. */
export type SignIn = {
  /** Finds the session of a request; null without one. */
  visitOf(call: Pick<Call, 'headers'>): Visit | null;
  /** Builds the form that asks for the token, shown instead of the requested page. */
  ask(call: Call): Answer;
  /** POST /admin/sign-in */
  enter(call: Call): Promise<Answer>;
  /** POST /admin/sign-out */
  leave(call: Call): Promise<Answer>;
};

const COOKIE = 'sanderling_admin';
const MINUTE_MS = 60_000;
/** A session ends after an hour without a request, and after twelve hours in any case. */
const IDLE_MS = 60 * MINUTE_MS;
const LASTS_MS = 12 * 60 * MINUTE_MS;
const SESSIONS_MAX = 20;
/** Maximum wrong tokens of one network in a quarter of an hour. */
const TRIES_MAX = 10;
const TRIES_MS = 15 * MINUTE_MS;

export function createSignIn(deps: ConsoleDeps): SignIn {
  const { token, clock, publicUrls, actions } = deps;
  const sessions = createSessions<Visit['data']>({
    name: COOKIE,
    path: '/admin',
    clock,
    idleMs: IDLE_MS,
    lastsMs: LASTS_MS,
    sessionsMax: SESSIONS_MAX,
    isSecure: (headers) => isReachedOverTls(headers, publicUrls),
  });
  const attempts = createAttempts({ triesMax: TRIES_MAX, windowMs: TRIES_MS, clock });
  return {
    visitOf: ({ headers }) => sessions.find(headers),
    ask: ({ target }) => buildSignInPage(deps, { next: resolveConsolePath(target), problem: null }),
    async enter(call) {
      const form = parseForm(call);
      const next = resolveConsolePath(form.get('next') ?? '');
      const network = toAllowanceAddress(call.address);
      assertOwnPage(call.headers, publicUrls);
      const given = (form.get('token') ?? '').trim();
      const right = await attempts.guess(network, async () => (isSameSecret(given, token) ? given : null));
      if (right === null) {
        await actions.record({ action: 'sign in', outcome: 'refused: wrong token' });
        return buildSignInPage(deps, { next, problem: 'This is not the token in ADMIN_TOKEN.' });
      }
      const { cookie } = sessions.begin({ notice: null }, call.headers);
      await actions.record({ action: 'sign in' });
      return redirect(next, cookie);
    },
    async leave(call) {
      const visit = sessions.find(call.headers);
      if (visit !== null) checkCsrf(parseForm(call), visit);
      return redirect('/admin', sessions.end(call.headers));
    },
  };
}

/** Builds the page that asks for the token. `next` is the requested page of the console. */
function buildSignInPage(
  { site }: Pick<ConsoleDeps, 'site'>,
  { next, problem }: { next: string; problem: string | null },
): Answer {
  const invalid = html` aria-invalid="true" aria-describedby="token-problem"`;
  return buildPage({
    site,
    title: 'Console',
    status: 401,
    main: html`<section class="intro">
<h1>Operator's console</h1>
<p class="lead">Sign in with the value of <code>ADMIN_TOKEN</code>.</p>
<form class="panel" method="post" action="/admin/sign-in">
<input type="hidden" name="next" value="${next}">
<div class="field"><label for="token">Token</label>
<input id="token" name="token" type="password" required autocomplete="current-password" spellcheck="false" maxlength="1000"${problem === null ? null : invalid}>
${problem === null ? null : html`<p class="problem" id="token-problem" role="alert">${problem}</p>`}</div>
<button class="button" type="submit">Sign in</button>
</form>
<p class="quiet">The token is not stored in your browser. A session lasts until you sign out, for an hour without use, and for twelve hours at most.</p>
</section>`,
    headers: { 'Cache-Control': 'no-store' },
  });
}

/** Returns the address if it is a page of the console, otherwise that of its first page. */
function resolveConsolePath(target: string): string {
  return /^\/admin(?:\/[a-z-]+)*(?:\?[\w=&%.~:*+/-]*)?$/.test(target) && !target.endsWith('/events')
    ? target
    : '/admin';
}

function redirect(to: string, cookie: string): Answer {
  return {
    status: 303,
    body: '',
    headers: { Location: to, 'Set-Cookie': cookie, 'Cache-Control': 'no-store' },
  };
}
