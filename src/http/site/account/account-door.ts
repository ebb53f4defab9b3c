import type { IncomingHttpHeaders } from 'node:http';
import type { Keys } from '../../../billing/keys/keys.ts';
import type { OwnerSession, OwnerSessions } from '../../../billing/keys/owner-sessions.ts';
import { allowanceAddress } from '../../../billing/ledger/networks.ts';
import { ACCOUNT_TRIES_PER_HOUR } from '../../../contract/limits.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Answer, Call } from '../../calls/call.ts';
import type { FindKey } from '../../calls/caller.ts';
import { assertOwnPage } from '../../calls/own-page.ts';
import { formOf } from '../form.ts';
import { html } from '../html.ts';
import { page } from '../layout.ts';
import { type Attempts, createAttempts } from '../sessions/attempts.ts';
import {
  checkCsrf,
  csrfOf,
  reachedOverTls,
  type SessionCookie,
  sessionCookieLine,
  sessionIdsIn,
} from '../sessions/session-cookie.ts';
import type { Website } from '../shell/site.ts';

/** Somebody signed in: the session, and the token that its forms hold. */
export type OwnerVisit = { session: OwnerSession; csrf: string };

/** What letting owners in needs. */
export type DoorDeps = {
  findKey: FindKey;
  keys: Pick<Keys, 'show'>;
  ownerSessions: OwnerSessions;
  clock: Clock;
  site: Website;
  /** The public addresses of the service. */
  publicUrls: readonly string[];
};

type Handler = (call: Call) => Promise<Answer>;

/** Lets owners into their account with one of its keys. */
export type AccountDoor = {
  /** Serves a page to who is signed in; everybody else is asked for a key. */
  page(show: (visit: OwnerVisit, call: Call) => Promise<Answer>): Handler;
  /** Carries out a form of a page, if it holds the token of the session. */
  action(act: (visit: OwnerVisit & { form: URLSearchParams }, call: Call) => Promise<Answer>): Handler;
  /** POST /account: signs in with a key. */
  enter: Handler;
  /** POST /account/sign-out, of this browser or of all. */
  leave: Handler;
  /** Wrong keys and proofs, counted by network. */
  attempts: Attempts;
};

const HOUR_MS = 3_600_000;

export function createAccountDoor(deps: DoorDeps): AccountDoor {
  const { ownerSessions, site, clock } = deps;
  const attempts = createAttempts({ triesMax: ACCOUNT_TRIES_PER_HOUR, windowMs: HOUR_MS, clock });
  const action: AccountDoor['action'] = (act) => async (call) => {
    const visit = await visitOf(deps, call);
    if (visit === null) return signInPage(site, { problem: 'You are signed out.', status: 401 });
    const form = formOf(call);
    checkCsrf(form, visit);
    return act({ ...visit, form }, call);
  };
  return {
    attempts,
    action,
    page: (show) => async (call) => {
      const visit = await visitOf(deps, call);
      return visit === null ? signInPage(site, { problem: null }) : show(visit, call);
    },
    enter: (call) => enter({ ...deps, attempts }, call),
    leave: action(async ({ session, form }, { headers }) => {
      if (form.get('everywhere') === '1') await ownerSessions.endAll(session.account);
      else await ownerSessions.end(session);
      return redirect('/account', sessionCookieLine(cookieOf(deps), { headers, id: '', ms: 0 }));
    }),
  };
}

/** Sends a browser on after a form, so that a reload does not send it again. */
export function redirect(location: string, cookie?: string): Answer {
  const headers = { Location: location, 'Cache-Control': 'no-store' };
  return {
    status: 303,
    body: '',
    headers: cookie === undefined ? headers : { ...headers, 'Set-Cookie': cookie },
  };
}

async function visitOf(
  deps: DoorDeps,
  { headers }: { headers: IncomingHttpHeaders },
): Promise<OwnerVisit | null> {
  for (const token of sessionIdsIn(headers, cookieOf(deps).name)) {
    const session = await deps.ownerSessions.find(token);
    if (session !== null) return { session, csrf: csrfOf(token) };
  }
  return null;
}

async function enter(deps: DoorDeps & { attempts: Attempts }, call: Call): Promise<Answer> {
  const { attempts, site, clock } = deps;
  assertOwnPage(call.headers, deps.publicUrls);
  // Trimmed: a key copied from an email may bring spaces and line ends.
  const apiKey = (formOf(call).get('key') ?? '').trim();
  if (apiKey === '') return signInPage(site, { problem: 'Paste a key first.', status: 422 });
  const network = allowanceAddress(call.address);
  const found = await attempts.guess(network, () => deps.findKey(apiKey));
  if (found === null)
    return signInPage(site, {
      problem: 'This key is unknown. Check that you copied all of it.',
      status: 401,
    });
  const record = await deps.keys.show(found.keyId);
  if (record === null || !record.manages)
    return signInPage(site, {
      problem: 'This key may only call. Sign in with a key that may manage the account.',
      status: 403,
    });
  const { token, session } = await deps.ownerSessions.begin(record.id);
  const ms = session.expiresAt - clock.now();
  return redirect('/account', sessionCookieLine(cookieOf(deps), { headers: call.headers, id: token, ms }));
}

function cookieOf({ publicUrls }: Pick<DoorDeps, 'publicUrls'>): SessionCookie {
  return {
    name: 'sanderling_account',
    path: '/account',
    isSecure: (headers) => reachedOverTls(headers, publicUrls),
  };
}

/** Asks for a key. */
function signInPage(
  site: Website,
  { problem, status = 200 }: { problem: string | null; status?: number },
): Answer {
  const described = html` aria-invalid="true" aria-describedby="key-problem"`;
  return page({
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
