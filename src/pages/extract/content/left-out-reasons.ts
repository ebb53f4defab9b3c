import type { PageView } from './comments.ts';
import { hasSeparateComments, matchPhrases } from './comments.ts';
import { HINTS } from './hints.ts';
import type { Region } from './regions.ts';

/**
 * Reasons for leaving out a block, a closed list. All but two rest on evidence in the page's markup or words: `rule` is the operator's
 * rule for the site, and `score` the judgement of the model alone, so mistakes are found there.
 */
export type LeftOutReason =
  | 'comments'
  | 'navigation'
  | 'header'
  | 'footer'
  | 'sidebar'
  | 'related'
  | 'sharing'
  | 'advert'
  | 'notice'
  | 'form'
  | 'links'
  | 'control'
  | 'rule'
  | 'score';

/** Reasons given by names and tags of elements, most reliable first. */
const BY_HINT: [LeftOutReason, number][] = [
  ['navigation', HINTS.navigation | HINTS.breadcrumb | HINTS.pagination | HINTS.toc],
  ['footer', HINTS.footer],
  ['related', HINTS.related],
  ['advert', HINTS.advert],
  ['notice', HINTS.consent | HINTS.subscribe | HINTS.modal],
  ['sharing', HINTS.share | HINTS.edit],
  ['form', HINTS.login | HINTS.search],
  ['sidebar', HINTS.aside],
  ['header', HINTS.header | HINTS.byline | HINTS.tags],
];
const LINK_SHARE_MIN = 0.5;
const CONTROL_WORDS_MAX = 6;
/** Form elements, by tag only: names such as "field" also occur in lists of parameters. */
const FORM_TAGS = new Set(['form', 'fieldset', 'button', 'label', 'legend']);
const PREVIOUS_NEXT = /^[^\p{L}]{0,6}(?:next|previous|prev|up)\s*:/iu;
const WHOLE = new Set(['html', 'body', 'main', 'article', '#root']);

/** Finds the reason for each block that was left out; null for kept blocks. */
export function findLeftOutReasons(view: PageView, kept: readonly boolean[]): (LeftOutReason | null)[] {
  const apart = hasSeparateComments(view);
  const isLeftOut = createLeftOutCheck(view, kept);
  return view.blocks.map(({ region, tally, hints }, index) => {
    if (kept[index]) return null;
    if (view.ruled?.[index] === -1) return 'rule';
    if (apart && view.comments[index] === 1) return 'comments';
    if (PREVIOUS_NEXT.test(view.texts[index] ?? '')) return 'navigation';
    const named = findNamedReason(region, hints, isLeftOut);
    if (named !== null) return named;
    if (tally.linkWords > tally.words * LINK_SHARE_MIN) return 'links';
    const phrases = matchPhrases(view.texts[index] ?? '', tally.words);
    return tally.words <= CONTROL_WORDS_MAX && phrases !== 0 ? 'control' : 'score';
  });
}

function findNamedReason(
  region: Region,
  inline: number,
  isLeftOut: (region: Region) => boolean,
): LeftOutReason | null {
  const own = findHintReason(inline);
  if (own !== null) return own;
  for (let up: Region | null = region; up !== null && !WHOLE.has(up.element.tag); up = up.parent) {
    if (!isLeftOut(up)) return null;
    const reason = findHintReason(up.hints) ?? (FORM_TAGS.has(up.element.tag) ? 'form' : null);
    if (reason !== null) return reason;
  }
  return null;
}

const findHintReason = (hints: number): LeftOutReason | null =>
  BY_HINT.find(([, bits]) => (hints & bits) !== 0)?.[0] ?? null;

/** Returns a check whether less than half of a region's words are kept; only then can its name be the reason. */
function createLeftOutCheck({ blocks }: PageView, kept: readonly boolean[]): (region: Region) => boolean {
  const keptBefore = new Float64Array(blocks.length + 1);
  for (const [index, { tally }] of blocks.entries())
    keptBefore[index + 1] = (keptBefore[index] ?? 0) + (kept[index] ? tally.words : 0);
  return ({ from, to, sum }) => ((keptBefore[to] ?? 0) - (keptBefore[from] ?? 0)) * 2 < sum.words;
}
