import { Failure } from '../contract/errors.ts';
import { computeMsLeft } from '../platform/within-time.ts';

const LATE_PAGE_PARTS = ['text', 'highlights', 'prunedContext', 'summary'] as const;
export const LATE_PARTS = [...LATE_PAGE_PARTS, 'answer', 'subpages', 'pages', 'results', 'ranking'] as const;

/**
 * A part of an answer that can be left out for lack of time, or because our threads are overloaded. `pages`: a page of a result was not
 * opened in time, so its parts come from the snippet of its source. `results`: the local index, or a further question to the sources,
 * was not waited for. `ranking`: the operator's model did not order the results.
 */
export type LatePart = (typeof LATE_PARTS)[number];

/** A requested part of one page. A late `text` is Markdown where plain text was requested. */
export type LatePagePart = (typeof LATE_PAGE_PARTS)[number];

/** What an operation leaves out for lack of time, collected while it works; `urls`: the pages that were not opened in time. */
export type Lateness = { readonly parts: Set<LatePart>; readonly urls: Set<string> };

export const noLateness = (): Lateness => ({ parts: new Set(), urls: new Set() });

/** The names of the late parts, as answers state them. */
export function incompleteOf({ parts, urls }: Lateness): LatePart[] {
  return urls.size === 0 ? [...parts] : [...new Set<LatePart>([...parts, 'pages'])];
}

/** Whether a failure means that there was no time or no room for the work; any other says something about the page. */
export function isLate(error: unknown): boolean {
  if (!(error instanceof Failure)) return false;
  const reason = error.fetch?.reason;
  return (
    error.code === 'overloaded' || reason === 'timeout' || reason === 'aborted' || reason === 'overloaded'
  );
}

/** Milliseconds kept for putting an answer together and writing it. */
const WRITE_MS = 300;
/** Less is not worth a task, so that an operation that is about to run out of time tries for as long as this. */
const LEAST_MS = 250;

/** Milliseconds that the parts of an answer may take until its operation must be written; Infinity where it has no deadline. */
export function msForParts(signal: AbortSignal): number {
  return Math.max(LEAST_MS, computeMsLeft(signal) - WRITE_MS);
}

/** Milliseconds kept for taking the parts of pages that are open. */
const PARTS_MS = 400;

/** Milliseconds that opening pages may take, so that time is left for their parts; Infinity where there is no deadline. */
export function msForPages(signal: AbortSignal): number {
  return Math.max(LEAST_MS, computeMsLeft(signal) - PARTS_MS - WRITE_MS);
}
