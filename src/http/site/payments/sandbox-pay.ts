import type {
  SandboxAction,
  SandboxCheckout,
  SandboxPage,
} from '../../../billing/payments/providers/sandbox-objects.ts';
import { Failure } from '../../../contract/errors.ts';
import type { Answer, Call } from '../../calls/call.ts';
import { formatDollars } from '../amounts.ts';
import { parseForm } from '../form.ts';
import { type Html, html } from '../html.ts';
import { buildPage } from '../layout.ts';
import type { Website } from '../shell/site.ts';

/** The buttons in the order of the page. */
const ACTIONS: [action: SandboxAction, label: string][] = [
  ['pay', 'Pay'],
  ['pay-later-declined', 'Pay with a card that is declined later'],
  ['decline', 'Pay with a card that is declined'],
  ['authenticate', 'Pay with a card that needs authentication'],
  ['leave', 'Leave without paying'],
];

const REASONS: Record<string, string> = {
  card_declined: 'The card was declined. Nothing was charged. Try another card.',
  authentication_required: 'Your bank asks you to confirm this payment.',
};

/** Handles GET /sandbox/pay/:id: the stand-in for a hosted payment page. */
export function createSandboxPayHandler(
  sandbox: SandboxPage,
  site: Website,
): (call: Call) => Promise<Answer> {
  return async ({ params }) => buildPaymentPage(await requireCheckout(sandbox, params.id), site);
}

/** Handles POST /sandbox/pay/:id: performs the action of the pressed button. */
export function createSandboxActHandler(sandbox: SandboxPage): (call: Call) => Promise<Answer> {
  return async (call) => {
    const { id } = await requireCheckout(sandbox, call.params.id);
    const wanted = parseForm(call).get('action');
    const action = ACTIONS.find(([name]) => name === wanted)?.[0];
    if (action === undefined) throw new Failure('validation_error', 'Unknown action.');
    const { goTo } = await sandbox.act(id, action);
    const location = goTo ?? `/sandbox/pay/${encodeURIComponent(id)}`;
    return { status: 303, body: '', headers: { Location: location, 'Cache-Control': 'no-store' } };
  };
}

async function requireCheckout(sandbox: SandboxPage, id: string | undefined): Promise<SandboxCheckout> {
  const checkout = await sandbox.get(id ?? '');
  if (checkout === null) throw new Failure('not_found', 'This payment does not exist.');
  return checkout;
}

function buildPaymentPage(checkout: SandboxCheckout, site: Website): Answer {
  const { state, cents, description, terms, lastError } = checkout;
  return buildPage({
    site,
    title: 'SANDBOX payment',
    main: html`<p class="sandbox" role="note"><strong>SANDBOX: no money moves.</strong> This page stands in for a payment provider, so that you can try a purchase without an account or a card.</p>
<section class="payment">
<h1><span class="quiet">${description}</span> ${formatDollars(cents)}</h1>
${lastError === null ? null : html`<p class="problem" role="alert">${REASONS[lastError] ?? lastError}</p>`}
${terms === null ? null : html`<p class="terms">${terms}</p>`}
${state === 'open' ? renderButtons(checkout) : renderEnd(state)}
</section>`,
  });
}

function renderButtons({ id, lastError }: SandboxCheckout): Html {
  const isAsked = lastError === 'authentication_required';
  return html`<form class="choices" method="post" action="/sandbox/pay/${encodeURIComponent(id)}">
${ACTIONS.map(
  (
    [action, label],
    place,
  ) => html`<button class="button${place === 0 ? '' : ' second'}" type="submit" name="action" value="${action}">${isAsked && action === 'authenticate' ? 'Confirm the payment' : label}</button>
`,
)}</form>`;
}

function renderEnd(state: 'paid' | 'expired'): Html {
  return state === 'paid'
    ? html`<p role="status"><strong>Paid.</strong> Go forward in your browser to return to your key.</p>`
    : html`<p role="status"><strong>This payment expired.</strong> <a href="/pricing">Start again</a>.</p>`;
}
