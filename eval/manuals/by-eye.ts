import { createHash } from 'node:crypto';
import type { Given } from './ask.ts';
import type { Judged } from './judge.ts';
import { shownText } from './shown-text.ts';

/** What is judged of a question: its pages, the highlights of the first, the pruned context of all, and the quoted answer. */
type Part = 'page' | 'highlight' | 'context' | 'quotation';

/**
 * What someone who read it said of what was given; `why` where the fixed pattern says otherwise.
 * `given`: the path of a page, or a text. Of a context that is right it is the passage that answers, which any context may hold.
 */
export type Verdict = { id: string; what: Part; given: string; right: boolean; why?: string };
/** `isRead`: false where nobody has read what is given now, and the pattern decides. `place`: among those of its kind, from 0. */
export type SeenByEye = { what: Part; place: number; given: string; right: boolean; isRead: boolean };

type Summed = { right: boolean; isRead: boolean };
/** The columns of `Judged`, by eye. */
export type ByEye = {
  pageFirst: Summed;
  pageInThree: Summed;
  highlightFirst: Summed;
  highlightInThree: Summed;
  context: Summed;
};

/** Characters of a text that tell it from others: of its beginning and of its end. */
const EXCERPT = { begin: 100, end: 60 };
const DIGITS = 8;

/** Each part of what was given for a question, judged by eye, or by the pattern where nobody has read it; what is not given is left out. */
export function judgeByEye(
  id: string,
  { pages, quote }: Given,
  { judged, verdicts }: { judged: Judged; verdicts: readonly Verdict[] },
): SeenByEye[] {
  const own = verdicts.filter((one) => one.id === id);
  const see = (what: Part, given: string, { place, right }: { place: number; right: boolean }): SeenByEye => {
    const verdict = own.find((one) => one.what === what && one.given === given);
    return { what, place, given, right: verdict?.right ?? right, isRead: verdict !== undefined };
  };
  const context = shownText(pages.map(({ prunedContext }) => prunedContext).join('\n'));
  const passage = own.find(
    ({ what, right, given }) => what === 'context' && right && context.includes(given),
  );
  return [
    ...pages.map(({ url }, place) =>
      see('page', pathOf(url), { place, right: judged.pages[place] === true }),
    ),
    ...(pages[0]?.highlights ?? []).map((text, place) =>
      see('highlight', excerptOf(shownText(text)), { place, right: judged.highlights[place] === true }),
    ),
    see('context', passage?.given ?? `${excerptOf(context)} (${digestOf(context)})`, {
      place: 0,
      right: judged.contextRight,
    }),
    ...(quote === null
      ? []
      : [see('quotation', excerptOf(shownText(quote)), { place: 0, right: judged.quoteRight })]),
  ];
}

/** The columns of a question: the first of a kind, and any of it. */
export function sumUp(seen: readonly SeenByEye[]): ByEye {
  const of = (part: Part): SeenByEye[] => seen.filter(({ what }) => what === part);
  const [pages, highlights] = [of('page'), of('highlight')];
  return {
    pageFirst: anyOf(pages.slice(0, 1)),
    pageInThree: anyOf(pages),
    highlightFirst: anyOf(highlights.slice(0, 1)),
    highlightInThree: anyOf(highlights),
    context: anyOf(of('context')),
  };
}

/** One that was read and is right is enough; otherwise all must have been read. */
function anyOf(seen: readonly SeenByEye[]): Summed {
  const isFound = seen.some(({ right, isRead }) => right && isRead);
  return { right: seen.some(({ right }) => right), isRead: isFound || seen.every(({ isRead }) => isRead) };
}

const pathOf = (url: string): string => new URL(url).pathname.slice(1);

/** A shown text as its verdict names it. */
function excerptOf(text: string): string {
  const shown = text.trim();
  const { begin, end } = EXCERPT;
  return shown.length <= begin + end ? shown : `${shown.slice(0, begin)} … ${shown.slice(-end)}`;
}

/** A context differs from others in its middle, too. */
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
