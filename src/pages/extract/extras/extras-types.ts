import type { FieldMapping, Json, Selector } from './map-fields.ts';

/** The part of a page that a caller wants instead of its main content. */
export type Selection = {
  /** Only the contents of these elements; when empty, the main content, or everything if `whole`. */
  include: Selector[];
  /** Elements to leave out in any case. */
  exclude: Selector[];
  /** Include everything visible, menus too. */
  whole: boolean;
  /** Include the comments below an article, which are not part of its main content. */
  comments?: boolean;
};

/** Extras that a caller wants besides the article. Each name has its counterpart in `PageExtras`. */
export type ExtrasRequest = {
  /** Null for the main content, as in the article. */
  selection: Selection | null;
  /** The selection as clean HTML with absolute addresses: no scripts, styles, comments or event handlers. */
  html?: boolean;
  /** The decoded source. */
  rawHtml?: boolean;
  /** Links and images, of the selection or of the whole page. */
  links?: Scope;
  images?: Scope;
  /** Attributes of elements anywhere on the page. */
  attributes?: AttributeRequest[];
  /** A JSON value whose parts are read from elements anywhere on the page. */
  fields?: FieldMapping;
  /** A picture of the viewport or of the whole page; only with a browser. */
  screenshot?: 'viewport' | 'page';
};

type Scope = 'selection' | 'page';
export type AttributeRequest = { selector: Selector; attribute: string };

export type PageLink = { url: string; text: string };
export type PageImage = { url: string; alt: string };

/** The extras that were requested; others are absent. Plain data, sent between threads and never cached. */
export type PageExtras = {
  /** The Markdown of the selection, or of the article when nothing was selected. */
  markdown: string;
  html?: string;
  rawHtml?: string;
  links?: PageLink[];
  images?: PageImage[];
  /** One list of values per requested attribute, in order. */
  attributes?: string[][];
  fields?: Json;
  /** A PNG in base64. */
  screenshot?: string;
};
