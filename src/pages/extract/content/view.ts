import type { Clues } from './clues.ts';
import type { PageTitle } from './page-title.ts';
import type { Block, CutPage, Region } from './regions.ts';

/** Input of the feature groups: the cut page with everything that is computed once per page. */
export type PageView = {
  cut: CutPage;
  blocks: Block[];
  /** Shown text of each block, white space collapsed, at most `TEXT_CHARS_MAX` characters. */
  texts: string[];
  clues: Clues;
  title: PageTitle;
  /** For each block 1 where it belongs to the comments below an article; see `comments.ts`. */
  comments: Uint8Array;
  /** The region that looks most like the main one. */
  container: Region;
  /** For each region the distance to the nearest of each kind of place above it; see `places.ts`. */
  distances: Uint8Array;
};

/** Numbers about one block, written into a row of the feature table from `at` on. */
export type FeatureGroup = {
  names: readonly string[];
  /** Prepares what needs a pass over the page; the returned function fills a row. */
  prepare(view: PageView): (row: Float32Array, at: number, index: number) => void;
};
