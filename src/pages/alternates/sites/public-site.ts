/** A path into an answer (`info.name`), or several, of which the first with a value counts (`a|b`). */
type Path = string;

/** A part of the text, written when its fields have a value. */
export type SitePart =
  | { html: Path }
  | { markdown: Path }
  | { text: Path }
  /** Names and their values, as a list. */
  | { facts: [name: string, value: Path][] }
  /**
   * The parts of each item of a list, below a line with its author (`by`) and day (`at`). `replies`: the list of the same kind below
   * each.
   */
  | { each: Path; by: Path; at?: Path; replies?: Path; heading?: string; parts: SitePart[] };

/** A site with a public interface for programs: its pages, the addresses that serve them as JSON, and the meaning of the fields. */
export type PublicSite = {
  name: string;
  /** The address of the interface's documentation. */
  about: string;
  /**
   * 'first': its pages are shells or are refused, so the interface is asked before them. 'instead': it is asked only when a page itself
   * gives nothing.
   */
  when: 'first' | 'instead';
  /** Matches the whole address of a page; its groups are `$1`, `$2` in `answers`. */
  page?: RegExp;
  /** Addresses to fetch, at most two; the second may use fields of the first: `{0.crate.max_version}`. */
  answers?: [string] | [string, string];
  /** Matches addresses of JSON that pages of any site declare for themselves. */
  declared?: RegExp;
  /** Paths start at the list of answers: `0.title`. */
  title: Path;
  author?: Path;
  /** A date as text, or seconds since the epoch. */
  published?: Path;
  language?: Path;
  description?: Path;
  image?: Path;
  /** The name of the site; absent: its host. */
  site?: string;
  parts: SitePart[];
};
