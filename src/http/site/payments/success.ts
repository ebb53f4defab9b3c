import type { CheckoutCredentials, Checkouts, CheckoutView } from '../../../billing/payments/checkouts.ts';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, Call } from '../../calls/call.ts';
import { type ParsedReload, readReloadFields } from '../../v1/reload-fields.ts';
import { loadScript } from '../assets.ts';
import { parseForm } from '../form.ts';
import { html } from '../html.ts';
import { buildPage } from '../layout.ts';
import type { Website } from '../shell/site.ts';
import { type ReloadNotes, renderSuccess } from './success-view.ts';

type SuccessDeps = {
  checkouts: Pick<Checkouts, 'view' | 'configure'>;
  serviceUrl(): string;
  site: Website;
};

/** Copies the new key, removes the credentials from the address, and survives a reload. */
const SUCCESS_SCRIPT = loadScript(new URL('success-page.js', import.meta.url));
/** Restores a page whose credentials were removed from its address. */
const RETURN_SCRIPT = loadScript(new URL('success-return.js', import.meta.url));

type FulfilledCheckout = CheckoutView & { kind: 'fulfilled' };

/** Maximum cap for an owner who has just paid; higher than the API's. */
const OWNER_CAP_USD_MAX = 100_000;
const POLL_SECONDS = 2;
const POLLS_MAX = 30;
/** Maximum characters of a credential; the provider's ids (`cs_test_...`) are shorter. */
const CREDENTIAL_CHARS_MAX = 300;

/** Handles GET /success?session_id=..&n=..: the page after a payment. It shows the new key as soon as it exists. */
export function createSuccessHandler({
  checkouts,
  serviceUrl,
  site,
}: SuccessDeps): (call: Call) => Promise<Answer> {
  return async ({ query }) => {
    const credentials = readCredentials(query);
    if (credentials === null) return buildReturnPage(site);
    const view = await checkouts.view(credentials);
    if (view.kind === 'fulfilled')
      return buildFulfilledPage(view, {
        site,
        credentials,
        serviceUrl,
        notes: { saved: query.get('saved') === '1' },
      });
    if (view.kind === 'pending') return buildPendingPage(site, credentials, Number(query.get('poll') ?? 0));
    return buildLostPage(site, view.kind);
  };
}

/** Handles POST /success: saves the owner's auto-reload settings. Only here may the cap exceed the API's maximum. */
export function createSuccessReloadHandler({
  checkouts,
  serviceUrl,
  site,
}: SuccessDeps): (call: Call) => Promise<Answer> {
  return async (call) => {
    const form = parseForm(call);
    const credentials = readCredentials(form);
    if (credentials === null) return buildLostPage(site, 'unknown');
    const read = readReloadFields(form, { capUsdMax: OWNER_CAP_USD_MAX });
    const problem = await configure(checkouts, { credentials, read });
    if (problem === null) {
      const back = `/success?${new URLSearchParams({ ...toQuery(credentials), saved: '1' })}`;
      return { status: 303, body: '', headers: { Location: back, 'Cache-Control': 'no-store' } };
    }
    const view = await checkouts.view(credentials);
    if (problem === 'unknown' || view.kind !== 'fulfilled') return buildLostPage(site, 'unknown');
    const problems = read.ok ? [] : read.problems;
    const notes = { typed: form, problems, cardMissing: problem === 'no card' };
    return buildFulfilledPage(view, {
      site,
      credentials,
      serviceUrl,
      notes,
      status: problem === 'no card' ? 409 : 422,
    });
  };
}

type Problem = 'bad fields' | 'no card' | 'unknown';

async function configure(
  checkouts: SuccessDeps['checkouts'],
  { credentials, read }: { credentials: CheckoutCredentials; read: ParsedReload },
): Promise<Problem | null> {
  if (!read.ok) return 'bad fields';
  try {
    const change = { enabled: read.fields.enabled, ...read.fields.terms };
    return (await checkouts.configure(credentials, change)) === null ? 'unknown' : null;
  } catch (error) {
    if (error instanceof Failure && error.code === 'no_payment_method') return 'no card';
    throw error;
  }
}

function readCredentials(fields: URLSearchParams): CheckoutCredentials | null {
  const [checkoutId, nonce] = [fields.get('session_id') ?? '', fields.get('n') ?? ''];
  const isUsable = [checkoutId, nonce].every((text) => text !== '' && text.length <= CREDENTIAL_CHARS_MAX);
  return isUsable ? { checkoutId, nonce } : null;
}

function toQuery({ checkoutId, nonce }: CheckoutCredentials): { session_id: string; n: string } {
  return { session_id: checkoutId, n: nonce };
}

function buildFulfilledPage(
  view: FulfilledCheckout,
  deps: {
    site: Website;
    credentials: CheckoutCredentials;
    serviceUrl: () => string;
    notes: ReloadNotes;
    status?: number;
  },
): Answer {
  return buildPage({
    site: deps.site,
    title: 'Thank you',
    status: deps.status ?? 200,
    scripts: [SUCCESS_SCRIPT],
    main: renderSuccess(view, {
      credentials: toQuery(deps.credentials),
      serviceUrl: deps.serviceUrl(),
      capUsdMax: OWNER_CAP_USD_MAX,
      notes: deps.notes,
    }),
  });
}

/** Builds the page that reloads itself for a minute. It uses a header, which works without scripts. */
function buildPendingPage(site: Website, credentials: CheckoutCredentials, polls: number): Answer {
  const buildPollUrl = (poll: number): string =>
    `/success?${new URLSearchParams({ ...toQuery(credentials), poll: String(poll) })}`;
  const goesOn = Number.isInteger(polls) && polls >= 0 && polls < POLLS_MAX;
  return buildPage({
    site,
    title: 'Waiting for the payment',
    headers: goesOn ? { Refresh: `${POLL_SECONDS}; url=${buildPollUrl(polls + 1)}` } : {},
    main: html`<section class="note-page" aria-live="polite">
<h1>${goesOn ? 'Waiting for the payment' : 'The payment is still pending'}</h1>
<p class="lead">${goesOn ? 'This page checks every two seconds whether the payment has arrived. It usually takes a moment.' : 'Some payment methods take longer. Nothing is lost: keep this page open and check again later.'}</p>
<p><a class="button" href="${buildPollUrl(0)}">Check again</a></p>
</section>`,
  });
}

/** Builds the page without credentials, shown after a reload. Its script returns to the address that this tab had. */
function buildReturnPage(site: Website): Answer {
  return buildPage({
    site,
    title: 'Payment',
    status: 404,
    scripts: [RETURN_SCRIPT],
    main: html`<section class="note-page">
<h1>Which payment?</h1>
<p class="lead">This page needs the full link from the payment page. If it was open in this tab, go back in your browser.</p>
<p><a class="button" href="/account">View a key</a></p>
</section>`,
  });
}

function buildLostPage(site: Website, kind: 'expired' | 'unknown'): Answer {
  const isExpired = kind === 'expired';
  return buildPage({
    site,
    title: 'Payment',
    status: 404,
    main: html`<section class="note-page">
<h1>${isExpired ? 'This payment expired' : 'Unknown payment'}</h1>
<p class="lead">${isExpired ? 'Nothing was charged. You can start again at any time.' : 'The link is incomplete or belongs to another service. Nothing was charged through it.'}</p>
<p><a class="button" href="/pricing">See the packs</a></p>
</section>`,
  });
}
