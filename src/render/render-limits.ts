/** The bounds of the process that renders. Times in milliseconds. */
export const LIMITS = {
  /** Pages at once, each in a context of its own. */
  pagesAtOnce: 4,
  /** Pages that wait for a turn. */
  waitingMax: 40,
  /** A browser is replaced after so many pages, or above so much memory of all its processes. */
  pagesPerBrowser: 200,
  memoryMbMax: 1_500,
  /** A process of a page above this is ended, and the page with it. */
  rendererMbMax: 700,
  watchMs: 250,
  /** Kept by V8 for one page. */
  heapMb: 512,
  startMs: 20_000,
  /** A page or a browser that does not close by then is killed. */
  closeMs: 2_000,
  /** On the wire, for one page. */
  bytesMax: 31_457_280,
  requestsMax: 1_000,
  orderBytesMax: 65_536,
  /** Popups are closed at once; above this the page ends. */
  popupsMax: 20,
  dialogsMax: 50,
  /** Documents in the frame of the page, one after another. */
  documentsMax: 10,
} as const;

/** When a page counts as complete. */
export const SETTLING = {
  pollMs: 60,
  /** Nothing may arrive and no text may change for so long. */
  quietMs: 240,
  /** A page that shows next to nothing is given more time. */
  emptyMs: 3_500,
  /** Less if a frame shows what there is: its text is not seen from outside. */
  framesMs: 1_200,
  emptyChars: 150,
  /** A request that takes longer is taken for a stream. */
  requestMs: 2_000,
  allMs: 8_000,
  scrolls: 4,
  scrollMs: 2_500,
  /** Left of an order's time for taking the page. */
  takeMs: 1_500,
} as const;

export const VIEWPORT = { width: 1_280, height: 1_024 } as const;
/** A picture of a whole page ends there. */
export const PICTURE_HEIGHT_MAX = 10_000;
/** Frames whose text becomes part of the page. */
export const FRAMES_MAX = 10;
