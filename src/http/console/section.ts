import type { Script } from '../site/assets.ts';
import type { Html } from '../site/html.ts';
import type { ConsoleDeps, Notice } from './console-types.ts';

/** A request for a page of the console. */
export type SectionRequest = {
  /** The CSRF token for every form. */
  csrf: string;
  query: URLSearchParams;
  /** Aborts when the browser hangs up. */
  signal: AbortSignal;
  /** The input of a form that failed; empty otherwise. */
  typed: URLSearchParams;
};

/** `refreshSeconds` is the interval at which browsers without scripts reload the page. */
export type SectionPage = { main: Html; scripts?: Script[]; refreshSeconds?: number };

/** The notice of an action. `to` is the address to redirect to, if not the action's own page. */
type ActionOutcome = Notice & { to?: string };

/** One page of the console, with the actions of its forms by the value of their field `do`. */
export type Section = {
  path: string;
  name: string;
  show(deps: ConsoleDeps, asked: SectionRequest): Promise<SectionPage>;
  /** Each throws `Failure` if the action cannot be done. */
  actions: Record<string, (deps: ConsoleDeps, form: URLSearchParams) => Promise<ActionOutcome>>;
};
