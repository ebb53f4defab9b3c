import { Failure } from '../contract/errors.ts';
import { computeMsLeft } from '../platform/clock.ts';

const LATE_PAGE_PARTS = ['text', 'highlights', 'prunedContext', 'summary'] as const;
export const LATE_PARTS = [
  ...LATE_PAGE_PARTS,
  'answer',
  'subpages',
  'pages',
  'results',
  'ranking',
  'writing',
] as const;

/**
 * A part of an answer that can be left out for lack of time, or because the threads are overloaded. `pages`: a page of a result was not
 * opened in time, so its parts come from the snippet of its source. `results`: the local index, or a further query to the sources, was
 * not awaited. `ranking`: the operator's model did not order the results. `writing`: the operator's model wrote nothing.
 */
export type LatePart = (typeof LATE_PARTS)[number];

/** Describes late parts for people: `the passages of all pages, all of the local index`. */
export function describeLateParts(parts: readonly LatePart[]): string {
  return parts.map((part) => IN_WORDS[part]).join(', ');
}

const IN_WORDS: Record<LatePart, string> = {
  text: 'the text without markup',
  highlights: 'the passages of all pages',
  prunedContext: 'choosing what is relevant',
  summary: 'the summary',
  answer: 'the answer',
  subpages: 'the subpages',
  pages: 'opening all pages',
  results: 'all of the local index',
  ranking: 'the model that ranks the results',
  writing: 'the model that writes',
};

/** A requested part of one page. A late `text` is Markdown where plain text was requested. */
export type LatePagePart = (typeof LATE_PAGE_PARTS)[number];

/** The parts that an operation leaves out for lack of time, collected while it works; `urls`: the pages that were not opened in time. */
export type Lateness = { readonly parts: Set<LatePart>; readonly urls: Set<string> };

export const createLateness = (): Lateness => ({ parts: new Set(), urls: new Set() });

/** Lists the names of the late parts, as answers state them. */
export function listLateParts({ parts, urls }: Lateness): LatePart[] {
  return urls.size === 0 ? [...parts] : [...new Set<LatePart>([...parts, 'pages'])];
}

/** Checks whether a failure means that there was no time or no capacity for the work; any other failure is caused by the page. */
export function isLate(error: unknown): boolean {
  if (!(error instanceof Failure)) return false;
  const reason = error.fetch?.reason;
  return (
    error.code === 'overloaded' || reason === 'timeout' || reason === 'aborted' || reason === 'overloaded'
  );
}

/** Milliseconds reserved for assembling and writing an answer. */
const WRITE_MS = 300;
/** Minimum time for a task, in milliseconds: an operation that is about to run out of time still gets this much. */
const LEAST_MS = 250;

/** Returns the milliseconds that the parts of an answer may take before it must be written; Infinity where there is no deadline. */
export function computePartsMs(signal: AbortSignal): number {
  return Math.max(LEAST_MS, computeMsLeft(signal) - WRITE_MS);
}

/** Milliseconds reserved for taking the parts of open pages. */
const PARTS_MS = 400;

/** Returns the milliseconds that opening pages may take, so that time is left for their parts; Infinity where there is no deadline. */
export function computePagesMs(signal: AbortSignal): number {
  return Math.max(LEAST_MS, computeMsLeft(signal) - PARTS_MS - WRITE_MS);
}
