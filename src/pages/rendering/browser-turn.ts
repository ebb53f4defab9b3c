import type { OpenOptions } from '../open-page-types.ts';

/** The part of a request that decides whether a page is rendered, and how. */
export type BrowserTurn = {
  engine: OpenOptions['engine'] | undefined;
  waiting: OpenOptions['waiting'] | undefined;
  extras: OpenOptions['extras'] | undefined;
  headers: OpenOptions['headers'] | undefined;
  /** False where only the caller may see the page, and for crawlers, which keep to the crawl delay of a host. */
  maySuggestItself: boolean;
  /** The address with the fragment that scripts read. */
  renderedUrl: string;
  /** The deadline of the page, by the steady clock. */
  end: number;
  signal: AbortSignal;
  tenant: OpenOptions['tenant'] | undefined;
};
