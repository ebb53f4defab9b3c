/** A buyer's action on the sandbox's payment page. */
export type SandboxAction = 'pay' | 'pay-later-declined' | 'decline' | 'authenticate' | 'leave';

export type SandboxCheckout = {
  id: string;
  state: 'open' | 'paid' | 'expired';
  cents: number;
  description: string;
  /** Shown if the card is to be saved. */
  terms: string | null;
  /** The error of the last attempt, shown on the page. */
  lastError: string | null;
};

/** The sandbox's own payment page. */
export type SandboxPage = {
  get(id: string): Promise<SandboxCheckout | null>;
  /** Applies an action. Resolves to the next URL, the success page or the home page, or null to show the page again. */
  act(id: string, action: SandboxAction): Promise<{ goTo: string | null }>;
};
