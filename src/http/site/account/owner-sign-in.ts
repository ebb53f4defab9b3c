import type { IncomingHttpHeaders } from 'node:http';
import type { Keys } from '../../../billing/keys/keys.ts';
import type { OwnerSession, OwnerSessions } from '../../../billing/keys/owner-sessions.ts';
import { toAllowanceAddress } from '../../../billing/ledger/address-prefixes.ts';
import { ACCOUNT_TRIES_PER_HOUR } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Answer, Call } from '../../calls/call.ts';
import type { FindKey } from '../../calls/caller.ts';
import { assertOwnPage } from '../../calls/operator.ts';
import { parseForm } from '../form.ts';
import { html } from '../html.ts';
import { buildPage } from '../layout.ts';
import { type Attempts, createAttempts } from '../sessions/attempts.ts';
import {
  checkCsrf,
  deriveCsrf,
  formatSessionCookie,
  isReachedOverTls,
  readSessionIds,
  type SessionCookie,
} from '../sessions/session-cookie.ts';
import type { Website } from '../shell/site.ts';

/** The visit of a signed-in owner: the session, and the CSRF token of its forms. */
export type OwnerVisit = { session: OwnerSession; csrf: string };

/** Dependencies of the sign-in of owners. */
export type OwnerSignInDeps = {
  findKey: FindKey;
  keys: Pick<Keys, 'show'>;
  ownerSessions: OwnerSessions;
  clock: Clock;
  site: Website;
  /** The public addresses of the service. */
  publicUrls: readonly string[];
};

type Handler = (call: Call) => Promise<Answer>;

/** Signs owners in to their account with one of its keys. */
export type OwnerSignIn = {
  /** Serves a page to signed-in owners; everybody else is asked for a key. */
  page(show: (visit: OwnerVisit, call: Call) => Promise<Answer>): Handler;
  /** Handles a form of a page, if it contains the CSRF token of the session. */
  action(act: (visit: OwnerVisit & { form: URLSearchParams }, call: Call) => Promise<Answer>): Handler;
  /** POST /account: signs in with a key. */
  enter: Handler;
  /** POST /account/sign-out: signs out this browser, or all browsers. */
  leave: Handler;
  /** Wrong keys and proofs, counted by network. */
  attempts: Attempts;
};

const HOUR_MS = 3_600_000;

export function createOwnerSignIn(deps: OwnerSignInDeps): OwnerSignIn {
  const { ownerSessions, site, clock } = deps;
  const attempts = createAttempts({ triesMax: ACCOUNT_TRIES_PER_HOUR, windowMs: HOUR_MS, clock });
  const createActionHandler: OwnerSignIn['action'] = (act) => async (call) => {
    const visit = await findVisit(deps, call);
    if (visit === null) return buildSignInPage(site, { problem: 'You are signed out.', status: 401 });
    const form = parseForm(call);
    checkCsrf(form, visit);
    return act({ ...visit, form }, call);
  };
  return {
    attempts,
    action: createActionHandler,
    page: (show) => async (call) => {
      const visit = await findVisit(deps, call);
      return visit === null ? buildSignInPage(site, { problem: null }) : show(visit, call);
    },
    enter: (call) => enter({ ...deps, attempts }, call),
    leave: createActionHandler(async ({ session, form }, { headers }) => {
      if (form.get('everywhere') === '1') await ownerSessions.endAll(session.account);
      else await ownerSessions.end(session);
      return redirect('/account', formatSessionCookie(buildCookie(deps), { headers, id: '', ms: 0 }));
    }),
  };
}

/** Redirects a browser after a form, so that a reload does not send the form again. */
export function redirect(location: string, cookie?: string): Answer {
  const headers = { Location: location, 'Cache-Control': 'no-store' };
  return {
    status: 303,
    body: '',
    headers: cookie === undefined ? headers : { ...headers, 'Set-Cookie': cookie },
  };
}

async function findVisit(
  deps: OwnerSignInDeps,
  { headers }: { headers: IncomingHttpHeaders },
): Promise<OwnerVisit | null> {
  for (const token of readSessionIds(headers, buildCookie(deps).name)) {
    const session = await deps.ownerSessions.find(token);
    if (session !== null) return { session, csrf: deriveCsrf(token) };
  }
  return null;
}

async function enter(deps: OwnerSignInDeps & { attempts: Attempts }, call: Call): Promise<Answer> {
  const { attempts, site, clock } = deps;
  assertOwnPage(call.headers, deps.publicUrls);
  // Trimmed: a key copied from an email may bring spaces and line ends.
  const apiKey = (parseForm(call).get('key') ?? '').trim();
  if (apiKey === '') return buildSignInPage(site, { problem: 'Paste a key first.', status: 422 });
  const network = toAllowanceAddress(call.address);
  const found = await attempts.guess(network, () => deps.findKey(apiKey));
  if (found === null)
    return buildSignInPage(site, {
      problem: 'This key is unknown. Check that you copied all of it.',
      status: 401,
    });
  const record = await deps.keys.show(found.keyId);
  if (record === null || !record.manages)
    return buildSignInPage(site, {
      problem: 'This key may only call. Sign in with a key that may manage the account.',
      status: 403,
    });
  const { token, session } = await deps.ownerSessions.begin(record.id);
  const ms = session.expiresAt - clock.now();
  return redirect(
    '/account',
    formatSessionCookie(buildCookie(deps), { headers: call.headers, id: token, ms }),
  );
}

function buildCookie({ publicUrls }: Pick<OwnerSignInDeps, 'publicUrls'>): SessionCookie {
  return {
    name: 'sanderling_account',
    path: '/account',
    isSecure: (headers) => isReachedOverTls(headers, publicUrls),
  };
}

/** Builds the page that asks for a key. */
function buildSignInPage(
  site: Website,
  { problem, status = 200 }: { problem: string | null; status?: number },
): Answer {
  const described = html` aria-invalid="true" aria-describedby="key-problem"`;
  return buildPage({
    site,
    title: 'Sign in',
    place: '/account',
    status,
    main: html`<section class="intro">
<h1>Your account</h1>
<p class="lead">Sign in with one of your keys to see its credits, what was used, and your payments, and to add, limit or rotate keys.</p>
<form class="panel" method="post" action="/account">
<div class="field"><label for="key">API key</label>
<input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" maxlength="200"${problem === null ? null : described}>
${problem === null ? null : html`<p class="problem" id="key-problem" role="alert">${problem}</p>`}</div>
<button class="button" type="submit">Sign in</button>
</form>
<p class="quiet">You stay signed in for a week in this browser. The cookie holds a random number, not your key. No key yet? <a href="/pricing">Get one</a>.${site.terms?.sells ? html` Lost it? <a href="/account/recover">Recover your account</a> with the payment that created it.` : null}</p>
</section>`,
  });
}
