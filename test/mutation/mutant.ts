/** A fault put into one file on purpose: `find`, which occurs there exactly once, is replaced. */
export type Mutant = {
  /** What the program does wrong, as a few hyphenated words. */
  name: string;
  file: string;
  find: string;
  replace: string;
  /** Test files of which at least one must fail. */
  suite: string[];
};
