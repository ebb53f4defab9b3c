/** A fault put into one file on purpose: `find` stands there exactly once. */
export type Mutant = {
  /** What the program does wrong, in a few words joined by hyphens. */
  name: string;
  file: string;
  find: string;
  replace: string;
  /** Test files of which at least one must fail. */
  suite: string[];
};
