import type { AutoReload } from '../../../billing/payments/auto-reload.ts';
import { type Html, html } from '../html.ts';

const REASONS: Record<string, string> = {
  authentication_required: 'the bank asked for confirmation',
  card_declined: 'the card was declined',
  expired_card: 'the card has expired',
  insufficient_funds: 'the card had insufficient funds',
  no_payment_method: 'there was no saved card any more',
  canceled: 'the charge was canceled',
  PaymentUncertain: 'the payment provider did not answer; it will be tried again',
  PaymentThrottled: 'the payment provider asked for a pause; it will be tried again',
};

/** Describes an error code of the payment provider in words; an unknown code stays unchanged. */
export function describeReloadError(code: string): string {
  return REASONS[code] ?? code;
}

/** Renders the reason why the last automatic payment failed, if it did. */
export function renderReloadError({ enabled, lastError }: AutoReload): Html | null {
  if (lastError === null) return null;
  const reason = describeReloadError(lastError);
  return html`<p class="problem" role="alert">The last automatic payment failed: ${reason}.${enabled ? null : ' Auto-reload is now off.'}</p>`;
}
