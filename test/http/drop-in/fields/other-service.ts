/** A field that clients of another service send: its name (dots lead inwards), a value, and what there is to know about it here. */
type FieldOfOthers = [name: string, sample: unknown, note?: string];

type CallOfOthers = {
  method: 'GET' | 'POST';
  path: string;
  /** What every request has: a body, or the parameters of a GET. */
  base: Record<string, unknown>;
  fields: FieldOfOthers[];
  /** The fields are headers. */
  inHeaders?: true;
};

/** What moves over from another service, and what is there no longer. */
export type OtherService = {
  name: string;
  /** Where its clients are pointed to. */
  address: string;
  differs: string[];
  calls: CallOfOthers[];
  /** Operations that are not here: each with a request that is refused. */
  absent: [what: string, method: 'GET' | 'POST', path: string][];
};

export const PAGE = 'https://example.org/';
export const SCHEMA = { type: 'object', properties: {} };
export const EITHER_MODEL = 'no generative model runs';
export const WITH_BROWSER = 'where the operator runs a browser (`RENDER_URL`)';
export const NO_ACTIONS = 'pages are only read';
export const CRAWL_DATES = 'filter by `startPublishedDate` and `endPublishedDate`';
