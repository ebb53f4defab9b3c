import { APP_SCOPES, type AppGrants, type AppScope } from '../../billing/keys/app-grants.ts';
import type { Keys } from '../../billing/keys/keys.ts';
import { toAllowanceAddress } from '../../billing/ledger/address-prefixes.ts';
import { Failure } from '../../contract/errors.ts';
import { ACCOUNT_TRIES_PER_HOUR } from '../../contract/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Answer, Call, FreeRoute } from '../calls/call.ts';
import type { FindKey } from '../calls/caller.ts';
import { assertOwnPage } from '../calls/operator.ts';
import { parseForm } from '../site/form.ts';
import { type Html, html } from '../site/html.ts';
import { buildPage } from '../site/layout.ts';
import { createAttempts } from '../site/sessions/attempts.ts';
import type { Website } from '../site/shell/site.ts';
import { type ClientDeps, createClientFinder, hasRedirect, type OAuthClient } from './clients.ts';
import { isOwnResource } from './tokens.ts';

export type AuthorizeDeps = ClientDeps & {
  appGrants: AppGrants;
  findKey: FindKey;
  keys: Pick<Keys, 'claimFree'>;
  clock: Clock;
  site: Website;
  publicUrls: readonly string[];
  addressFor(call: Pick<Call, 'headers'>): string;
};

const HOUR_MS = 3_600_000;
/** The digest of SHA-256 in base64url. */
const CHALLENGE = /^[\w-]{43}$/;
const STATE_CHARS_MAX = 4_000;
/** What the form sends again, so that the page needs no session. */
const PARAMETERS = [
  ...['response_type', 'client_id', 'redirect_uri', 'code_challenge', 'code_challenge_method'],
  ...['scope', 'state', 'resource'],
];
const SCOPE_WORDS: Record<AppScope, string> = {
  search: 'search the web and documentation, and answer questions',
  read: 'read and crawl pages',
  account: 'see your credits, and change automatic reload within the cap that you set',
};

/** A request that may be answered at the address of its client. */
type AuthorizeRequest = {
  client: OAuthClient;
  redirectUri: string;
  state: string | null;
  challenge: string;
  scopes: AppScope[];
};

type Reading =
  | { kind: 'request'; request: AuthorizeRequest }
  /** Nothing may be sent to the address, because nobody says that it is the client's. */
  | { kind: 'refused'; why: string }
  | { kind: 'failed'; redirectUri: string; state: string | null; error: string };

/**
 * Creates the handlers of the page on which somebody signs an application in. A key is typed each time: there is no session that a page
 * of another site could use, and nobody is signed in anywhere without having typed a secret.
 */
export function createAuthorizeHandlers(
  deps: AuthorizeDeps,
  path: string,
): Record<'show' | 'grant', FreeRoute['handle']> {
  const findClient = createClientFinder(deps);
  const attempts = createAttempts({ triesMax: ACCOUNT_TRIES_PER_HOUR, windowMs: HOUR_MS, clock: deps.clock });
  const read = (call: Call, parameters: URLSearchParams): Promise<Reading> =>
    readRequest(parameters, { findClient, base: deps.addressFor(call) });
  return {
    async show(call) {
      const reading = await read(call, call.query);
      if (reading.kind !== 'request') return answerWithout(reading, deps, call);
      return buildSignInPage(reading.request, { ...deps, path, parameters: call.query });
    },
    async grant(call) {
      assertOwnPage(call.headers, deps.publicUrls);
      const form = parseForm(call);
      const reading = await read(call, form);
      if (reading.kind !== 'request') return answerWithout(reading, deps, call);
      const { request } = reading;
      const page = { ...deps, path, parameters: form };
      if (form.get('do') === 'deny')
        return redirectTo(request, deps.addressFor(call), { error: 'access_denied' });
      if (form.get('do') === 'new') return grantWithNewKey(request, page, call);
      const apiKey = (form.get('key') ?? '').trim();
      if (apiKey === '')
        return buildSignInPage(request, { ...page, problem: 'Paste a key first.', status: 422 });
      const found = await attempts.guess(toAllowanceAddress(call.address), () => deps.findKey(apiKey));
      if (found === null)
        return buildSignInPage(request, {
          ...page,
          problem: 'This key is unknown. Check that you copied all of it.',
          status: 401,
        });
      return redirectTo(request, deps.addressFor(call), { code: await begin(deps, request, found.keyId) });
    },
  };
}

async function readRequest(
  parameters: URLSearchParams,
  { findClient, base }: { findClient: (id: string) => Promise<OAuthClient | null>; base: string },
): Promise<Reading> {
  const take = (name: string): string => parameters.get(name) ?? '';
  if (PARAMETERS.some((name) => parameters.getAll(name).length > 1))
    return { kind: 'refused', why: 'A parameter of the address is repeated.' };
  const client = await findClient(take('client_id'));
  if (client === null)
    return { kind: 'refused', why: 'The application is unknown, or its description cannot be read.' };
  const redirectUri = take('redirect_uri');
  if (!hasRedirect(client, redirectUri))
    return { kind: 'refused', why: 'The address to return to is none that the application has named.' };
  const state = parameters.get('state');
  if ((state?.length ?? 0) > STATE_CHARS_MAX) return { kind: 'refused', why: 'The address is too long.' };
  const fail = (error: string): Reading => ({ kind: 'failed', redirectUri, state, error });
  if (take('response_type') !== 'code') return fail('unsupported_response_type');
  if (take('code_challenge_method') !== 'S256' || !CHALLENGE.test(take('code_challenge')))
    return fail('invalid_request');
  if (!isOwnResource(parameters.get('resource'), base)) return fail('invalid_target');
  const scopes = readScopes(take('scope'));
  if (scopes.length === 0) return fail('invalid_scope');
  return {
    kind: 'request',
    request: { client, redirectUri, state, challenge: take('code_challenge'), scopes },
  };
}

/** Without a wish, an application may search and read; words that mean nothing here are left out. */
function readScopes(text: string): AppScope[] {
  const asked = text.split(' ').filter((word) => word !== '');
  if (asked.length === 0) return ['search', 'read'];
  return APP_SCOPES.filter((scope) => asked.includes(scope));
}

function answerWithout(
  reading: Exclude<Reading, { kind: 'request' }>,
  { site, addressFor }: AuthorizeDeps,
  call: Call,
): Answer {
  if (reading.kind === 'failed') return redirectTo(reading, addressFor(call), { error: reading.error });
  return buildPage({
    site,
    title: 'No sign-in',
    status: 400,
    main: html`<section class="note-page"><h1>This sign-in cannot go on</h1><p>${reading.why} Go back to the application and try again.</p></section>`,
  });
}

/** Sends the browser back with the outcome, and with the issuer, so that a client of many servers sees who answers (RFC 9207). */
function redirectTo(
  { redirectUri, state }: { redirectUri: string; state: string | null },
  base: string,
  outcome: Record<string, string>,
): Answer {
  return {
    status: 303,
    body: '',
    headers: {
      Location: buildReturnUrl({ redirectUri, state }, base, outcome),
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    },
  };
}

function buildReturnUrl(
  { redirectUri, state }: { redirectUri: string; state: string | null },
  base: string,
  outcome: Record<string, string>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(outcome)) url.searchParams.set(name, value);
  if (state !== null) url.searchParams.set('state', state);
  url.searchParams.set('iss', base);
  return url.href;
}

function begin({ appGrants }: AuthorizeDeps, request: AuthorizeRequest, keyId: string): Promise<string> {
  const { client, redirectUri, challenge, scopes } = request;
  return appGrants.begin({ keyId, clientId: client.id, name: client.name, redirectUri, challenge, scopes });
}

type SignInPage = AuthorizeDeps & {
  path: string;
  parameters: URLSearchParams;
  problem?: string;
  status?: number;
};

/** Claims the free key of the visitor's network, shows it once, and goes on by a link. */
async function grantWithNewKey(request: AuthorizeRequest, page: SignInPage, call: Call): Promise<Answer> {
  const { site } = page;
  if (site.terms?.freeKeys !== true) throw new Failure('forbidden', 'This service issues no free keys.');
  try {
    const { apiKey, keyId } = await page.keys.claimFree(call.address);
    const code = await begin(page, request, keyId);
    const next = buildReturnUrl(request, page.addressFor(call), { code });
    return buildPage({
      site,
      title: 'Your free key',
      main: html`<section class="note-page"><h1>Here is your key</h1>
<div class="key-box"><h2 id="key-name">API key</h2>
<p class="key-line"><code id="key" aria-labelledby="key-name" tabindex="0">${apiKey}</code> <button class="copy" type="button" data-copy="key" aria-label="Copy the key">Copy</button></p></div>
<p><strong>Store it somewhere safe now.</strong> With it you see your credits and sign applications out. It is shown this once.</p>
<p class="actions"><a class="button" rel="noreferrer" href="${next}">Go on to ${request.client.name}</a></p>
<p class="quiet">The link works for a minute.</p></section>`,
    });
  } catch (error) {
    if (!(error instanceof Failure && error.code === 'free_key_already_issued')) throw error;
    return buildSignInPage(request, { ...page, problem: error.message, status: 409 });
  }
}

function buildSignInPage({ client, redirectUri, scopes }: AuthorizeRequest, page: SignInPage): Answer {
  const { site, path, parameters, problem, status = 200 } = page;
  const target = new URL(redirectUri);
  const place = isWeb(target) ? target.host : `the application that opens ${target.protocol}`;
  const answer = buildPage({
    site,
    title: `Sign in ${client.name}`,
    status,
    main: html`<section class="intro"><h1>Sign in ${client.name}</h1>
<p class="lead">${client.host === null ? html`An application that calls itself <strong>${client.name}</strong>` : html`<strong>${client.name}</strong> of <strong>${client.host}</strong>`} asks to use ${site.name} for you. You will be sent to <strong>${place}</strong>.</p>
<p>It may</p>
<ul class="rules">${scopes.map((scope) => html`<li>${SCOPE_WORDS[scope]}</li>`)}</ul>
<form class="panel" method="post" action="${path}">${renderHidden(parameters)}
<div class="field"><label for="key">API key</label>
<input id="key" name="key" type="password" autocomplete="off" spellcheck="false" maxlength="200"${problem === undefined ? null : html` aria-invalid="true" aria-describedby="key-problem"`}>
${problem === undefined ? null : html`<p class="problem" id="key-problem" role="alert">${problem}</p>`}</div>
<p class="actions"><button class="button" type="submit" name="do" value="key">Sign in</button>
${site.terms?.freeKeys === true ? html`<button class="button second" type="submit" name="do" value="new">Use a new free key</button>` : null}
<button class="button second" type="submit" name="do" value="deny">Cancel</button></p>
</form>
<p class="quiet">The application never sees your key. What it uses is charged to it, and you can sign it out again in <a href="/account/apps">your account</a>. Go on only if you have just asked an application to connect.</p></section>`,
  });
  return allowReturn(answer, target);
}

/** A form may lead to this server alone, also by redirects: the address of the application is added for this page. */
function allowReturn(answer: Answer, target: URL): Answer {
  const policy = answer.headers?.['Content-Security-Policy'] ?? '';
  const place = isWeb(target) ? target.origin : target.protocol;
  const headers = {
    ...answer.headers,
    'Content-Security-Policy': policy.replace("form-action 'self'", `form-action 'self' ${place}`),
  };
  return { ...answer, headers };
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';

function renderHidden(parameters: URLSearchParams): Html[] {
  return PARAMETERS.flatMap((name) => {
    const value = parameters.get(name);
    return value === null ? [] : [html`<input type="hidden" name="${name}" value="${value}">`];
  });
}
