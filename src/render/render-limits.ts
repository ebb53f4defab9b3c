/** Limits of the rendering process. Times are in milliseconds. */
export const LIMITS = {
  /** Maximum number of pages at once, each in its own context. */
  pagesAtOnce: 4,
  /** Maximum number of pages that wait for a turn. */
  waitingMax: 40,
  /** A browser is replaced after this many pages, or when all its processes take more than this much memory. */
  pagesPerBrowser: 200,
  memoryMbMax: 1_500,
  /** A page's process above this is killed, and the page with it. */
  rendererMbMax: 700,
  watchMs: 250,
  /** Maximum heap of V8 for one page. */
  heapMb: 512,
  startMs: 20_000,
  /** A page or a browser that takes longer to close is killed. */
  closeMs: 2_000,
  /** Maximum bytes on the wire for one page. */
  bytesMax: 31_457_280,
  requestsMax: 1_000,
  orderBytesMax: 65_536,
  /** Popups are closed at once; a page that opens more than this fails. */
  popupsMax: 20,
  dialogsMax: 50,
  /** Maximum number of successive documents in the main frame of a page. */
  documentsMax: 10,
} as const;

/** Conditions for taking a page as complete. */
export const SETTLING = {
  pollMs: 60,
  /** The network must be quiet and the text unchanged for this long. */
  quietMs: 240,
  /** Extra time for a page that shows next to nothing. */
  emptyMs: 3_500,
  /** Extra time if a frame may show the content: its text is not visible from outside. */
  framesMs: 1_200,
  emptyChars: 150,
  /** A request that takes longer counts as a stream. */
  requestMs: 2_000,
  allMs: 8_000,
  scrolls: 4,
  scrollMs: 2_500,
  /** Time reserved at the end of an order for taking the page. */
  takeMs: 1_500,
} as const;

export const VIEWPORT = { width: 1_280, height: 1_024 } as const;
/** Maximum height of a screenshot of a whole page. */
export const PICTURE_HEIGHT_MAX = 10_000;
/** Maximum number of frames whose text becomes part of the page. */
export const FRAMES_MAX = 10;
