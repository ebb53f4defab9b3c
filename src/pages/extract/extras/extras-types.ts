import type { FieldMapping, Json } from './map-fields.ts';
import type { Selector } from './selector.ts';

/** The part of a page that a caller reads instead of its main content. */
export type Selection = {
  /** Only what these elements hold; empty: the main content, or everything when `whole`. */
  include: Selector[];
  /** Left out in any case. */
  exclude: Selector[];
  /** Everything that is visible, menus included. */
  whole: boolean;
  /** With the comments below an article, which are no part of its main content. */
  comments?: boolean;
};

/** What a caller wants of a page besides its article. Each name has its counterpart in `PageExtras`. */
export type ExtrasWanted = {
  /** Null: the main content, as in the article. */
  selection: Selection | null;
  /** The selection as clean HTML with absolute addresses: no scripts, styles, comments or event handlers. */
  html?: boolean;
  /** The source as it was decoded. */
  rawHtml?: boolean;
  /** Links and images, of the selection or of the whole page. */
  links?: Scope;
  images?: Scope;
  /** Attributes of elements anywhere on the page. */
  attributes?: AttributeWanted[];
  /** A JSON value whose parts stand in elements anywhere on the page. */
  fields?: FieldMapping;
  /** A picture of what a window shows, or of the whole page; only with a browser. */
  screenshot?: 'viewport' | 'page';
};

type Scope = 'selection' | 'page';
export type AttributeWanted = { selector: Selector; attribute: string };

export type PageLink = { url: string; text: string };
export type PageImage = { url: string; alt: string };

/** What was wanted; the rest is absent. Plain data, sent between threads and never kept. */
export type PageExtras = {
  /** The Markdown of the selection; that of the article where there is none. */
  markdown: string;
  html?: string;
  rawHtml?: string;
  links?: PageLink[];
  images?: PageImage[];
  /** One list of values per wanted attribute, in order. */
  attributes?: string[][];
  fields?: Json;
  /** A PNG in base64. */
  screenshot?: string;
};
