import type { AskedTerm, PageSection, PageSections } from './page-sections.ts';

/** A page with its sections. `bonus` adds to each of them: how well its place and kind fit the question. */
type SectionedPage = { found: PageSections; bonus: number };

/** `page`: its place in the list. `score`: from 0 to 1, higher is better. */
type RankedSection = { page: number; section: PageSection; score: number };

/** BM25F (Zaragoza and others 2004) over the sections of all pages. Fitted on the half of eval/libraries that is not held out. */
const WEIGHTS = {
  k1: 1.2,
  b: 0.4,
  headed: 1,
  named: 2,
  /** Of a term by its kind: an identifier as written tells more than its parts. */
  whole: 2,
  part: 0.7,
  word: 1,
  /** Of the model for passages, relative to words. */
  answers: 3,
};
const HEADED_MAX = 2;
/** The sum at which a section is as likely to answer as not. */
const EVEN = 2.5;

/** Ranks the sections of all pages for a question, best first: words are as rare as they are among them. */
export function rankSections(terms: readonly AskedTerm[], pages: readonly SectionedPage[]): RankedSection[] {
  const count = sum(pages, ({ found }) => found.count);
  const meanWords = sum(pages, ({ found }) => found.words) / Math.max(1, count);
  const worths = terms.map(({ kind }, place) => {
    const holding = sum(pages, ({ found }) => found.holding[place] ?? 0);
    return holding === 0 ? 0 : WEIGHTS[kind] * Math.log(1 + (count - holding + 0.5) / (holding + 0.5));
  });
  const length = Math.hypot(...worths) || 1;
  const scoreWords = ({ words, body, headed, named }: PageSection): number => {
    const even = WEIGHTS.k1 * (1 - WEIGHTS.b + (WEIGHTS.b * words) / meanWords);
    return worths.reduce((total, worth, place) => {
      const inHeadings = Math.min(HEADED_MAX, headed[place] ?? 0);
      const said = (body[place] ?? 0) + WEIGHTS.headed * inHeadings + (named[place] ? WEIGHTS.named : 0);
      return total + (worth / length) * ((said * (1 + WEIGHTS.k1)) / (said + even));
    }, 0);
  };
  return pages
    .flatMap(({ found, bonus }, page) =>
      found.sections.map((section) => {
        const total = scoreWords(section) + WEIGHTS.answers * section.answers + bonus;
        return { page, section, score: 1 / (1 + Math.exp(EVEN - total)) };
      }),
    )
    .sort((one, other) => other.score - one.score);
}

const sum = <Item>(items: readonly Item[], read: (item: Item) => number): number =>
  items.reduce((total, item) => total + read(item), 0);
