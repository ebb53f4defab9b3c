import type { OpenOptions } from '../open-page-types.ts';

/** What decides whether a page is rendered, and how. */
export type BrowserTurn = {
  engine: OpenOptions['engine'] | undefined;
  waiting: OpenOptions['waiting'] | undefined;
  extras: OpenOptions['extras'] | undefined;
  headers: OpenOptions['headers'] | undefined;
  /** False where only the caller may see the page, and for crawlers, who keep to the pace of a host. */
  maySuggestItself: boolean;
  /** With the fragment that scripts read. */
  renderedUrl: string;
  /** When the time for the page is over. */
  end: number;
  signal: AbortSignal;
  tenant: OpenOptions['tenant'] | undefined;
};
