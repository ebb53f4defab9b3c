import type { Clues } from './clues.ts';
import type { PageTitle } from './page-title.ts';
import type { Block, CutPage, Region } from './regions.ts';

/** Input of the feature groups: the page cut into blocks, with everything that is computed once per page. */
export type PageView = {
  cut: CutPage;
  blocks: Block[];
  /** Shown text of each block, white space collapsed, at most `TEXT_CHARS_MAX` characters. */
  texts: string[];
  clues: Clues;
  title: PageTitle;
  /** 1 for each block that belongs to the comments below an article; see `comments.ts`. */
  comments: Uint8Array;
  /** The region that looks most like the main one. */
  container: Region;
  /** Distances from each region up to the nearest place of each kind; see `places.ts`. */
  distances: Uint8Array;
};

/** A group of features; for each block its numbers are written into a row of the feature table from `at` on. */
export type FeatureGroup = {
  names: readonly string[];
  /** Prepares what needs a pass over the page; the returned function fills a row. */
  prepare(view: PageView): (row: Float32Array, at: number, index: number) => void;
};
