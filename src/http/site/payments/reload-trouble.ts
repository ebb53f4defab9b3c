import type { AutoReload } from '../../../billing/payments/auto-reload.ts';
import { type Html, html } from '../html.ts';

const REASONS: Record<string, string> = {
  authentication_required: 'the bank asked for confirmation',
  card_declined: 'the card was declined',
  expired_card: 'the card has expired',
  insufficient_funds: 'the card had insufficient funds',
};

/** Says why the last automatic payment failed, if it did. */
export function reloadTrouble({ enabled, lastError }: AutoReload): Html | null {
  if (lastError === null) return null;
  const reason = REASONS[lastError] ?? lastError;
  return html`<p class="problem" role="alert">The last automatic payment failed: ${reason}.${enabled ? null : ' Auto-reload is now off.'}</p>`;
}
