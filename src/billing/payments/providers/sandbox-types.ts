/** What a person does on the page of the built-in stand-in for a payment provider. */
export type SandboxAction = 'pay' | 'pay-later-declined' | 'decline' | 'authenticate' | 'leave';

export type SandboxCheckout = {
  id: string;
  state: 'open' | 'paid' | 'expired';
  cents: number;
  description: string;
  /** Shown when the card is kept. */
  terms: string | null;
  /** What the last try came to, to be shown on the page. */
  lastError: string | null;
};

/** The stand-in's own page: no money moves. */
export type SandboxPage = {
  get(id: string): Promise<SandboxCheckout | null>;
  /** Gives where the browser goes next: the success page, the start page, or null to show the page again. */
  act(id: string, action: SandboxAction): Promise<{ goTo: string | null }>;
};
