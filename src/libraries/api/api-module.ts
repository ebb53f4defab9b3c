/** A public item of a package, as the reader of its language found it. */
export type Declaration = {
  /** Qualified name, which becomes the heading: `requests.get`, `Session.execute`, `tokio::spawn`. */
  name: string;
  kind: string;
  signature: string;
  /** Line of the file, from 1. */
  line: number;
  /** Markdown. */
  docs: string;
  /** Reason of a deprecation, empty if none is given; null for what is not deprecated. */
  deprecated: string | null;
  /** Where it is shown: under a heading, as a line of its owner's block, or nowhere else, because its owner's signature has it. */
  place: 'heading' | 'block' | 'signature';
  members: Declaration[];
  /** The module that has the documentation of what is only exported again here. */
  documentedIn: string | null;
};

/** A module with its public items, in the order of its source. */
export type ApiModule = {
  /** For example `requests.sessions`, `tokio::sync`, `golang.org/x/net/html`, `com.google.gson.Gson`. */
  name: string;
  /** Language of its code blocks. */
  language: string;
  docs: string;
  deprecated: string | null;
  declarations: Declaration[];
};

/** Completes a declaration: most have no members and are documented where they stand. */
export function declare(
  described: Pick<Declaration, 'name' | 'kind' | 'signature' | 'line'> & Partial<Declaration>,
): Declaration {
  return { docs: '', deprecated: null, place: 'heading', members: [], documentedIn: null, ...described };
}
