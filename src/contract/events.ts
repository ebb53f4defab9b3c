/** One function per business event: each updates a metric and logs events that operators search for. */
export type Events = {
  /** `route` is null when no route matched. */
  requestEnded(request: { route: string | null; status: number; ms: number }): void;
  stagesTimed(ms: Record<string, number>): void;
  creditsHeld(credits: number): void;
  creditsSettled(credits: { used: number; unused: number }): void;
  /** Charged credits refunded because the response never began to be sent; 0 if the hold was released in time. */
  creditsRefunded(refunded: number): void;
  holdsExpired(holds: number): void;
  paymentRequired(code: 'insufficient_credits' | 'keyless_limit'): void;
  /** A key with limits of its own used up one of them. */
  rateLimited(span: 'minute' | 'day'): void;
  keyIssued(kind: 'free' | 'paid' | 'operator'): void;
  packSold(sale: { pack: string; how: 'checkout' | 'auto-reload' }): void;
  autoReloadFailed(failed: { purchaseId: string; error: string }): void;
  /** The paid amount that the provider reports differs from the requested one: a person has to investigate. */
  paymentMismatch(mismatch: { checkoutId: string }): void;
};
