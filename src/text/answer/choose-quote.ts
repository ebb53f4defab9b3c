import type { QuoteCandidate } from './candidates.ts';
import { FEATURES } from './features.ts';

type OwnFigure = Exclude<(typeof FEATURES)[number], 'bias'>;
const OWN_FIGURES = FEATURES.filter((name): name is OwnFigure => name !== 'bias');

/** Features that decide whether to trust the chosen passage: its lead over its rivals, and its own features. */
export const TRUST_FEATURES = [
  'trustBias',
  'logit',
  'aheadOfPlace',
  'onlyPlace',
  'aheadOfPage',
  'onlyPage',
  'share',
  'shareLogit',
  ...OWN_FIGURES,
] as const;

/** The best candidate with its figures in the order of `TRUST_FEATURES`. */
type ChosenQuote<Candidate> = { candidate: Candidate; figures: number[] };

type CandidateWindow = Pick<QuoteCandidate, 'page' | 'window' | 'features'>;

/** Maximum lead: a larger one adds no confidence. */
const LEAD_MAX = 4;
const SHARE_SMOOTHING = 1e-3;
/** Passages that share this much of their words count as one. */
const COPY_SHARE = 0.8;

/**
 * Chooses the candidate that most likely answers, by `weights` in the order of `FEATURES`; the first of equals. Returns null when
 * there is none.
 */
export function chooseQuote<Candidate extends CandidateWindow>(
  candidates: readonly Candidate[],
  weights: readonly number[],
): ChosenQuote<Candidate> | null {
  const ranked = candidates
    .map((candidate) => ({ candidate, logit: weighFigures(candidate.features, weights) }))
    .sort((left, right) => right.logit - left.logit);
  const [best] = ranked;
  if (best === undefined) return null;
  const isRival = createRivalTest(best.candidate);
  const otherPage = ranked.find(
    ({ candidate }) => candidate.page !== best.candidate.page && isRival(candidate),
  );
  const otherPlace = ranked.find(
    ({ candidate }) => isElsewhere(candidate, best.candidate) && isRival(candidate),
  );
  const computeLead = (rival: { logit: number } | undefined): number =>
    rival === undefined ? LEAD_MAX : Math.min(LEAD_MAX, best.logit - rival.logit);
  return {
    candidate: best.candidate,
    figures: [
      ...[1, best.logit],
      ...[computeLead(otherPlace), otherPlace === undefined ? 1 : 0],
      ...[computeLead(otherPage), otherPage === undefined ? 1 : 0],
      ...computeShare(ranked),
      ...best.candidate.features.slice(1),
    ],
  };
}

/**
 * Returns the share of the best passage and of those that overlap it in the odds of all candidates, and the logit of that share.
 */
function computeShare(ranked: readonly { candidate: CandidateWindow; logit: number }[]): [number, number] {
  const [best] = ranked;
  if (best === undefined) return [0, 0];
  let [own, all] = [0, 0];
  for (const { candidate, logit } of ranked) {
    const odds = Math.exp(logit - best.logit);
    all += odds;
    if (!isElsewhere(candidate, best.candidate)) own += odds;
  }
  const share = own / all;
  return [share, Math.log(share / (1 - share + SHARE_SMOOTHING) + SHARE_SMOOTHING)];
}

/** Computes the weighted sum of the figures. */
export function weighFigures(figures: readonly number[], weights: readonly number[]): number {
  return figures.reduce((sum, figure, index) => sum + figure * (weights[index] ?? 0), 0);
}

/** Creates a test for passages that differ in content: a copy on another page is not a rival. */
function createRivalTest(best: CandidateWindow): (other: CandidateWindow) => boolean {
  const own = collectWords(best);
  return (other) => {
    const words = collectWords(other);
    const shared = [...words].filter((word) => own.has(word)).length;
    return shared < COPY_SHARE * Math.max(own.size, words.size);
  };
}

function collectWords({ page, window }: CandidateWindow): Set<string> {
  const text = page.markdown.slice(window.first.start, window.last.end);
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function isElsewhere({ page, window }: CandidateWindow, best: CandidateWindow): boolean {
  if (page !== best.page) return true;
  return window.first.start >= best.window.last.end || window.last.end <= best.window.first.start;
}
