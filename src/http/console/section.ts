import type { Script } from '../site/assets.ts';
import type { Html } from '../site/html.ts';
import type { ConsoleDeps, Notice } from './console-types.ts';

/** How a page of the console is asked for. */
export type SectionRequest = {
  /** Goes into every form. */
  csrf: string;
  query: URLSearchParams;
  /** What was typed into a form that failed; empty otherwise. */
  typed: URLSearchParams;
};

/** `refreshSeconds`: how often browsers without scripts load it again. */
export type SectionPage = { main: Html; scripts?: Script[]; refreshSeconds?: number };

/** What an action tells; `to`: where it leads, if not back to its page. */
type ActionOutcome = Notice & { to?: string };

/** One page of the console with the actions of its forms, by the value of their field `do`. */
export type Section = {
  path: string;
  name: string;
  show(deps: ConsoleDeps, asked: SectionRequest): Promise<SectionPage>;
  /** Each throws `Failure` for what cannot be done. */
  actions: Record<string, (deps: ConsoleDeps, form: URLSearchParams) => Promise<ActionOutcome>>;
};
